//! The three stores.

use std::collections::HashMap;
use std::path::Path;

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use rayon::prelude::*;
use retold::{JudgeConfig, Judgement, Model};
use retold::method::Sketch;
use retold_index::{Index, Prepared, Writer};
use tantivy::schema::{Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, Value};
use tantivy::{DocSet, IndexWriter, TERMINATED, TantivyDocument, Term};

use crate::Result;

pub trait Store {
    /// Adds pages, with their texts compressed, in one durable commit.
    fn add(&mut self, pages: &[Prepared]) -> Result<()>;
    /// Waits for work in the background.
    fn settle(&mut self) -> Result<()>;
    /// How many related pages there are, as far as sketches tell.
    fn matches(&self, page: &Prepared) -> Result<usize>;
    fn count(&self) -> Result<usize>;
}

/// Related pages that are looked for, and candidates in a row that may be none: as `own` does it.
const WANTED: usize = 100;
const UNRELATED: usize = 16;
/// Postings that are read, as `own` does it.
const WORK: usize = 1 << 14;

/// Of the pages and their hits, how many are related.
fn judged<P: Copy>(
    model: &Model,
    sketch: &Sketch,
    hits: impl Iterator<Item = (P, usize)>,
    mut load: impl FnMut(P) -> Result<Option<Sketch>>,
) -> Result<usize> {
    let mut hits: Vec<(P, usize)> = hits.filter(|hit| hit.1 > 1).collect();
    hits.sort_unstable_by_key(|hit| std::cmp::Reverse(hit.1));
    let (mut related, mut in_vain) = (0, 0);
    for (page, _) in hits {
        // Postings of a page whose place another took are still there.
        match load(page)?.map(|other| model.judge(sketch, &other)) {
            None | Some(Judgement::No) => in_vain += 1,
            _ => (related, in_vain) = (related + 1, 0),
        }
        if related == WANTED || in_vain == UNRELATED {
            break;
        }
    }
    Ok(related)
}

/// What prepares and judges pages for all stores: by sketches alone.
pub fn model() -> Result<Model> {
    let mut config = JudgeConfig::default();
    config.params.insert("verify".into(), "off".into());
    Ok(Model::new(config)?)
}

/// The texts of pages as `own` keeps them, compressed on all threads as there.
fn packed(pages: &[Prepared]) -> Vec<Vec<u8>> {
    let packing = || zstd::bulk::Compressor::new(3);
    let texts = pages.par_iter().map_init(packing, |packing, page| {
        let bytes = page.text.to_bytes();
        packing.as_mut().ok().and_then(|packing| packing.compress(&bytes).ok()).unwrap_or_default()
    });
    texts.collect()
}

/// Keeps nothing: what it costs to make sketches.
impl Store for () {
    fn add(&mut self, _: &[Prepared]) -> Result<()> {
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    fn matches(&self, _: &Prepared) -> Result<usize> {
        Ok(0)
    }

    fn count(&self) -> Result<usize> {
        Ok(0)
    }
}

pub struct Fjall {
    db: Database,
    pages: Keyspace,
    sketches: Keyspace,
    keys: Keyspace,
    ids: Keyspace,
    next: u32,
    model: Model,
}

impl Fjall {
    pub fn open(dir: &Path) -> Result<Fjall> {
        let db = Database::builder(dir).cache_size(256 << 20).open()?;
        let space = |name: &str| db.keyspace(name, KeyspaceCreateOptions::default);
        let (pages, sketches, keys, ids) = (space("pages")?, space("sketches")?, space("keys")?, space("ids")?);
        let last = sketches.last_key_value().map(|last| last.key()).transpose()?;
        let next = last.map_or(0, |key| u32::from_be_bytes(key[..4].try_into().unwrap_or_default()) + 1);
        Ok(Fjall { db, pages, sketches, keys, ids, next, model: model()? })
    }
}

impl Store for Fjall {
    fn add(&mut self, pages: &[Prepared]) -> Result<()> {
        let mut batch = self.db.batch().durability(Some(PersistMode::SyncAll));
        for (page, text) in pages.iter().zip(packed(pages)) {
            let number = self.next.to_be_bytes();
            self.next += 1;
            // A page of an id that is there takes its place.
            if let Some(old) = self.ids.get(&page.entry.id)? {
                batch.remove(&self.pages, old.clone());
                batch.remove(&self.sketches, old);
            }
            batch.insert(&self.ids, page.entry.id.as_str(), number);
            batch.insert(&self.pages, number, text.as_slice());
            batch.insert(&self.sketches, number, page.entry.sketch.to_bytes());
            for key in &page.entry.sketch.keys {
                let mut posting = [0; 12];
                posting[..8].copy_from_slice(&key.to_be_bytes());
                posting[8..].copy_from_slice(&number);
                batch.insert(&self.keys, posting, []);
            }
        }
        batch.commit()?;
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        for space in [&self.keys, &self.pages, &self.sketches, &self.ids] {
            space.rotate_memtable_and_wait()?;
        }
        while self.db.active_compactions() > 0 || self.db.outstanding_flushes() > 0 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        Ok(())
    }

