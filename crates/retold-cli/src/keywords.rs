//! `retold keywords`: the words that stand for each page.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use retold::method::{self, Keyword, Method};
use retold::pipeline;
use retold::read::Outcome;
use retold::text::{Text, TextOptions, Words, text_of};
use retold::{Error, Result};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::dedup::{method_settings, setting};
use crate::input::{ReadArgs, sources};
use crate::text::Ids;
use crate::text_args::TextArgs;

/// Prints the words that stand for each page, with their scores and positions
///
/// Positions count words from 0, stop-words included. What could not be read is named on standard error.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold keywords page.html
  retold keywords crawl.warc.gz > keywords.jsonl
  retold keywords pages.jsonl --param keywords=20")]
pub struct Args {
    /// Files and folders to read; `-` for JSONL on standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// The method that finds the words
    #[arg(long, value_name = "NAME", default_value = "agglomerate")]
    method: String,
    /// Set a parameter of the method, as in --param keywords=20; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    param: Vec<(String, String)>,
    /// Take parameters from FILE: TOML with a table for each method; --param wins
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    #[command(flatten)]
    text: TextArgs,
    /// How it is written; unless named, a table if there is one page, else JSONL
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// A JSON object a line: id, keywords (word, score, positions)
    Jsonl,
}

/// A page and its words.
#[derive(Serialize)]
struct Line {
    id: String,
    words: usize,
    keywords: Vec<Keyword>,
}

/// Writes the words.
pub fn run(args: &Args) -> Result<ExitCode> {
    let info = method::find(&args.method)?;
    let settings = method_settings(&args.method, args.params.as_deref(), &args.param)?;
    let mut method = (info.build)(&info.resolve(&settings)?);
    if method.keywords(&Text::default()).is_none() {
        return Err(Error::usage(format!(
            "method {} does not look for keywords; --method agglomerate, concept and keyworld do",
            info.name
        )));
    }
    let options = args.text.options()?;
    let extract = options.extract.unwrap_or(info.extract);
    extract.check()?;
    let options = TextOptions {
        extract: Some(extract),
        ..options
    };
    let read = args.read.options();
    let (sources, _spool) = sources(&args.inputs, &read)?;
    if info.fits {
        pipeline::fit(&mut *method, &sources, &read, &options, &())?;
    }
    let mut out = Out::new(args.format);
    let (mut ids, mut rejected) = (Ids::default(), false);
    for source in &sources {
        for record in source.records(&read) {
            let number = record.number;
            let text = match record.parse(source, &read) {
                Outcome::Skipped(_) => continue,
                Outcome::Rejected(reason) => Err(reason),
                Outcome::Page(page) => text_of(&page, &options).map(|text| (page, text)),
            };
            match text {
                Ok((page, text)) => out.add(line(ids.unique(&page.id), &*method, &text), &text),
                Err(reason) => {
                    rejected = true;
                    eprintln!("retold: {}, record {number}: {reason}", source.name);
                    Ok(())
                }
            }
            .map_err(Error::io("cannot write to", Path::new("standard output")))?;
        }
    }
    let pages = out
        .finish()
        .map_err(Error::io("cannot write to", Path::new("standard output")))?;
    if pages == 0 {
        return Err(Error::usage("no page could be read"));
    }
    Ok(ExitCode::from(u8::from(rejected)))
}

fn line(id: String, method: &dyn Method, text: &Text) -> Line {
    Line {
        id,
        words: text.words().len(),
        keywords: method.keywords(text).unwrap_or_default(),
    }
}

/// Writes lines; holds the first back until it is known whether it is the only one.
struct Out {
    out: BufWriter<io::StdoutLock<'static>>,
    format: Option<Format>,
    first: Option<(Line, String)>,
    pages: u64,
}

impl Out {
    fn new(format: Option<Format>) -> Out {
        Out {
            out: BufWriter::new(io::stdout().lock()),
            format,
            first: None,
            pages: 0,
        }
    }

    fn add(&mut self, line: Line, text: &Text) -> io::Result<()> {
        self.pages += 1;
        match (self.format, self.pages) {
            (None, 1) => {
                let table = table(&line, text.words());
                self.first = Some((line, table));
                return Ok(());
            }
            (Some(Format::Table), _) => {
                return self.out.write_all(table(&line, text.words()).as_bytes());
            }
            _ => {}
        }
        if let Some((first, _)) = self.first.take() {
            self.json(&first)?;
        }
        self.json(&line)
    }

    fn json(&mut self, line: &Line) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        writeln!(self.out)
    }

    /// The number of pages.
    fn finish(mut self) -> io::Result<u64> {
        if let Some((_, table)) = self.first.take() {
            self.out.write_all(table.as_bytes())?;
        }
        self.out.flush()?;
        Ok(self.pages)
    }
}

/// Positions that a line of the table shows.
const SHOWN: usize = 12;

fn table(line: &Line, words: Words<'_>) -> String {
    let widths = line.keywords.iter().map(|keyword| keyword.word.width());
    let width = widths.max().unwrap_or(0).max(4);
    let mut table = format!("# {} ({} words)\n", line.id, words.len());
    table.push_str(&format!(
        "word{}     score  times  positions\n",
        " ".repeat(width - 4)
    ));
    for keyword in &line.keywords {
        let pad = " ".repeat(width - keyword.word.width());
        let places = keyword.positions.iter().take(SHOWN).map(u32::to_string);
        let places: Vec<String> = places.collect();
        let more = if keyword.positions.len() > SHOWN {
            " …"
        } else {
            ""
        };
        table.push_str(&format!(
            "{}{pad}  {:8.4}  {:5}  {}{more}\n",
            keyword.word,
            keyword.score,
            keyword.positions.len(),
            places.join(" ")
        ));
    }
    table.push('\n');
    table
}
