//! The stored form of texts: the visible text and what is needed to rebuild the folded text.

use serde::{Deserialize, Serialize};

use super::derived::Derived;
use super::extract::Extraction;
use super::folding::fold_blocks;
use super::meta::PageMeta;
use super::options::TextOptions;
use super::page_text::Text;
use crate::error::{Error, Result};

/// The version of the stored form.
const VERSION: u32 = 1;

/// The first line, before the visible text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    version: u32,
    /// Lengths of runs of blocks, alternately seen and not seen; empty if methods see all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    main: Vec<usize>,
    #[serde(default)]
    extraction: Extraction,
    #[serde(default)]
    link_chars: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lang: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    charset: Option<String>,
    #[serde(default)]
    garbled: bool,
}

impl Text {
    /// The stable byte form: a line of JSON with a version, then the visible text. The folded text is left out, since it follows from these
    /// and from the text options.
    pub fn to_bytes(&self) -> Vec<u8> {
        let PageMeta {
            title,
            description,
            canonical,
            lang,
            date,
            charset,
            garbled,
        } = self.meta.clone();
        let head = Head {
            version: VERSION,
            main: runs(&self.main),
            extraction: self.extraction,
            link_chars: self.link_chars,
            title,
            description,
            canonical,
            lang,
            date,
            charset: charset.map(str::to_owned),
            garbled,
        };
        let mut bytes = serde_json::to_vec(&head).expect("plain values can be written");
        bytes.push(b'\n');
        bytes.extend(self.visible.as_bytes());
        bytes
    }

    /// Reads the byte form; `options` must be those with which the text was made.
    ///
    /// Errors: malformed bytes, or another version.
    pub fn from_bytes(bytes: &[u8], options: &TextOptions) -> Result<Text> {
        let wrong = |what: String| Error::Usage(format!("not a stored text: {what}"));
        let cut = memchr::memchr(b'\n', bytes).ok_or_else(|| wrong("no first line".into()))?;
        let head: Head = serde_json::from_slice(&bytes[..cut]).map_err(|e| wrong(e.to_string()))?;
        if head.version != VERSION {
            let message = format!("version {}, this is {VERSION}", head.version);
            return Err(wrong(message));
        }
        let visible = simdutf8::basic::from_utf8(&bytes[cut + 1..])
            .map_err(|_| wrong("invalid UTF-8".into()))?;
        let charset = head.charset.as_deref();
        let known = charset.and_then(|name| encoding_rs::Encoding::for_label(name.as_bytes()));
        Ok(Text {
            extraction: head.extraction,
            link_chars: head.link_chars,
            meta: PageMeta {
                title: head.title,
                description: head.description,
                canonical: head.canonical,
                lang: head.lang,
                date: head.date,
                charset: known.map(encoding_rs::Encoding::name),
                garbled: head.garbled,
            },
            derived: Derived::new(options),
            ..fold_blocks(visible.to_owned(), mask(&head.main), options)
        })
    }
}

fn runs(mask: &[bool]) -> Vec<usize> {
    let mut runs = Vec::new();
    let mut seen = true;
    let mut rest = mask;
    while !rest.is_empty() {
        let length = rest.iter().take_while(|&&block| block == seen).count();
        runs.push(length);
        (rest, seen) = (&rest[length..], !seen);
    }
    runs
}

fn mask(runs: &[usize]) -> Vec<bool> {
    let runs = runs.iter().enumerate();
    let blocks = runs.flat_map(|(at, &length)| {
        // Damaged bytes must not fill the memory, so the count is capped above any real number of blocks.
        std::iter::repeat_n(at % 2 == 0, length.min(1 << 24))
    });
    blocks.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::Page;
    use crate::text::{Extract, text_of};

    const PARTS: &[&str] = &[
        "<p>The ferry left late, because of the storm. Passengers waited at the quay until noon.</p>",
        "<ul><li><a href=/>首页</a><li><a href=/n>新聞</a></ul>",
        "<p>渡船今天早上离开港口，乘客们在码头等待消息。船长说明天是最后一班。</p>",
        "<p>&#8203;</p>",
        "<h1>ＷＩＤＥ Ｎews</h1>",
        "<title>A title</title><meta charset=utf-8>",
        "plain\nlines\n",
    ];

    proptest! {
        #[test]
        fn bytes_hold_all_of_a_text(
            parts in proptest::collection::vec(prop::sample::select(PARTS), 0..12),
            html in any::<bool>(),
            sentences in any::<bool>(),
        ) {
            let page = match html {
                true => Page::document("", parts.concat().into_bytes(), crate::page::Markup::Html),
                false => Page::text("", parts.concat()),
            };
            let options = TextOptions { extract: Some(Extract::Main), sentences, ..TextOptions::default() };
            let text = text_of(&page, &options).unwrap();
            prop_assert_eq!(Text::from_bytes(&text.to_bytes(), &options).unwrap(), text);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Text::from_bytes(&bytes, &TextOptions::default());
        }
    }

    /// Stored texts are kept on disks: changing these bytes needs a new version.
    #[test]
    fn the_bytes_of_version_1() {
        let options = TextOptions::default();
        let text = text_of(&Page::html("", "<title>T</title><p>One.<p>Two."), &options).unwrap();
        let expected = "{\"version\":1,\"extraction\":\"whole\",\"link_chars\":0,\"title\":\"T\",\"garbled\":false}\nOne.\nTwo.";
        assert_eq!(String::from_utf8(text.to_bytes()).unwrap(), expected);
    }
}
