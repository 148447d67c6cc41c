//! What is known of every page without reading its entry: where it is, whether it is still there, which story it is of.

use retold::internal::StoryGraph;
use retold::{Model, Scope};
use rustc_hash::FxHashSet;

use crate::files::Bytes;
use crate::links::{Link, LinkKind};

/// Where a page is, and what can be said without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The number of the log that has it.
    pub(crate) log: u32,
    /// The place of its frame there.
    pub(crate) at: u64,
    /// Bytes of its entry and of its text.
    pub(crate) lengths: (u32, u32),
    /// How many keys its sketch has.
    pub(crate) keys: u32,
    /// The moment that counts in a story.
    pub(crate) moment: i64,
}

impl Row {
    pub(crate) const BYTES: usize = 32;

    pub(crate) fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.log.to_le_bytes());
        bytes.extend(self.at.to_le_bytes());
        bytes.extend(self.lengths.0.to_le_bytes());
        bytes.extend(self.lengths.1.to_le_bytes());
        bytes.extend(self.keys.to_le_bytes());
        bytes.extend(self.moment.to_le_bytes());
    }

    pub(crate) fn get(bytes: &mut Bytes<'_>) -> Option<Row> {
        Some(Row {
            log: bytes.u32()?,
            at: bytes.u64()?,
            lengths: (bytes.u32()?, bytes.u32()?),
            keys: bytes.u32()?,
            moment: bytes.u64()? as i64,
        })
    }

    /// Bytes of the whole frame.
    pub(crate) fn frame(&self) -> u64 {
        crate::log::HEAD as u64 + u64::from(self.lengths.0) + u64::from(self.lengths.1)
    }
}

/// What pair filters look at in a page ([`Scope`]), as segments have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScopeRow {
    /// [`Scope::within`] and [`Scope::across`].
    pub(crate) fields: [u64; 2],
    /// [`Scope::date`]; the least number for none.
    pub(crate) date: i64,
}

impl ScopeRow {
    pub(crate) const BYTES: usize = 24;

    pub(crate) fn of(scope: &Scope) -> ScopeRow {
        ScopeRow {
            fields: [scope.within, scope.across],
            date: scope.date.unwrap_or(i64::MIN),
        }
    }

    pub(crate) fn scope(&self, model: &Model) -> Scope {
        let date = (self.date != i64::MIN).then_some(self.date);
        model.scope(&self.fields, date)
    }

    pub(crate) fn put(&self, bytes: &mut Vec<u8>) {
        for number in [self.fields[0], self.fields[1], self.date as u64] {
            bytes.extend(number.to_le_bytes());
        }
    }

    pub(crate) fn get(bytes: &mut Bytes<'_>) -> Option<ScopeRow> {
        Some(ScopeRow {
            fields: [bytes.u64()?, bytes.u64()?],
            date: bytes.u64()? as i64,
        })
    }
}

/// All pages by number. Numbers are given in the order of adding and never twice.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    rows: Vec<Row>,
    /// How many keys each page has, once more: it is asked of thousands of pages for each that is looked for.
    keys: Vec<u32>,
    /// What pair filters look at in each page; none if there are no filters.
    scopes: Vec<ScopeRow>,
    /// Which of them are there, and which tell one story.
    pub(crate) graph: StoryGraph,
    gone: usize,
    /// Bytes of the frames of pages that are gone.
    gone_bytes: u64,
}

impl Pages {
    pub(crate) fn push(&mut self, row: Row) {
        self.rows.push(row);
        self.keys.push(row.keys);
        self.graph.push();
    }

    /// Forgets the last pages, which no other is linked to.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.rows.truncate(count);
        self.keys.truncate(count);
        self.scopes.truncate(count);
        self.graph.truncate(count);
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Pages that are there.
    pub(crate) fn live(&self) -> usize {
        self.rows.len() - self.gone
    }

    pub(crate) fn gone_bytes(&self) -> u64 {
        self.gone_bytes
    }

    pub(crate) fn row(&self, page: u32) -> Option<&Row> {
        self.rows.get(page as usize)
    }

    /// The moment that counts in a story, and what orders pages of one moment.
    pub(crate) fn time(&self, page: u32) -> (i64, (u32, bool, u32)) {
        (self.rows[page as usize].moment, self.graph.place(page))
    }

    /// How many keys a page has.
    pub(crate) fn keys(&self, page: u32) -> usize {
        self.keys
            .get(page as usize)
            .map_or(0, |&keys| keys as usize)
    }

    /// Says of the next pages what pair filters look at in them.
    pub(crate) fn extend_scopes(&mut self, scopes: impl IntoIterator<Item = ScopeRow>) {
        self.scopes.extend(scopes);
    }

    /// The first page of which it is not known what pair filters look at in it.
    pub(crate) fn first_unscoped(&self) -> u32 {
        self.scopes.len() as u32
    }

    /// What pair filters look at in a page, if there are any.
    pub(crate) fn scope(&self, page: u32) -> Option<&ScopeRow> {
        self.scopes.get(page as usize)
    }

    /// What they look at in these pages; nothing if there are none.
    pub(crate) fn scopes(&self, pages: std::ops::Range<u32>) -> &[ScopeRow] {
        let pages = pages.start as usize..pages.end as usize;
        self.scopes.get(pages).unwrap_or_default()
    }

    pub(crate) fn rows(&self, pages: std::ops::Range<u32>) -> &[Row] {
        &self.rows[pages.start as usize..pages.end as usize]
    }

    /// True if the page is there.
    pub(crate) fn is_live(&self, page: u32) -> bool {
        self.graph.is_live(page)
    }

    /// Notes which stories change, by their roots before and after.
    pub(crate) fn remove(&mut self, pages: &[u32], changed: &mut FxHashSet<u32>) {
        let mut going: Vec<u32> = pages.iter().copied().filter(|&p| self.is_live(p)).collect();
        going.sort_unstable();
        going.dedup();
        for &page in &going {
            self.gone += 1;
            self.gone_bytes += self.rows[page as usize].frame();
        }
        let roots: FxHashSet<u32> = going.iter().map(|&page| self.graph.root(page)).collect();
        let members = roots.iter().flat_map(|&root| self.graph.story(root));
        let members: Vec<u32> = members.collect();
        changed.extend(roots);
        self.graph.remove(&going);
        changed.extend(members.into_iter().map(|page| self.graph.root(page)));
    }

    /// Notes which stories change, by their roots before and after.
    pub(crate) fn link(&mut self, link: Link, changed: &mut FxHashSet<u32>) {
        let both = [link.page, link.other].into_iter();
        let both = both.filter(|&page| (page as usize) < self.rows.len());
        changed.extend(both.clone().map(|page| self.graph.root(page)));
        match link.kind {
            LinkKind::Related(relation) => {
                self.graph.relate(link.page, link.other, relation);
            }
            LinkKind::Replaces => self.graph.set_place_of(link.page, link.other),
        }
        changed.extend(both.map(|page| self.graph.root(page)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Row = Row {
        log: 1,
        at: 2,
        lengths: (3, 4),
        keys: 5,
        moment: -6,
    };

    #[test]
    fn a_row_in_bytes() {
        let mut bytes = Vec::new();
        ROW.put(&mut bytes);
        assert_eq!(bytes.len(), Row::BYTES);
        assert_eq!(Row::get(&mut Bytes(&bytes)), Some(ROW));
    }
}
