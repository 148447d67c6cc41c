//! `retold-lab network`: the concept network of a page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use retold::method::{Concept, Text};
use retold::read::{each_page, page_ids};
use retold::{Error, JudgeConfig, Model, Page, Result, Stage};
use retold_cli::shared::{METHOD, PRESET, Part, ReadArgs, Setting, chosen_method, say, sources};
use retold_report::network::{dot, graphml, svg};

/// Draws the concept network of a page
///
/// Nodes are concepts. Edges connect concepts that are at most two apart in the text (with --param across=sentence, in a sentence).
/// Only the largest connected component is shown. Key concepts (those whose removal lengthens the paths between the others most)
/// are marked.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold-lab network page.html -o page.svg
  retold-lab network page.html --format json
  retold-lab network pages.jsonl --id 17 -o 17.graphml
  retold-lab network page.txt --method keyworld --format dot")]
pub struct Args {
    /// The page: a file with one page, or with --id any input
    #[arg(value_name = "PAGE")]
    page: PathBuf,
    /// The id of the page, if the input has several
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it already exists
    #[arg(long)]
    force: bool,
    /// Output format [default: from the extension of FILE, else svg]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The method whose network is drawn: concept or keyworld
    #[arg(long, value_name = "NAME", value_parser = METHOD, hide_possible_values = true, default_value = "concept", help_heading = "Method")]
    method: String,
    /// Named settings, instead of --method; --param-file and --param override
    #[arg(long, value_name = "NAME", value_parser = PRESET, hide_possible_values = true, conflicts_with = "method", help_heading = "Method")]
    preset: Option<String>,
    /// Set a parameter of the method, as in --param merge=1; may be repeated
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
    /// Which text of an HTML page is used [default: depends on the method]
    #[arg(long, value_enum, help_heading = "Method")]
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
    /// Nodes with contribution (CB) and degree, edges, clustering, mean distance, degree distribution
    Json,
}

/// Writes the network.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (method, params) = chosen_method(
        &args.method,
        args.preset.as_deref(),
        None,
        args.param_file.as_deref(),
        &args.param,
    )?;
    let model = Model::new(JudgeConfig {
        read: args.read.options(),
        method,
        params,
        extract: args.extract.map(Part::extract),
        ..JudgeConfig::default()
    })?;
    let Some(concept) = Concept::named(model.method().name, model.params()) else {
        return Err(Error::usage(format!(
            "method {} makes no network; concept and keyworld do",
            model.method().name
        )));
    };
    let format = args.format()?;
    let network = concept.network(&args.text(&model)?);
    let written = match format {
        Format::Svg => svg(&network),
        Format::Graphml => graphml(&network),
        Format::Dot => dot(&network),
        Format::Json => serde_json::json!(network).to_string() + "\n",
    };
    match &args.output {
        Some(path) => say::file(path, &written, args.force)?,
        None => say::out(|to| to.write_all(written.as_bytes()))?,
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
                        "no format has the ending .{ending}; name one with --format: svg, graphml, dot, json"
                    ))
                })
            }
        }
    }

    /// The text of the one page.
    fn text(&self, model: &Model) -> Result<Text> {
        let read = &model.config().read;
        let (sources, _spool) = sources(std::slice::from_ref(&self.page), read)?;
        let ids = page_ids(&sources, read, &())?;
        let wanted = match &self.id {
            Some(id) => ids.iter().position(|page| *page.id == **id),
            None if ids.len() > 1 => {
                return Err(Error::usage(format!(
                    "{} has several pages; name one with --id",
                    self.page.display()
                )));
            }
            None => Some(0),
        };
        let mut found = None;
        let mut at = 0;
        let decodes = |page: Page| retold::internal::decodes(&page).map(|()| page);
        each_page(
            &sources,
            read,
            &(),
            Stage::Read.name(),
            decodes,
            |source, number, page| {
                let page = match page {
                    Ok(page) => page,
                    Err(_) if self.id.is_some() => return Ok(()),
                    Err(reason) => {
                        return Err(Error::usage(format!(
                            "{}, record {number}: {reason}",
                            source.name
                        )));
                    }
                };
                if wanted == Some(at) {
                    found = Some(page);
                }
                at += 1;
                Ok(())
            },
        )?;
        let page = found.ok_or_else(|| {
            let page = self.page.display();
            Error::usage(match &self.id {
                Some(id) => format!("{page} has no page with the id {id}"),
                None => format!("no page could be read from {page}"),
            })
        })?;
        model.text(&page)
    }
}
