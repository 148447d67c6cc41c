//! `retold pairs`: some of the dropped pages of a run, beside the pages for which they went.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use quick_xml::escape::escape;
use retold::explain::{ExplainedPage, Explanation, Offsets, explain_pair};
use retold::{Error, Result};
use retold_report::{DropOrder, DroppedPage, Finished};

use crate::input::positive;
use crate::progress::Progress;
use crate::resources::QuietArg;
use crate::say;

/// Shows dropped pages beside the pages for which they were dropped, to look whether that was right
///
/// The inputs of the run are read again.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold pairs out -n 30 --html drops.html
  retold pairs out --by lost -n 10
  retold pairs out --by doubtful --site news.example --html doubtful.html")]
pub struct Args {
    /// The output folder of a run
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// How many
    #[arg(short, long, value_name = "N", default_value = "30", value_parser = positive)]
    number: usize,
    /// Which come first
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = By::Random)]
    by: By,
    /// Only pages of this site
    #[arg(long, value_name = "NAME")]
    site: Option<String>,
    /// Seed of the choice at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write a web page to FILE, with whole texts and shared passages marked
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Replace FILE
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    quiet: QuietArg,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// A random choice
    Random,
    /// The least similar pairs
    Doubtful,
    /// Those that take most words of their own with them
    Lost,
}

