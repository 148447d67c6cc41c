//! `retold network`: the concept network of a page.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use retold::method::{self, concept::Concept};
use retold::read::Outcome;
use retold::report::network::{dot, graphml, svg};
use retold::text::{Text, TextOptions, text_of};
use retold::{Error, Result};

use crate::dedup::{method_settings, setting};
use crate::input::{ReadArgs, sources};
use crate::text_args::Part;

/// Draws the network of a page's concepts
///
/// Nodes are concepts, edges join those that stand at most two apart. The key concepts, those without which the paths
/// between the others grow most, are marked.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold network page.html -o page.svg
  retold network page.html --format json
  retold network pages.jsonl --id 17 -o 17.graphml
  retold network page.txt --method keyworld --format dot")]
pub struct Args {
    /// The page: a file with one page, or with --id any input
    #[arg(value_name = "PAGE")]
    page: PathBuf,
    /// The id of the page, if the input has several
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Where it is written; unless named, standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How it is written; unless named, what the ending of FILE says, else svg
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The method whose network it is: concept or keyworld
    #[arg(long, value_name = "NAME", default_value = "concept")]
    method: String,
    /// Set a parameter of the method, as in --param merge=1; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    param: Vec<(String, String)>,
    /// Take parameters from FILE: TOML with a table for each method; --param wins
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// What is looked at of an HTML page; unless named, what the method wants
    #[arg(long, value_enum)]
    extract: Option<Part>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A picture
    Svg,
    /// For Gephi, yEd, Cytoscape and NetworkX
    Graphml,
    /// For Graphviz
    Dot,
    /// Nodes with CB and degree, edges, C, d and the degree distribution
    Json,
}

/// Writes the network.
pub fn run(args: &Args) -> Result<ExitCode> {
    let info = method::find(&args.method)?;
    let settings = method_settings(&args.method, args.params.as_deref(), &args.param)?;
    let Some(concept) = Concept::named(info.name, &info.resolve(&settings)?) else {
        return Err(Error::usage(format!(
            "method {} makes no network; concept and keyworld do",
            info.name
        )));
    };
    let format = args.format()?;
    let extract = args.extract.map_or(info.extract, Part::extract);
    extract.check()?;
    let options = TextOptions {
        extract: Some(extract),
        ..TextOptions::default()
    };
    let network = concept.network(&args.text(&options)?);
    let written = match format {
        Format::Svg => svg(&network),
        Format::Graphml => graphml(&network),
        Format::Dot => dot(&network),
        Format::Json => serde_json::json!(network).to_string() + "\n",
    };
    match &args.output {
        Some(path) => std::fs::write(path, written).map_err(Error::io("cannot write", path))?,
        None => std::io::stdout()
            .write_all(written.as_bytes())
            .map_err(Error::io("cannot write to", Path::new("standard output")))?,
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn format(&self) -> Result<Format> {
        let ending = self.output.as_deref().and_then(Path::extension);
        match (self.format, ending) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(Format::Svg),
            (None, Some(ending)) => {
                let ending = ending.to_string_lossy();
                Format::from_str(&ending, true).map_err(|_| {
                    Error::usage(format!(
                        "no format goes by the ending .{ending}; name one with --format: svg, graphml, dot, json"
                    ))
                })
            }
        }
    }

    /// The text of the one page.
    fn text(&self, options: &TextOptions) -> Result<Text> {
        let read = self.read.options();
        let (sources, _spool) = sources(std::slice::from_ref(&self.page), &read)?;
        let mut found: Option<Text> = None;
        for source in &sources {
            for record in source.records(&read) {
                let number = record.number;
                let failed = |reason: String| {
                    Error::usage(format!("{}, record {number}: {reason}", source.name))
                };
                let page = match record.parse(source, &read) {
                    Outcome::Page(page) => page,
                    Outcome::Skipped(_) => continue,
                    Outcome::Rejected(_) if self.id.is_some() => continue,
                    Outcome::Rejected(reason) => return Err(failed(reason)),
                };
                if self.id.as_ref().is_some_and(|id| *id != page.id) {
                    continue;
                }
                if self.id.is_none() && found.is_some() {
                    return Err(Error::usage(format!(
                        "{} has several pages; name one with --id",
                        self.page.display()
                    )));
                }
                let text = text_of(&page, options).map_err(failed)?;
                if self.id.is_some() {
                    return Ok(text);
                }
                found = Some(text);
            }
        }
        found.ok_or_else(|| {
            let page = self.page.display();
            Error::usage(match &self.id {
                Some(id) => format!("{page} has no page with the id {id}"),
                None => format!("no page could be read from {page}"),
            })
        })
    }
}
