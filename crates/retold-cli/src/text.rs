//! `retold text`: pages as the methods see them.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use retold::text::Text;
use retold::{Config, Error, Model, Page, Result};
use serde::Serialize;

use crate::input::{ReadArgs, each_page_by_id};
use crate::say::printable;
use crate::text_args::Part;

/// Prints the text of pages, as the methods see it
///
/// With --extract main (the default) this is the main text of HTML pages, or all text if none is found.
/// Records that could not be read are listed on standard error.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold text page.html --format text
  retold text crawl.warc.gz --extract none > texts.jsonl
  retold text pages/ | retold dedup - -o out")]
pub struct Args {
    /// Files and folders to read; `-` for JSONL on standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// Which text of HTML pages is shown
    #[arg(long, value_enum, default_value_t = Part::Main)]
    extract: Part,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A heading with the id, then the text; a blank line between pages
    Text,
    /// One JSON object per line: id, title, lang, charset, date, url, text
    Jsonl,
}

/// Writes the texts.
pub fn run(args: &Args) -> Result<ExitCode> {
    let model = Model::new(Config {
        read: args.read.options(),
        extract: Some(args.extract.extract()),
        ..Config::default()
    })?;
    let mut out = BufWriter::new(io::stdout().lock());
    let make = |page: Page| model.text(&page).map(|text| (page, text));
    let read = &model.config().read;
    let code = each_page_by_id(&args.inputs, read, make, |id, (page, text)| {
        write(&mut out, args.format, id, &page, &text).map_err(cannot_write)
    })?;
    out.flush().map_err(cannot_write)?;
    Ok(code)
}

/// The error of a write to standard output.
pub fn cannot_write(error: io::Error) -> Error {
    Error::io("cannot write to", Path::new("standard output"))(error)
}

/// A page in JSONL.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    title: Option<&'a str>,
    lang: Option<&'a str>,
    charset: Option<&'a str>,
    date: Option<&'a str>,
    url: Option<&'a str>,
    text: &'a str,
}

fn write(
    out: &mut impl Write,
    format: Format,
    id: &str,
    page: &Page,
    text: &Text,
) -> io::Result<()> {
    let shown = text.shown().collect::<Vec<_>>().join("\n");
    match format {
        Format::Text => writeln!(out, "# {}\n{}\n", printable(id), printable(&shown)),
        Format::Jsonl => {
            let line = Line {
                id,
                title: text.meta.title.as_deref(),
                lang: text.language(),
                charset: text.meta.charset,
                date: page.date.as_deref().or(text.meta.date.as_deref()),
                url: page.url.as_deref().or(text.meta.canonical.as_deref()),
                text: &shown,
            };
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)
        }
    }
}