    fn matches(&self, page: &Prepared) -> Result<usize> {
        let mut hits: HashMap<[u8; 4], usize> = HashMap::new();
        let mut work = 0;
        for key in &page.entry.sketch.keys {
            for posting in self.keys.prefix(key.to_be_bytes()) {
                let posting = posting.key()?;
                *hits.entry(posting[8..].try_into()?).or_default() += 1;
                work += 1;
                if work > WORK {
                    break;
                }
            }
        }
        judged(&self.model, &page.entry.sketch, hits.into_iter(), |number| {
            let bytes = self.sketches.get(number)?;
            Ok(bytes.map(|bytes| Sketch::from_bytes(&bytes)).transpose()?)
        })
    }

    fn count(&self) -> Result<usize> {
        Ok(self.sketches.len()?)
    }
}

pub struct Tantivy {
    writer: IndexWriter,
    reader: tantivy::IndexReader,
    fields: [Field; 4],
    model: Model,
}

impl Tantivy {
    pub fn open(dir: &Path) -> Result<Tantivy> {
        let mut schema = Schema::builder();
        let fields = [
            schema.add_text_field("id", STRING | STORED),
            schema.add_u64_field("key", INDEXED),
            schema.add_bytes_field("sketch", STORED),
            schema.add_bytes_field("text", STORED),
        ];
        let place = tantivy::directory::MmapDirectory::open(dir)?;
        let index = tantivy::Index::open_or_create(place, schema.build())?;
        let writer = index.writer_with_num_threads(2, 256 << 20)?;
        // Its own merges would take the segments that `settle` merges.
        writer.set_merge_policy(Box::new(tantivy::merge_policy::NoMergePolicy));
        Ok(Tantivy { writer, reader: index.reader()?, fields, model: model()? })
    }
}

impl Store for Tantivy {
    fn add(&mut self, pages: &[Prepared]) -> Result<()> {
        let [id, key, sketch, text] = self.fields;
        for (page, packed) in pages.iter().zip(packed(pages)) {
            let mut document = TantivyDocument::default();
            document.add_text(id, &page.entry.id);
            // A page of an id that is there takes its place.
            self.writer.delete_term(Term::from_field_text(id, &page.entry.id));
            page.entry.sketch.keys.iter().for_each(|&value| document.add_u64(key, value));
            document.add_bytes(sketch, &page.entry.sketch.to_bytes());
            document.add_bytes(text, &packed);
            self.writer.add_document(document)?;
        }
        self.writer.commit()?;
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        let segments = self.writer.index().searchable_segment_ids()?;
        if segments.len() > 8 {
            self.writer.merge(&segments).wait()?;
        }
        self.reader.reload()?;
        Ok(())
    }

    fn matches(&self, page: &Prepared) -> Result<usize> {
        let [_, key, sketch, _] = self.fields;
        let searcher = self.reader.searcher();
        let mut hits: HashMap<(u32, u32), usize> = HashMap::new();
        let mut work = 0;
        for (at, segment) in searcher.segment_readers().iter().enumerate() {
            let inverted = segment.inverted_index(key)?;
            for &value in &page.entry.sketch.keys {
                let term = Term::from_field_u64(key, value);
                let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)? else {
                    continue;
                };
                while postings.doc() != TERMINATED && work < WORK {
                    *hits.entry((at as u32, postings.doc())).or_default() += 1;
                    postings.advance();
                    work += 1;
                }
            }
        }
        judged(&self.model, &page.entry.sketch, hits.into_iter(), |(segment, doc)| {
            let document: TantivyDocument = searcher.doc(tantivy::DocAddress::new(segment, doc))?;
            let bytes = document.get_first(sketch).and_then(|value| value.as_bytes()).ok_or("no sketch")?;
            Ok(Some(Sketch::from_bytes(bytes)?))
        })
    }

    fn count(&self) -> Result<usize> {
        Ok(self.reader.searcher().num_docs() as usize)
    }
}

pub struct Own(Writer);

impl Own {
    pub fn open(dir: &Path) -> Result<Own> {
        Ok(Own(match Index::is_at(dir) {
            true => Index::builder(dir).write()?,
            false => Index::builder(dir).create(&model()?)?,
        }))
    }
}

impl Store for Own {
    fn add(&mut self, pages: &[Prepared]) -> Result<()> {
        self.0.add(pages, Some(0))?;
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    fn matches(&self, page: &Prepared) -> Result<usize> {
        Ok(self.0.index().query(page, Some(WANTED))?.1.len())
    }

    fn count(&self) -> Result<usize> {
        Ok(self.0.index().len())
    }
}
