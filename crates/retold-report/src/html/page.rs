//! Writes a page with data in it, with at most one chunk in memory.

use std::io::{self, Write};

use askama::Template;
use serde::Serialize;

/// The part before the data.
#[derive(Template)]
#[template(path = "report_head.html")]
struct Head<'a> {
    title: &'a str,
    nonce: &'a str,
    style: &'static str,
    files: &'static str,
}

/// The part after the data: the code that shows it.
#[derive(Template)]
#[template(path = "report_tail.html")]
struct Tail<'a> {
    nonce: &'a str,
    code: &'static str,
}

/// A kind of page.
pub(crate) struct Kind {
    /// Files beside it that have what it shows.
    files: &'static str,
    /// Its code: one function around it all, so that nothing of it is global.
    code: &'static str,
}

/// The copies of a run, or the story of one pair.
pub(crate) const COPIES: Kind = Kind {
    files: "summary.json, clusters.jsonl and pairs.jsonl",
    code: concat!(
        "(() => {\n\"use strict\";\n",
        include_str!("../../templates/js/chunks.js"),
        include_str!("../../templates/js/data.js"),
        include_str!("../../templates/js/dom.js"),
        include_str!("../../templates/js/charts.js"),
        include_str!("../../templates/js/page.js"),
        include_str!("../../templates/js/drops.js"),
        include_str!("../../templates/js/overview.js"),
        include_str!("../../templates/js/clusters.js"),
        include_str!("../../templates/js/cluster.js"),
        include_str!("../../templates/js/pair.js"),
        include_str!("../../templates/js/main.js"),
        "})();\n"
    ),
};

/// Passages that pages have in common.
pub(crate) const PASSAGES: Kind = Kind {
    files: "summary.json, passages.jsonl and pairs.jsonl",
    code: concat!(
        "(() => {\n\"use strict\";\n",
        include_str!("../../templates/js/chunks.js"),
        include_str!("../../templates/js/dom.js"),
        include_str!("../../templates/js/charts.js"),
        include_str!("../../templates/js/page.js"),
        include_str!("../../templates/js/passages/data.js"),
        include_str!("../../templates/js/passages/overview.js"),
        include_str!("../../templates/js/passages/passage.js"),
        include_str!("../../templates/js/passages/texts.js"),
        include_str!("../../templates/js/passages/main.js"),
        "})();\n"
    ),
};

const STYLE: &str = concat!(
    include_str!("../../templates/report.css"),
    include_str!("../../templates/report_views.css"),
    include_str!("../../templates/report_passages.css")
);

/// A page being written: a head, chunks of JSON, and the code.
pub(crate) struct DataPage<W: Write> {
    out: W,
    nonce: String,
    code: &'static str,
    /// The chunk that is being written.
    json: Vec<u8>,
}

impl<W: Write> DataPage<W> {
    /// Writes the head. Only scripts with the `nonce` run in the page. It should differ from page to page, so that
    /// no text can be prepared for it, and must not have quotes.
    pub(crate) fn begin(mut out: W, title: &str, nonce: u128, kind: &Kind) -> io::Result<Self> {
        let nonce = format!("{nonce:032x}");
        let style = STYLE;
        let head = Head {
            title,
            nonce: &nonce,
            style,
            files: kind.files,
        };
        head.write_into(&mut out).map_err(io::Error::other)?;
        Ok(DataPage {
            out,
            nonce,
            code: kind.code,
            json: Vec::new(),
        })
    }

    /// Writes a chunk of data and returns its length. The code finds it as `<kind>-<number>`.
    pub(crate) fn chunk(
        &mut self,
        kind: &str,
        number: usize,
        data: &impl Serialize,
    ) -> io::Result<u64> {
        write!(
            self.out,
            "\n<script type=\"application/json\" id=\"{kind}-{number}\">"
        )?;
        self.json.clear();
        serde_json::to_writer(&mut self.json, data)?;
        // `<`, which JSON has in strings only, is written as `\u003c`, so that nothing in a page's text can end the element or
        // begin a comment.
        for (number, part) in self.json.split(|&byte| byte == b'<').enumerate() {
            if number > 0 {
                self.out.write_all(b"\\u003c")?;
            }
            self.out.write_all(part)?;
        }
        self.out.write_all(b"</script>")?;
        Ok(self.json.len() as u64)
    }

    /// Writes the code that shows the data.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let tail = Tail {
            nonce: &self.nonce,
            code: self.code,
        };
        tail.write_into(&mut self.out).map_err(io::Error::other)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_element_it_stands_in() {
        let mut out = Vec::new();
        let mut page = DataPage::begin(&mut out, "<b>&\"title", 7, &COPIES).unwrap();
        let evil = "</script><script>alert(1)</script><!--";
        page.chunk("detail", 3, &[evil]).unwrap();
        page.finish().unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(!page.contains("alert(1)</script"));
        assert!(!page.contains("<b>&"));
        let data = page.split("id=\"detail-3\">").nth(1).unwrap();
        let data = data.split("</script>").next().unwrap();
        assert!(!data.contains('<'));
        assert_eq!(serde_json::from_str::<Vec<String>>(data).unwrap(), [evil]);
    }
}
