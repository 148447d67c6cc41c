//! `retold text`: pages as the methods see them.

use std::collections::HashSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use retold::method::Text;
use retold::read::Extract;
use retold::{Error, JudgeConfig, Model, Page, Result};
use serde::Serialize;

use crate::input::{ReadArgs, each_page_by_id, sources};
use crate::model_args::chosen_method;
use crate::say::{cannot_write, json, printable};
use crate::text_args::Part;
use crate::values::{PRESET, Setting};

/// Prints the text of pages, as the methods see it
///
/// With --extract main (the default) this is the main text of HTML pages, or all text if none is found.
/// Records that could not be read are listed on standard error.
///
/// With --topic it is the topic text of the patent behind `period` (CN102945244): the sentences that end in a full stop and whose
/// features do not belong to a template of the collection (by IDF, or on the page's site). Inputs are read twice.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold text page.html --format text
  retold text crawl.warc.gz --extract none > texts.jsonl
  retold text pages/ | retold dedup - -o out
  retold text crawl/ --topic > topics.jsonl")]
pub struct Args {
    /// Files and folders to read; `-` for JSONL on standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// Which text of HTML pages is shown
    #[arg(long, value_enum, default_value_t = Part::Main)]
    extract: Part,
    /// Print only the sentences that do not belong to a template of the collection
    #[arg(long, conflicts_with = "extract")]
    topic: bool,
    /// With --topic: set a parameter of `period` or of its noise filter, as in --param noise=site; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = Setting, hide_possible_values = true, requires = "topic")]
    param: Vec<(String, String)>,
    /// With --topic: the settings of a preset of `period`, as in --preset patent; --param overrides
    #[arg(long, value_name = "NAME", value_parser = PRESET, hide_possible_values = true, requires = "topic")]
    preset: Option<String>,
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
    let model = match args.topic {
        true => topic_model(args)?,
        false => Model::new(JudgeConfig {
            read: args.read.options(),
            extract: Some(args.extract.extract()),
            ..JudgeConfig::default()
        })?,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let make = |page: Page| {
        let text = model.text(&page).map_err(|e| e.to_string())?;
        let shown = match args.topic {
            true => topic(&model, &text, page.site().as_deref()),
            false => text.shown().collect::<Vec<_>>().join("\n"),
        };
        // Told here, on all threads, as it takes longer than all else.
        let lang = match args.format {
            Format::Text => None,
            Format::Jsonl => text.language(),
        };
        Ok((page, text.meta, lang, shown))
    };
    let read = &model.config().read;
    let code = each_page_by_id(&args.inputs, read, make, |id, (page, meta, lang, shown)| {
        let written = match args.format {
            Format::Text => writeln!(out, "# {}\n{}\n", printable(id), printable(&shown)),
            Format::Jsonl => {
                let line = TextLine {
                    id,
                    title: meta.title.as_deref(),
                    lang,
                    charset: meta.charset,
                    date: page.date.as_deref().or(meta.date.as_deref()),
                    url: page.url.as_deref().or(meta.canonical.as_deref()),
                    text: &shown,
                };
                json(&mut out, &line).and_then(|()| writeln!(out))
            }
        };
        written.map_err(cannot_write)
    })?;
    out.flush().map_err(cannot_write)?;
    Ok(code)
}

/// A model that knows which full-stop features are the template's in the inputs.
fn topic_model(args: &Args) -> Result<Model> {
    let (method, mut params) =
        chosen_method("period", args.preset.as_deref(), None, None, &args.param)?;
    if method != "period" {
        return Err(Error::usage(format!(
            "--topic uses the method `period`; that preset is for `{method}`"
        )));
    }
    params
        .entry("noise".into())
        .or_insert_with(|| "idf+site".into());
    // Nothing is folded, so that the sentences are shown as they are written.
    let model = Model::new(JudgeConfig {
        read: args.read.options(),
        fold: Vec::new(),
        extract: Some(Extract::None),
        method,
        params,
        ..JudgeConfig::default()
    })?;
    if args.inputs.iter().any(|input| input == Path::new("-")) {
        return Err(Error::usage(
            "--topic reads its inputs twice; write standard input to a file first",
        ));
    }
    let (sources, _spool) = sources(&args.inputs, &model.config().read)?;
    model.learn_from(&sources, &())
}

/// The sentences of a text whose features the template filter leaves, one a line.
fn topic(model: &Model, text: &Text, site: Option<&str>) -> String {
    let is_left = |key: u64| {
        let known = model.knowledge();
        known.is_none_or(|known| !known.deletes(key, site))
    };
    let spots = model.highlights(text);
    let ends: HashSet<u32> = spots
        .iter()
        .filter(|spot| is_left(spot.key))
        .map(|spot| spot.end)
        .collect();
    let sentences = text
        .sentences
        .iter()
        .filter(|sentence| ends.contains(&sentence.end));
    // The full stop is after the sentence.
    let shown = sentences.map(|sentence| {
        let end = sentence.end as usize;
        let stop = text.folded[end..].chars().next().map_or(0, char::len_utf8);
        text.folded[sentence.start as usize..end + stop].trim()
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// A page in JSONL.
#[derive(Serialize)]
struct TextLine<'a> {
    id: &'a str,
    title: Option<&'a str>,
    lang: Option<&'a str>,
    charset: Option<&'a str>,
    date: Option<&'a str>,
    url: Option<&'a str>,
    text: &'a str,
}
