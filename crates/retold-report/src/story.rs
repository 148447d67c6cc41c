//! An HTML page of one pair: the report's pair view by itself.

use std::io::{self, Write};

use serde_json::json;

use retold::explain::Explanation;

use crate::html::{COPIES, DataPage};

/// Writes the explanation as one self-contained page. Offsets must count UTF-16 units.
pub fn write(story: &Explanation, out: impl Write) -> io::Result<()> {
    let title = format!("Retold: {} and {}", story.a.id, story.b.id);
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    for page in [&story.a, &story.b] {
        hash.update(page.id.as_bytes());
        hash.update(page.text.as_bytes());
    }
    let mut page = DataPage::begin(out, &title, hash.digest128(), &COPIES)?;
    let mut data = story.json(true);
    // The page's code knows checks as a report holds them: a list of outcomes or nothing.
    if let Some(checks) = data
        .get_mut("checks")
        .and_then(serde_json::Value::as_array_mut)
    {
        for check in checks {
            if let Some(check) = check.as_object_mut() {
                check.entry("outcomes").or_insert(json!(null));
            }
        }
    }
    page.chunk("story", 0, &data)?;
    page.finish()
}