/// A dropped page, and how it compares with the page for which it went.
struct Case {
    page: DroppedPage,
    told: Explanation,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(path) = &args.html {
        say::may_write(path, args.force)?;
    }
    let order = match args.by {
        By::Random => DropOrder::Random(args.seed),
        By::Doubtful => DropOrder::Doubtful,
        By::Lost => DropOrder::Lost,
    };
    let cases = Progress::during(args.quiet.quiet, |progress| {
        let run = Finished::open(&args.out)?;
        let drops = run.drops(order, args.site.as_deref(), args.number, progress)?;
        let ids: Vec<&str> = drops
            .iter()
            .flat_map(|page| [&*page.id, &*page.canonical])
            .collect();
        let pages = run.inputs.pages(&ids, progress)?;
        let pairs = drops.iter().zip(pages.chunks(2));
        let cases = pairs.map(|(page, pair)| {
            let told = explain_pair(&pair[0], &pair[1], &run.inputs.model, Offsets::Chars)?;
            Ok(Case {
                page: page.clone(),
                told,
            })
        });
        cases.collect::<Result<Vec<Case>>>()
    })?;
    if cases.is_empty() {
        return Err(Error::usage(format!(
            "{}: the run dropped no such page",
            args.out.display()
        )));
    }
    match &args.html {
        Some(path) => say::file(path, &html(&cases), args.force)?,
        None => say::out(|to| to.write_all(say::printable(&text(&cases)).as_bytes()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What is said above the two texts.
fn heading(page: &DroppedPage) -> String {
    let similarity = page
        .similarity
        .map(|similarity| format!(", similarity {similarity:.3}"));
    format!(
        "{}{}, {} of its own",
        page.relation.replace('_', " "),
        similarity.unwrap_or_default(),
        say::count(page.lost, "word")
    )
}

fn text(cases: &[Case]) -> String {
    /// Characters of each text.
    const SHOWN: usize = 400;
    let mut out = String::new();
    for Case { page, told } in cases {
        let _ = writeln!(out, "{}", heading(page));
        for (what, side) in [("dropped", &told.a), ("kept", &told.b)] {
            let text = side.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let begin: String = text.chars().take(SHOWN).collect();
            let more = if begin.len() < text.len() { "…" } else { "" };
            let _ = writeln!(out, "  {what:7} {}\n          {begin}{more}", side.id);
        }
        out.push('\n');
    }
    out
}

const STYLE: &str = "body{font:15px/1.6 system-ui,sans-serif;margin:1.5rem auto;max-width:90rem;padding:0 1rem;color:#1b1f24;background:#fff}\
section{border-top:1px solid #d1d9e0;margin-top:1.5rem;padding-top:.8rem}h2{font-size:1rem;margin:0 0 .5rem}.two{display:grid;grid-template-columns:1fr 1fr;gap:1rem}\
.two>div{min-width:0}h3{font-size:.9rem;margin:0;overflow-wrap:anywhere}.text{white-space:pre-wrap;overflow-wrap:anywhere;max-height:24rem;overflow-y:auto;border:1px solid #d1d9e0;border-radius:.4rem;padding:.5rem .8rem;margin-top:.3rem}\
mark{background:none;color:#59636e}details{margin-top:.5rem;color:#59636e}@media(max-width:640px){.two{grid-template-columns:1fr}}\
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}mark,details{color:#9198a1}section,.text{border-color:#3d444d}}";

fn html(cases: &[Case]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Dropped pages</title><style>{STYLE}</style></head><body>\n<h1>Dropped pages</h1>\n\
         <p>On the left what was dropped, on the right the page for which it went. What both have is grey.</p>\n"
    );
    for Case { page, told } in cases {
        let shared = |side: fn(&retold::explain::ExplainedPassage) -> [u32; 2]| {
            told.passages.iter().map(side).collect::<Vec<[u32; 2]>>()
        };
        let sides = [
            side("dropped", &told.a, shared(|passage| passage.a)),
            side("kept", &told.b, shared(|passage| passage.b)),
        ];
        let checks = told.checks.iter().map(|check| check.line.as_str());
        let checks = checks.chain(told.notes.iter().map(String::as_str));
        let checks: String = checks
            .map(|line| format!("<li>{}</li>", escape(line)))
            .collect();
        let _ = writeln!(
            out,
            "<section><h2>{}</h2><div class=\"two\">{}{}</div><details><summary>Why</summary><ul>{checks}</ul></details></section>",
            escape(heading(page)),
            sides[0],
            sides[1]
        );
    }
    out.push_str("</body></html>\n");
    out
}

/// One of the two texts, with its shared passages marked.
fn side(what: &str, page: &ExplainedPage, mut shared: Vec<[u32; 2]>) -> String {
    shared.sort_unstable();
    let chars: Vec<char> = page.text.chars().collect();
    let part = |from: usize, to: usize| -> String {
        let text: String = chars[from.min(chars.len())..to.clamp(from, chars.len())]
            .iter()
            .collect();
        escape(&text).into_owned()
    };
    let (mut text, mut at) = (String::new(), 0);
    for [from, to] in shared {
        let (from, to) = (at.max(from as usize), to as usize);
        if to > from {
            let _ = write!(text, "{}<mark>{}</mark>", part(at, from), part(from, to));
            at = to;
        }
    }
    text += &part(at, chars.len());
    let title = page.title.as_deref().unwrap_or_default();
    format!(
        "<div><h3>{what}: {} <small>{}</small></h3><div class=\"text\">{text}</div></div>",
        escape(&page.id),
        escape(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_passages_are_marked_and_nothing_is_markup() {
        let page = |text: &str| {
            let page = retold::Page::text("<a>", text);
            let model = retold::Model::new(retold::JudgeConfig::default()).unwrap();
            let pages = [page.clone(), page].map(|page| retold::explain::ComparedPage {
                id: page.id.clone(),
                site: None,
                date: None,
                url: None,
                scope: Default::default(),
                text: model.text(&page).unwrap(),
            });
            explain_pair(&pages[0], &pages[1], &model, Offsets::Chars)
                .unwrap()
                .a
        };
        let shown = side("kept", &page("one <b> two three"), vec![[4, 7], [5, 11]]);
        assert!(
            shown.contains("one <mark>&lt;b&gt;</mark><mark> two</mark> three"),
            "{shown}"
        );
        assert!(shown.contains("kept: &lt;a&gt;"), "{shown}");
    }
}
