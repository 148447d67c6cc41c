//! `retold blocks`: blocks of text that many pages have, named and cut.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use indicatif::HumanCount;
use retold::blocks::{BlockKeep, BlockOptions, BlockScope, BlockUnit};
use retold::{Canonical, JudgeConfig, Result};
use retold_report::{Against, BlockJob, BlockSummary, Job, OutputConfig, cut_blocks};
use tempfile::NamedTempFile;

use crate::input::{ReadArgs, RecordArgs, spooled};
use crate::progress::Progress;
use crate::resources::{OutArgs, ResourceArgs};
use crate::say;
use crate::text_args::Part;

/// Finds lines, paragraphs, sentences or passages that many pages have, and cuts them out
///
/// By default these are paragraphs that more than half of a site's pages have: menus, notices, calls to subscribe. The folder OUT gets
/// blocks.jsonl (each such block, and how many pages have it), spans.jsonl (its places), dropped.jsonl (pages with too few words left),
/// rejects.jsonl and summary.json; nothing is cut yet. With --apply it gets kept/ too: the input without these blocks and pages, in the
/// input's format. In HTML and in pages in archives, feeds and books, blocks are reported but not cut.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold blocks crawl.jsonl -o out --text
  retold blocks crawl.jsonl -o out --apply
  retold blocks corpus.parquet -o out --scope collection --unit line --keep under:10 --apply")]
pub struct Args {
    /// Files and folders to read; `-` for JSONL on standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    output: OutArgs,
    /// Continue an interrupted run with --resume
    ///
    /// Intermediate results stay in OUT until the run is complete
    #[arg(long)]
    resume: bool,
    /// Write OUT/kept: the input without these blocks
    #[arg(long)]
    apply: bool,

    /// What a block is
    #[arg(long, value_enum, default_value_t = Unit::Paragraph, help_heading = "Blocks")]
    unit: Unit,
    /// With --unit passage, how many words a passage has at least; in scripts without spaces, 8 characters for 5 words
    #[arg(long, value_name = "N", default_value_t = BlockOptions::default().passage_words, help_heading = "Blocks", hide_short_help = true)]
    passage_words: u32,
    /// Where blocks are counted
    #[arg(long, value_enum, default_value_t = Scope::Site, help_heading = "Blocks")]
    scope: Scope,
    /// Which places of a block stay: `one`, `none`, or `under:N`
    ///
    /// `one`: see --canonical. `under:N` does not cut blocks on fewer than N pages and cuts all places of the others
    #[arg(long, value_name = "WHICH", default_value_t = BlockKeep::One, help_heading = "Blocks")]
    keep: BlockKeep,
    /// Whose place of a block stays, by rules in order: longest, earliest, first (or id), field:NAME:desc (or asc), https,
    /// response-before-derived, url-length
    #[arg(long, value_name = "LIST", default_value_t = Canonical::default_of_blocks(), help_heading = "Blocks", hide_short_help = true)]
    canonical: Canonical,
    /// Blocks with fewer characters, not counting white space, are not cut [default: 2, or 10 with --scope collection]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Blocks",
        hide_short_help = true
    )]
    min_chars: Option<u32>,
    /// A page that something is cut from is dropped if it has fewer words left; in scripts without spaces two characters count as a word
    #[arg(long, value_name = "N", default_value_t = BlockOptions::default().min_words, help_heading = "Blocks", hide_short_help = true)]
    min_words: u32,

    /// Which text of HTML pages is used
    #[arg(long, value_enum, default_value_t = Part::None, help_heading = "Input")]
    extract: Part,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    records: RecordArgs,

    /// Write the texts of blocks too; the inputs are read once more for them
    #[arg(long, help_heading = "Output")]
    text: bool,
    #[command(flatten)]
    resources: ResourceArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum Unit {
    /// The text between two line ends
    Line,
    /// The text between blank lines; in HTML, a block element
    Paragraph,
    /// A sentence; a line end ends it
    Sentence,
    /// As many words as --passage-words says or more, anywhere in a paragraph
    Passage,
}

