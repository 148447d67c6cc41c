//! EPUB: a book is one page, with its chapters one after the other.

use std::collections::HashMap;
use std::io::{Cursor, Read, sink};

use bytes::Bytes;
use rbook::Epub;
use zip::ZipArchive;

use super::document::one_record;
use super::format::{Format, OpenFile, Records};
use super::frame::too_large;
use super::options::ReadOptions;
use super::record::{Outcome, Unparsed};
use super::source::Source;
use crate::page::{Content, Markup, Page};
use crate::text::charset::decode;

#[derive(Debug)]
pub(crate) struct Book;

impl Format for Book {
    fn records(&self, file: OpenFile, source: &Source, options: &ReadOptions) -> Records {
        one_record(file, source, options, |bytes| Box::new(BookFile(bytes)))
    }
}

#[derive(Debug)]
struct BookFile(Bytes);

impl Unparsed for BookFile {
    fn parse(self: Box<Self>, _: u64, source: &Source, options: &ReadOptions) -> Outcome {
        match page(self.0, source, options.max_record_size) {
            Ok(page) => Outcome::Page(page),
            Err(reason) => Outcome::Rejected(reason),
        }
    }

    fn shared(&mut self) -> Option<&mut Bytes> {
        Some(&mut self.0)
    }
}

fn page(bytes: Bytes, source: &Source, limit: u64) -> Result<Page, String> {
    let damaged = |error: &dyn std::fmt::Display| format!("damaged EPUB: {error}");
    if unpacked(&bytes, limit).map_err(|error| damaged(&error))? > limit {
        return Err(format!(
            "the book's files are together {}",
            too_large(limit)
        ));
    }
    let book = Epub::options()
        .skip_toc(true)
        .read(Cursor::new(bytes.clone()));
    let book = book.map_err(|error| damaged(&error))?;
    let mut files = Files::open(bytes, limit).map_err(|error| damaged(&error))?;
    let (mut text, mut failure) = (String::new(), None);
    for entry in book.spine().iter() {
        let chapter = match entry.manifest_entry() {
            Some(chapter) => files.read(chapter.href().as_str()),
            None => Err(format!("the chapter {} is in no list", entry.idref())),
        };
        // A chapter that cannot be read costs itself, not the book.
        match chapter {
            Ok(chapter) => text.push_str(&chapter),
            Err(reason) => failure = failure.or(Some(reason)),
        }
        // The reading order may name one chapter many times.
        if text.len() as u64 > limit {
            return Err(format!(
                "the book's chapters are together {}",
                too_large(limit)
            ));
        }
    }
    if let Some(reason) = failure.filter(|_| text.is_empty()) {
        return Err(damaged(&reason));
    }
    let about = book.metadata();
    let dates = [about.published_entry(), about.modified_entry()];
    let date = dates.into_iter().flatten().next();
    let content = Content::Unicode {
        text,
        markup: Markup::Html,
    };
    Ok(Page {
        url: None,
        site: source.site.clone(),
        date: date.map(|date| date.value().to_owned()),
        title: about.title().map(|title| title.value().to_owned()),
        ..Page::new(source.name.clone(), content)
    })
}

/// The files of a book by name.
struct Files {
    archive: ZipArchive<Cursor<Bytes>>,
    /// Names in lower case -> places, made when a name is not found as it is written.
    places: HashMap<String, usize>,
    /// The most bytes of a chapter that are read, and one.
    limit: u64,
}

impl Files {
    fn open(bytes: Bytes, limit: u64) -> zip::result::ZipResult<Files> {
        Ok(Files {
            archive: ZipArchive::new(Cursor::new(bytes))?,
            places: HashMap::new(),
            limit: limit.saturating_add(1),
        })
    }

    /// The text of a chapter at this address in the archive, which may have a fragment, and its file another case or charset.
    fn read(&mut self, address: &str) -> Result<String, String> {
        let path = address.split('#').next().unwrap_or_default();
        let path = percent_encoding::percent_decode_str(path.trim_start_matches('/'));
        let path = path.decode_utf8_lossy();
        let place = self.archive.index_for_name(&path);
        let place = place.or_else(|| self.place_of(&path.to_lowercase()));
        let place = place.ok_or_else(|| format!("there is no {path}"))?;
        let file = self.archive.by_index(place);
        let mut content = Vec::new();
        file.map_err(|error| error.to_string())?
            .take(self.limit)
            .read_to_end(&mut content)
            .map_err(|error| error.to_string())?;
        Ok(decode(&content, None)?.text.into_owned())
    }

    fn place_of(&mut self, name: &str) -> Option<usize> {
        if self.places.is_empty() {
            let names = self.archive.file_names().zip(0..);
            let names = names.filter_map(|(name, place)| Some((name.ok()?.to_lowercase(), place)));
            self.places = names.collect();
        }
        self.places.get(name).copied()
    }
}

