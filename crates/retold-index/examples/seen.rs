//! An index as a memory: for each line of standard input, says whether the text was there before, and what it adds; then remembers it.
//!
//! cargo run --release -p retold-index --example seen -- FOLDER < texts.txt

use retold::{Error, JudgeConfig, Model, Page};
use retold_index::Index;

fn main() -> retold::Result<()> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or_else(|| Error::usage("name a folder for the index"))?;
    let builder = Index::builder(&folder).writer_name("the example");
    let mut writer = match Index::is_at(folder.as_ref()) {
        true => builder.write()?,
        false => builder.create(&Model::new(JudgeConfig::default())?)?,
    };
    for (number, line) in std::io::stdin().lines().enumerate() {
        let line = line.map_err(Error::io("cannot read", "standard input".as_ref()))?;
        let page = Page::text(format!("line {}", number + 1), line);
        let page = writer.index().prepare(page)?;
        let (_, matches) = writer.index().query(&page, Some(1))?;
        match matches.first() {
            None => println!("{}: new", page.entry.id),
            Some(found) => println!(
                "{}: {} of {}, adds {} words",
                page.entry.id,
                found.verdict.relation.name(),
                found.entry.id,
                writer.index().adds(&page)?.words
            ),
        }
        writer.add(&[page], Some(1))?;
    }
    writer.close()
}
