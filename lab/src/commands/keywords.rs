//! `retold-lab keywords`: the words that stand for each page.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use retold::method::{Keyword, Text};
use retold::{Error, JudgeConfig, Model, Page, Result};
use retold_cli::shared::{
    METHOD, PRESET, ReadArgs, Setting, TextArgs, chosen_method, each_page_by_id,
    say::{cannot_write, json, printable},
};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

/// Prints the keywords of each page, with scores and positions
///
/// Positions count words from 0, stop words included. Records that could not be read are listed on standard error.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold-lab keywords page.html
  retold-lab keywords crawl.warc.gz > keywords.jsonl
  retold-lab keywords pages.jsonl --param keywords=20")]
pub struct Args {
    /// Files and folders to read; `-` for JSONL on standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// The method that finds the keywords: agglomerate, concept or keyworld
    #[arg(long, value_name = "NAME", value_parser = METHOD, hide_possible_values = true, default_value = "agglomerate", help_heading = "Method")]
    method: String,
    /// Named settings, instead of --method; --param-file and --param override
    #[arg(long, value_name = "NAME", value_parser = PRESET, hide_possible_values = true, conflicts_with = "method", help_heading = "Method")]
    preset: Option<String>,
    /// Set a parameter of the method, as in --param keywords=20; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = Setting, hide_possible_values = true, help_heading = "Method")]
    param: Vec<(String, String)>,
    /// Read parameters from FILE (TOML, one table per method); --param overrides
    #[arg(
        long,
        alias = "params",
        value_name = "FILE",
        help_heading = "Method",
        hide_short_help = true
    )]
    param_file: Option<PathBuf>,
    #[command(flatten)]
    text: TextArgs,
    /// Output format [default: a table for one page, else JSONL]
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// One JSON object per line: id, words, keywords (word, score, positions)
    Jsonl,
}

/// A page and its words.
#[derive(Serialize)]
struct PageKeywords {
    id: String,
    words: usize,
    keywords: Vec<Keyword>,
}

/// Writes the words.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (method, params) = chosen_method(
        &args.method,
        args.preset.as_deref(),
        None,
        args.param_file.as_deref(),
        &args.param,
    )?;
    let mut config = JudgeConfig {
        read: args.read.options(),
        method,
        params,
        ..JudgeConfig::default()
    };
    args.text.set(&mut config)?;
    let model = Model::new(config)?;
    if model.keywords(&Text::default()).is_none() {
        return Err(Error::usage(format!(
            "method {} does not find keywords; --method agglomerate, concept and keyworld do",
            model.method().name
        )));
    }
    let mut out = Out::new(args.format);
    let make = |page: Page| {
        let text = model.text(&page).map_err(|e| e.to_string())?;
        let keywords = model.keywords(&text).unwrap_or_default();
        Ok((text.words().len(), keywords))
    };
    let read = &model.config().read;
    let code = each_page_by_id(&args.inputs, read, make, |id, (words, keywords)| {
        let id = id.to_owned();
        out.add(PageKeywords {
            id,
            words,
            keywords,
        })
        .map_err(cannot_write)
    })?;
    out.finish().map_err(cannot_write)?;
    Ok(code)
}

/// Writes lines; holds the first back until it is known whether it is the only one.
struct Out {
    out: BufWriter<io::StdoutLock<'static>>,
    format: Option<Format>,
    first: Option<PageKeywords>,
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

    fn add(&mut self, line: PageKeywords) -> io::Result<()> {
        self.pages += 1;
        match (self.format, self.pages) {
            (None, 1) => {
                self.first = Some(line);
                return Ok(());
            }
            (Some(Format::Table), _) => return self.out.write_all(table(&line).as_bytes()),
            _ => {}
        }
        if let Some(first) = self.first.take() {
            self.json(&first)?;
        }
        self.json(&line)
    }

    fn json(&mut self, line: &PageKeywords) -> io::Result<()> {
        json(&mut self.out, line)?;
        writeln!(self.out)
    }

    fn finish(mut self) -> io::Result<()> {
        if let Some(first) = self.first.take() {
            self.out.write_all(table(&first).as_bytes())?;
        }
        self.out.flush()
    }
}

/// Positions that a line of the table shows.
const SHOWN: usize = 12;

fn table(line: &PageKeywords) -> String {
    let widths = line.keywords.iter().map(|keyword| keyword.word.width());
    let width = widths.max().unwrap_or(0).max(4);
    let mut table = format!("# {} ({} words)\n", printable(&line.id), line.words);
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
            printable(&keyword.word),
            keyword.score,
            keyword.positions.len(),
            places.join(" ")
        ));
    }
    table.push('\n');
    table
}
