//! What a model learns from a collection.

use super::collection::Collection;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::knowledge::{Census, Knowledge};
use crate::method::Learns;
use crate::model::Model;
use crate::spill::Sorter;

impl Collection {
    /// The number of different texts with each of the first `sketches` sketches.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn texts_per_sketch(&self, sketches: usize) -> Result<Vec<u32>> {
        let mut texts = Sorter::new(self.memory());
        for page in self.counted() {
            if let Some(text) = page.text_hash {
                texts.push([u64::from(page.sketch.0), (text >> 64) as u64, text as u64])?;
            }
        }
        let (mut counts, mut last) = (vec![0; sketches], None);
        for text in texts.finish()? {
            if last.replace(text) != Some(text) {
                counts[text[0] as usize] += 1;
            }
        }
        Ok(counts)
    }

    /// For each sketch, the median of its pages' main characters. It is large for different long pages that share only the footer's sketch.
    fn usual_main_chars(&self) -> Result<Vec<u64>> {
        let mut lengths = Sorter::new(self.memory());
        for page in self.counted() {
            lengths.push([u64::from(page.sketch.0), page.main_chars])?;
        }
        let (mut usual, mut run) = (vec![0; self.sketches.len()], Vec::new());
        let mut settle = |sketch: u64, run: &mut Vec<u64>| {
            if let Some(&median) = run.get(run.len() / 2) {
                usual[sketch as usize] = median;
            }
            run.clear();
        };
        let mut last = 0;
        for [sketch, length] in lengths.finish()? {
            if sketch != last {
                settle(last, &mut run);
                last = sketch;
            }
            run.push(length);
        }
        settle(last, &mut run);
        Ok(usual)
    }

    /// (sketch, site, number of different texts of the site with that sketch), ascending.
    fn texts_on_sites(&self) -> Result<Vec<(SketchNo, u32, u32)>> {
        let mut texts = Sorter::new(self.memory());
        for page in self.counted() {
            if let (Some(site), Some(text)) = (page.site, page.text_hash) {
                let place = u64::from(page.sketch.0) << 32 | u64::from(site);
                texts.push([place, (text >> 64) as u64, text as u64])?;
            }
        }
        let (mut counts, mut last) = (Vec::<(SketchNo, u32, u32)>::new(), None);
        for text in texts.finish()? {
            let (sketch, site) = (SketchNo((text[0] >> 32) as u32), text[0] as u32);
            match counts.last_mut() {
                _ if last.replace(text) == Some(text) => {}
                Some(count) if (count.0, count.1) == (sketch, site) => count.2 += 1,
                _ => counts.push((sketch, site, 1)),
            }
        }
        Ok(counts)
    }

    /// What `model` learns from the sketches, if it learns from sketches at all.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn knowledge(&self, model: &Model) -> Result<Option<Knowledge>> {
        let on_site = match model.method().learns {
            Learns::Nothing | Learns::Words(_) => return Ok(None),
            Learns::Noise | Learns::Common(_) => self.texts_on_sites()?,
        };
        let main_chars = self.usual_main_chars()?;
        let agree = |a: SketchNo, b: SketchNo| {
            let shorter = main_chars[a.at()].min(main_chars[b.at()]);
            let (a, b) = (self.sketches.get(a), self.sketches.get(b));
            model.agree(a.as_ref(), b.as_ref(), shorter)
        };
        let known = model.knowledge_of(&Census {
            sketches: &self.sketches,
            texts: &self.texts_per_sketch(self.sketches.len())?,
            sites: &self.sites,
            on_site: &on_site,
            agree: &agree,
        });
        self.memory().check()?;
        known
    }
}
