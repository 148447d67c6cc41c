//! Writes an HTML page with data, with at most one chunk in memory.

use std::io::{self, Write};

use askama::Template;
use serde::Serialize;

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

pub(crate) struct ReportKind {
    /// Files next to it that have the complete data.
    files: &'static str,
    /// Its code, wrapped in a function so that it has no globals.
    code: &'static str,
}

/// The report of a deduplication run, or of one pair.
pub(crate) const COPIES: ReportKind = ReportKind {
    files: "summary.json, clusters.jsonl and pairs.jsonl",
    code: concat!(
        "(() => {\n\"use strict\";\n",
        include_str!("../../templates/js/chinese.js"),
        include_str!("../../templates/js/language.js"),
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

/// The report of passages that pages have in common.
pub(crate) const PASSAGES: ReportKind = ReportKind {
    files: "summary.json, passages.jsonl and pairs.jsonl",
    code: concat!(
        "(() => {\n\"use strict\";\n",
        include_str!("../../templates/js/chinese.js"),
        include_str!("../../templates/js/language.js"),
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
    json: Vec<u8>,
}

impl<W: Write> DataPage<W> {
    /// Writes the head. Only scripts with the `nonce` run in the page. The nonce should differ from page to page, so that no page text can
    /// guess it, and must not contain quotes.
    pub(crate) fn begin(
        mut out: W,
        title: &str,
        nonce: u128,
        kind: &ReportKind,
    ) -> io::Result<Self> {
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

    /// Writes a chunk of data and returns its length. Its id in the page is `<kind>-<number>`.
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
        // In JSON, `<` occurs only in strings. It is written as `\u003c` so that no page text can end the element or begin a comment.
        for (number, part) in self.json.split(|&byte| byte == b'<').enumerate() {
            if number > 0 {
                self.out.write_all(b"\\u003c")?;
            }
            self.out.write_all(part)?;
        }
        self.out.write_all(b"</script>")?;
        Ok(self.json.len() as u64)
    }

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