/// The uncompressed size of an archive, cut off slightly above the limit: the sizes in its directory may be wrong.
fn unpacked(bytes: &[u8], limit: u64) -> zip::result::ZipResult<u64> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut size = 0;
    for number in 0..archive.len() {
        let left = (limit + 1).saturating_sub(size);
        let file = archive.by_index(number)?;
        let name = file.name()?.to_ascii_lowercase();
        if ["html", "htm", "xml", "opf"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            size += std::io::copy(&mut file.take(left), &mut sink())?;
        }
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::super::tests::{Folder, briefs, outcomes};
    use super::*;

    /// A book whose spine lists the chapters in reverse.
    fn book(chapters: &[&str]) -> Vec<u8> {
        // The spine gives the reading order.
        let numbers = (0..chapters.len()).rev();
        let spine: String = numbers
            .map(|n| format!(r#"<itemref idref="c{n}"/>"#))
            .collect();
        book_of(chapters, &spine)
    }

    fn book_of(chapters: &[&str], spine: &str) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let plain = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        let packed = SimpleFileOptions::default();
        let mut file = |name: &str, content: &str, options| {
            zip.start_file(name, options).unwrap();
            zip.write_all(content.as_bytes()).unwrap();
        };
        file("mimetype", "application/epub+zip", plain);
        let container = r#"<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"#;
        file("META-INF/container.xml", container, packed);
        let items: String = (0..chapters.len())
            .map(|n| {
                format!(r#"<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>"#)
            })
            .collect();
        let package = format!(
            r#"<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:1</dc:identifier><dc:title>The Ferry</dc:title><dc:language>en</dc:language><dc:date>2012-01-01</dc:date><meta property="dcterms:modified">2020-01-01T00:00:00Z</meta></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"#
        );
        file("OEBPS/content.opf", &package, packed);
        for (number, chapter) in chapters.iter().enumerate() {
            let chapter = format!(
                r#"<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{chapter}</body></html>"#
            );
            file(&format!("OEBPS/c{number}.xhtml"), &chapter, packed);
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn a_book_is_a_page_of_its_chapters() {
        let folder = Folder::new(&[("a.epub", &book(&["<p>two</p>", "<p>one</p>"]))]);
        let options = ReadOptions::default();
        let found = outcomes(&folder.source("a.epub"), &options);
        let [Outcome::Page(page)] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(
            (&*page.id, page.title.as_deref()),
            ("a.epub", Some("The Ferry"))
        );
        assert_eq!(page.date.as_deref(), Some("2012-01-01"));
        let model = crate::Model::new(crate::JudgeConfig::default()).unwrap();
        assert_eq!(model.text(page).unwrap().visible, "one\ntwo");
    }

    /// A book with files of these names, whose spine has the addresses.
    fn odd_book(addresses: &[&str], files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let numbered = || addresses.iter().enumerate();
        let items: String = numbered()
            .map(|(n, href)| {
                format!(r#"<item id="c{n}" href="{href}" media-type="application/xhtml+xml"/>"#)
            })
            .collect();
        let spine: String = numbered()
            .map(|(n, _)| format!(r#"<itemref idref="c{n}"/>"#))
            .collect();
        let package = format!(
            r#"<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:1</dc:identifier><dc:title>Odd</dc:title><dc:language>en</dc:language></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"#
        );
        let container = br#"<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"#;
        let mut file = |name: &str, content: &[u8]| {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(content).unwrap();
        };
        file("META-INF/container.xml", container);
        file("OEBPS/content.opf", package.as_bytes());
        files.iter().for_each(|(name, content)| file(name, content));
        file("mimetype", b"application/epub+zip");
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn odd_chapters_cost_at_most_themselves() {
        let addresses = ["a.xhtml#top", "TEXT/b.xhtml", "c.xhtml", "missing.xhtml"];
        let files: [(&str, &[u8]); 3] = [
            ("OEBPS/a.xhtml", b"<p>one</p>"),
            ("OEBPS/Text/B.xhtml", b"<p>two</p>"),
            (
                "OEBPS/c.xhtml",
                b"<p>caf\xe9 of the three friends, \x93as they say\x94</p>",
            ),
        ];
        let none = odd_book(&["missing.xhtml"], &[]);
        let folder = Folder::new(&[("a.epub", &odd_book(&addresses, &files)), ("b.epub", &none)]);
        let expected = "<p>one</p><p>two</p><p>café of the three friends, “as they say”</p>";
        assert_eq!(
            briefs(&folder.source("a.epub")),
            [format!("a.epub={expected}")]
        );
        assert!(briefs(&folder.source("b.epub"))[0].starts_with("!damaged EPUB"));
    }

    #[test]
    fn what_is_no_book_or_too_large_a_one_is_rejected() {
        let large = "<p>x</p>".repeat(100_000);
        let packed = book(&[&large]);
        assert!(packed.len() < 50_000);
        let folder = Folder::new(&[("a.epub", &packed), ("b.epub", &packed[..200])]);
        let options = ReadOptions {
            max_record_size: 60_000,
            ..ReadOptions::default()
        };
        let found = outcomes(&folder.source("a.epub"), &options);
        assert!(
            matches!(&found[..], [Outcome::Rejected(reason)] if reason.contains("together larger than")),
            "{found:?}"
        );
        let found = briefs(&folder.source("b.epub"));
        assert!(found[0].starts_with("!damaged EPUB"), "{found:?}");
    }

    #[test]
    fn a_chapter_that_is_read_again_and_again_has_an_end() {
        let chapter = "<p>one</p>".repeat(1000);
        let again = "<itemref idref=\"c0\"/>".repeat(1000);
        let folder = Folder::new(&[("a.epub", &book_of(&[&chapter], &again))]);
        let options = ReadOptions {
            max_record_size: 100_000,
            ..ReadOptions::default()
        };
        let found = outcomes(&folder.source("a.epub"), &options);
        assert!(
            matches!(&found[..], [Outcome::Rejected(reason)] if reason.contains("chapters are together")),
            "{found:?}"
        );
    }
}
