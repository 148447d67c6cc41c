//! `retold explain`: why two pages are related or not.

use std::io::{self, BufWriter, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use retold::explain::{ComparedPage, ExplainInputs, Explanation, Offsets, explain_pair};
use retold::method::{DEFAULT_METHOD, Frequencies, Knowledge};
use retold::read::spelled;
use retold::{Error, JudgeConfig, Model, OwnLimit, Relation, Result};
use retold_report::Finished;

use crate::explain_view::{self, Screen};
use crate::input::ReadArgs;
use crate::model_args::chosen_method;
use crate::progress::Progress;
use crate::values::{METHOD, PRESET, Setting};
use crate::{say, settings};

/// Shows why two pages are related or not related
///
/// A and B are two files, or two page ids. Ids belong to a finished run if its folder OUT comes first, or to the
/// files given by --in. With a finished run, the inputs are read again, and the method, parameters and
/// frozen model of the run are used.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold explain a.html b.html
  retold explain out page1.html page2.html --html why.html
  retold explain --in pages.jsonl --ids 17 23 --json
  retold explain out --settings")]
pub struct Args {
    /// A B: two files; or OUT A B: a finished run and two ids; or OUT with --settings
    #[arg(value_name = "[OUT] A B", num_args = 0..=3)]
    names: Vec<PathBuf>,
    /// Search for --ids in these files and folders
    #[arg(
        long = "in",
        value_name = "INPUT",
        requires = "ids",
        conflicts_with = "names"
    )]
    input: Vec<PathBuf>,
    /// The ids of the two pages in --in
    #[arg(long, value_names = ["A", "B"], num_args = 2, requires = "input")]
    ids: Vec<String>,

    /// Write an HTML page with both texts side by side
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// With OUT alone: say how many pages each setting would drop, and show some that lie between two settings
    #[arg(long, conflicts_with_all = ["html", "json", "full", "input"], help_heading = "Output")]
    settings: bool,
    /// Print all shared features and passages in full
    #[arg(long, help_heading = "Output")]
    full: bool,
    /// When to use colour; auto respects NO_COLOR
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto, help_heading = "Output", hide_short_help = true)]
    color: Colour,
    /// Do not count document frequencies (saves one pass over the inputs)
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    no_df: bool,

    /// How the pages are compared; not with OUT [default: coverage]
    #[arg(long, value_name = "NAME", value_parser = METHOD, hide_possible_values = true, help_heading = "Method")]
    method: Option<String>,
    /// Named settings, instead of --method; --param overrides
    #[arg(long, value_name = "NAME", value_parser = PRESET, hide_possible_values = true, conflicts_with = "method", help_heading = "Method")]
    preset: Option<String>,
    /// Set a parameter of the method; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = Setting, hide_possible_values = true, help_heading = "Method")]
    param: Vec<(String, String)>,
    /// How much of its own a page may say and still be a copy, as in `dedup`; not with OUT
    #[arg(long, value_name = "WORDS[,SHARE%]", help_heading = "Method")]
    own: Option<OwnLimit>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

/// What is explained, and all that is known beside the two pages.
struct Case {
    pages: [ComparedPage; 2],
    model: Model,
    /// Where document frequencies can be counted.
    inputs: Option<ExplainInputs>,
    /// What the run reported: the story says so if the verdict is another.
    expected: Option<Option<(Relation, f64)>>,
    /// A page that the run compared with none, because a newer one of its address was there.
    superseded: Option<String>,
    /// What a run of `retold passages` lists of the two pages.
    passages: Vec<String>,
}