#[derive(Clone, Copy, ValueEnum)]
enum Scope {
    /// Among the pages of a site: blocks on more than half of them are cut, if there are 3 pages or more
    Site,
    /// Among all pages: blocks on two or more are cut
    Collection,
}

/// Runs the job and says how it went.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (job, _spool) = job(args)?;
    let wanted = BlockJob {
        job,
        options: options(args),
        text: args.text,
    };
    if wanted.is_finished()? {
        return Ok(say::finished(&args.output.out, args.resources.is_quiet()));
    }
    let summary = Progress::during(args.resources.is_quiet(), |progress| {
        cut_blocks(&wanted, progress)
    })?;
    let rejected = summary.records.rejected;
    say::ended(
        rejected,
        &args.output.out,
        args.resources.is_quiet(),
        |to| tell(&summary, args, to),
    )?;
    Ok(args.records.rejects.code(rejected))
}

/// The job, and the spooled standard input, which is removed when it is dropped.
fn job(args: &Args) -> Result<(Job, Option<NamedTempFile>)> {
    let (inputs, spool) = spooled(&args.inputs)?;
    let mut run = args.resources.run();
    run.allow_empty = args.records.allow_empty;
    let job = Job {
        inputs,
        stdin: spool.as_ref().map(|file| file.path().to_owned()),
        judge: JudgeConfig {
            read: args.read.options(),
            extract: Some(args.extract.extract()),
            ..JudgeConfig::default()
        },
        run,
        output: OutputConfig {
            kept: args.apply,
            ..OutputConfig::default()
        },
        against: Against::Nothing,
        out: args.output.out.clone(),
        force: args.output.force,
        resume: args.resume,
    };
    Ok((job, spool))
}

/// What blocks are, and which of them are cut.
fn options(args: &Args) -> BlockOptions {
    let scope = match args.scope {
        Scope::Site => BlockScope::Site,
        Scope::Collection => BlockScope::Collection,
    };
    BlockOptions {
        unit: match args.unit {
            Unit::Line => BlockUnit::Line,
            Unit::Paragraph => BlockUnit::Paragraph,
            Unit::Sentence => BlockUnit::Sentence,
            Unit::Passage => BlockUnit::Passage,
        },
        passage_words: args.passage_words,
        scope,
        keep: args.keep,
        canonical: args.canonical.clone(),
        min_chars: args.min_chars.unwrap_or(scope.min_chars()),
        min_words: args.min_words,
    }
}

/// A short account in plain words.
fn tell(summary: &BlockSummary, args: &Args, to: &mut dyn Write) -> io::Result<()> {
    let (records, out) = (&summary.records, &args.output.out);
    let pages = records.kept + records.dropped;
    writeln!(
        to,
        "{} with {} read; repeated: {}, in {} besides the kept ones, with {} of {} words",
        say::count(pages, "page"),
        say::count(summary.blocks, "block"),
        say::count(summary.cut, "block"),
        say::count(summary.spans, "place"),
        HumanCount(summary.words_repeated),
        HumanCount(summary.words)
    )?;
    let would = if args.apply { "" } else { "would be " };
    writeln!(
        to,
        "{} {would}cut, {} of them {would}dropped because too few words are left",
        say::count(summary.pages_cut, "page"),
        HumanCount(records.dropped)
    )?;
    if summary.pages_named > 0 {
        writeln!(
            to,
            "{} with such blocks in HTML, archives, feeds or books: {} has their places, and nothing is cut there",
            say::count(summary.pages_named, "page"),
            out.join("spans.jsonl").display()
        )?;
    }
    if matches!(args.scope, Scope::Site) && summary.without_site > 0 {
        writeln!(
            to,
            "without a site and left alone: {}; --site-field or --site-dir names the site, --scope collection needs none",
            say::count(summary.without_site, "page")
        )?;
    }
    if let Some(first) = summary.compiled.ids.first() {
        writeln!(
            to,
            "put together from blocks of other pages, and so preferred to none: {}, {first} for one (`compiled` in summary.json)",
            say::count(summary.compiled.pages, "page")
        )?;
    }
    if records.rejected > 0 {
        writeln!(to, "{}", say::rejects(records.rejected, out))?;
    }
    writeln!(to, "start with {}", out.join("blocks.jsonl").display())
}