/// Explains the pair in every requested form.
pub fn run(args: &Args) -> Result<ExitCode> {
    let progress = Progress::start(false)?;
    if args.settings {
        return compare_settings(args, &progress);
    }
    let case = case(args, &progress)?;
    let counted = match &case.inputs {
        Some(inputs) if !args.no_df => {
            let keys = story(&case, Offsets::Chars)?.keys();
            Some(inputs.count(&keys, &progress)?)
        }
        _ => None,
    };
    progress.finish();
    let counted_story = |offsets| {
        let mut story = story(&case, offsets)?;
        for feature in &mut story.features {
            feature.df = counted
                .as_ref()
                .and_then(|counts| counts.get(&feature.key).copied());
        }
        Ok::<Explanation, Error>(story)
    };
    if let Some(path) = &args.html {
        write_html(&counted_story(Offsets::Utf16)?, path)?;
    }
    if args.json {
        print_json(&counted_story(Offsets::Chars)?, &case)?;
    } else {
        let screen = Screen::of(args.full, colours(args.color));
        print(&explain_view::render(
            &counted_story(Offsets::Chars)?,
            case.model.method().name,
            &screen,
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn compare_settings(args: &Args, progress: &Progress) -> Result<ExitCode> {
    let [out] = args.names.as_slice() else {
        return Err(Error::usage(
            "--settings: one finished run expected, as in retold explain OUT --settings",
        ));
    };
    let told = settings::compare(&finished(out)?, progress)?;
    progress.finish();
    print(&told)?;
    Ok(ExitCode::SUCCESS)
}

/// Opens a finished run.
fn finished(out: &Path) -> Result<Finished> {
    match Finished::is_at(out) {
        true => Finished::open(out),
        false => Err(Error::usage(format!(
            "{}: not a finished run of retold (there is no summary.json)",
            out.display()
        ))),
    }
}

fn colours(colour: Colour) -> bool {
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        // https://no-color.org: set and not empty.
        Colour::Auto => {
            io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                && std::env::var_os("TERM").is_none_or(|value| value != "dumb")
        }
    }
}

fn case(args: &Args, progress: &Progress) -> Result<Case> {
    if !args.input.is_empty() {
        return in_inputs(args, progress);
    }
    match args.names.as_slice() {
        [a, b] => two_files(args, a, b),
        [out, a, b] => in_run(args, out, [a, b], progress),
        _ => Err(Error::usage(
            "two pages expected: two files, or OUT and two ids, or --in INPUT --ids A B",
        )),
    }
}

/// Two files are a collection by themselves: nothing is common or noise in it.
fn two_files(args: &Args, a: &Path, b: &Path) -> Result<Case> {
    let mut model = model(args)?;
    let page = |path| ExplainInputs::only_page(path, &model);
    let pages = [page(a)?, page(b)?];
    if model.wants_words() {
        let words = pages.each_ref().map(|page| model.words(&page.text));
        model = model.with_knowledge(Knowledge::of_words(Frequencies::of(words)));
    }
    Ok(Case {
        pages,
        model,
        inputs: None,
        expected: None,
        superseded: None,
        passages: Vec::new(),
    })
}

/// Pages that are in no finished run: words are counted over all inputs, but noise is not learnt.
fn in_inputs(args: &Args, progress: &Progress) -> Result<Case> {
    let [a, b] = args.ids.as_slice() else {
        return Err(Error::usage("--ids: two ids expected"));
    };
    let inputs = ExplainInputs::open(&args.input, model(args)?)?.learn_words(progress)?;
    Ok(Case {
        pages: inputs.by_ids([a, b], progress)?,
        model: inputs.model.clone(),
        inputs: Some(inputs),
        expected: None,
        superseded: None,
        passages: Vec::new(),
    })
}

fn in_run(args: &Args, out: &Path, ids: [&PathBuf; 2], progress: &Progress) -> Result<Case> {
    let run = finished(out)?;
    let is_set = args.method.is_some() || args.preset.is_some() || args.own.is_some();
    if is_set || !args.param.is_empty() {
        return Err(Error::usage(
            "a finished run has its own method and parameters: omit --method, --preset, --own and --param, or name \
             its input with --in",
        ));
    }
    let ids = ids.map(|id| spelled(id.as_os_str()).into_owned());
    Ok(Case {
        pages: run.inputs.by_ids([&ids[0], &ids[1]], progress)?,
        expected: run.reported(&ids[0], &ids[1])?,
        passages: run.passages(&ids[0], &ids[1])?,
        superseded: run.superseded([&ids[0], &ids[1]])?,
        model: run.inputs.model.clone(),
        inputs: Some(run.inputs),
    })
}

/// The model for pages that are in no finished run.
fn model(args: &Args) -> Result<Model> {
    let method = args.method.as_deref().unwrap_or(DEFAULT_METHOD);
    let preset = args.preset.as_deref();
    let (method, params) = chosen_method(method, preset, args.own, None, &args.param)?;
    Model::new(JudgeConfig {
        read: args.read.options(),
        method,
        params,
        ..JudgeConfig::default()
    })
}

fn story(case: &Case, offsets: Offsets) -> Result<Explanation> {
    let mut story = explain_pair(&case.pages[0], &case.pages[1], &case.model, offsets)?;
    story.notes.extend_from_slice(&case.passages);
    story.remark = match &case.superseded {
        Some(_) if story.filter.is_some() => None,
        Some(page) => Some(format!(
            "The run did not compare `{page}`: it is an older version of a page (versions.jsonl). What follows is judged by the \
             texts alone."
        )),
        None => case
            .expected
            .and_then(|expected| difference(&story, expected)),
    };
    Ok(story)
}

/// What to say if the run's verdict was another.
fn difference(story: &Explanation, expected: Option<(Relation, f64)>) -> Option<String> {
    let same = match (expected, story.relation) {
        (None, None) => true,
        (Some((relation, similarity)), Some(now)) => {
            relation == now && (similarity - story.similarity.unwrap_or_default()).abs() < 1e-6
        }
        _ => false,
    };
    if same {
        return None;
    }
    Some(match expected {
        None => "The run's pairs.jsonl does not list this pair: it may be a pair inside a very large group, or the \
                 input has changed since."
            .to_owned(),
        Some((relation, similarity)) => format!(
            "The run reported otherwise: {}, similarity {similarity:.6}. The input has changed since, or the run was \
             made by another version.",
            relation.name()
        ),
    })
}

fn write_html(story: &Explanation, path: &Path) -> Result<()> {
    let failed = Error::io("cannot write", path);
    let write = || retold_report::story::write(story, BufWriter::new(std::fs::File::create(path)?));
    write().map_err(failed)
}

fn print_json(story: &Explanation, case: &Case) -> Result<()> {
    let mut json = story.json(true);
    if let Some(object) = json.as_object_mut() {
        object.insert("method".into(), case.model.method().name.into());
    }
    say::out(|to| {
        say::json_pretty(to, &json)?;
        writeln!(to)
    })
}

fn print(text: &str) -> Result<()> {
    say::out(|out| out.write_all(text.as_bytes()))
}
