//! Options that say how inputs are read, shared by all commands that read pages.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use retold::read::{
    Delimiter, Quote, ReadOptions, Source, Statuses, discover, each_page, page_ids,
};
use retold::{Error, Page, Result, Stage};
use tempfile::NamedTempFile;

pub(crate) use retold::internal::byte_count as bytes;

use crate::say::tell;

/// The exit code when records were rejected.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Rejects {
    /// 1
    Fail,
    /// 0, for pipelines that stop at any other code
    Ok,
}

impl Rejects {
    /// The exit code if this number of records was rejected.
    pub fn code(self, rejected: u64) -> ExitCode {
        match self {
            Rejects::Fail => ExitCode::from(u8::from(rejected > 0)),
            Rejects::Ok => ExitCode::SUCCESS,
        }
    }
}

/// What becomes of a run if the inputs have no page, or some that cannot be read.
#[derive(clap::Args)]
pub struct RecordArgs {
    /// If the inputs have no page, write an empty result; for jobs with many shards
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub allow_empty: bool,
    /// Exit code when records were rejected
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Rejects::Fail, help_heading = "Input", hide_short_help = true)]
    pub rejects: Rejects,
}

/// How records become pages.
#[derive(clap::Args)]
pub struct ReadArgs {
    /// Field of JSONL, CSV and Parquet that holds the text
    ///
    /// As in body, content.text, title,body or messages[].content
    #[arg(
        long,
        value_name = "NAME",
        default_value = "text",
        help_heading = "Input"
    )]
    text_field: String,
    /// If the text field is in a list, leave out the objects with these roles, as in system,tool
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Input",
        hide_short_help = true
    )]
    skip_roles: Vec<String>,
    /// Field that holds HTML, used if the text field is absent
    #[arg(
        long,
        value_name = "NAME",
        default_value = "html",
        help_heading = "Input",
        hide_short_help = true
    )]
    html_field: String,
    /// Field that holds the id
    #[arg(
        long,
        value_name = "NAME",
        default_value = "id",
        help_heading = "Input",
        hide_short_help = true
    )]
    id_field: String,
    /// Field that holds the URL; if absent, metadata.NAME
    #[arg(
        long,
        value_name = "NAME",
        default_value = "url",
        help_heading = "Input",
        hide_short_help = true
    )]
    url_field: String,
    /// Field that holds the date; if absent, metadata.NAME
    #[arg(
        long,
        value_name = "NAME",
        default_value = "date",
        help_heading = "Input",
        hide_short_help = true
    )]
    date_field: String,
    /// Field that holds the title, which reports and stories show; if absent, metadata.NAME
    #[arg(
        long,
        value_name = "NAME",
        default_value = "title",
        help_heading = "Input",
        hide_short_help = true
    )]
    title_field: String,
    /// Field that names the site [default: the host of the URL]
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Input",
        hide_short_help = true
    )]
    site_field: Option<String>,
    /// Use the N-th folder below INPUT as the site
    #[arg(long, value_name = "N", value_parser = positive, help_heading = "Input", hide_short_help = true)]
    site_dir: Option<usize>,
    /// HTTP statuses of pages in WARC and ARC files, as in 200,203, or `any`; other responses are skipped
    #[arg(
        long,
        value_name = "LIST",
        default_value_t = Statuses::default(),
        help_heading = "Input", hide_short_help = true)]
    status: Statuses,
    /// Character between the fields of CSV and TSV, as in ; or |, or `tab` [default: from file name and header row]
    #[arg(
        long,
        value_name = "CHAR",
        help_heading = "Input",
        hide_short_help = true
    )]
    delimiter: Option<Delimiter>,
    /// Character around fields of CSV and TSV, or `none`
    #[arg(
        long,
        value_name = "CHAR",
        default_value_t = Quote::default(),
        help_heading = "Input", hide_short_help = true)]
    quote: Quote,
    /// Reject larger records (suffix K, M or G)
    #[arg(long, value_name = "BYTES", default_value = "64M", value_parser = bytes, help_heading = "Input", hide_short_help = true)]
    max_record_size: u64,
}

impl ReadArgs {
    /// The library's options.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            text_field: self.text_field.clone(),
            skip_roles: self.skip_roles.clone(),
            html_field: self.html_field.clone(),
            id_field: self.id_field.clone(),
            url_field: self.url_field.clone(),
            date_field: self.date_field.clone(),
            site_field: self.site_field.clone(),
            site_dir: self.site_dir,
            title_field: self.title_field.clone(),
            status: self.status.clone(),
            delimiter: self.delimiter,
            quote: self.quote,
            max_record_size: self.max_record_size,
            ..ReadOptions::default()
        }
    }
}

/// The files that INPUTs name, standard input among them if one is `-`; it is removed when what is returned beside them is
/// dropped.
pub fn sources(
    inputs: &[PathBuf],
    read: &ReadOptions,
) -> Result<(Vec<Source>, Option<NamedTempFile>)> {
    let (named, spool) = spooled(inputs)?;
    let mut sources = if named.is_empty() {
        Vec::new()
    } else {
        discover(&named, read)?
    };
    sources.extend(spool.iter().map(|file| Source::spooled(file.path())));
    Ok((sources, spool))
}

/// Hands what `make` makes of each page of the inputs to `take`, in order, with the page's id. Names what could not be
/// read on standard error, which also decides the exit code.
///
/// Errors: no page could be read, and those of `take`.
pub fn each_page_by_id<T: Send>(
    inputs: &[PathBuf],
    read: &ReadOptions,
    make: impl Fn(Page) -> std::result::Result<T, String> + Sync,
    mut take: impl FnMut(&str, T) -> Result<()>,
) -> Result<ExitCode> {
    let (sources, _spool) = sources(inputs, read)?;
    let mut ids = page_ids(&sources, read, &())?.into_iter();
    let (mut pages, mut rejected) = (0u64, 0u64);
    each_page(
        &sources,
        read,
        &(),
        Stage::Read.name(),
        make,
        |source, number, made| {
            match made {
                Ok(made) => {
                    pages += 1;
                    let id = ids.next().map(|page| page.id).unwrap_or_default();
                    take(&id, made)?;
                }
                Err(reason) => {
                    rejected += 1;
                    tell(format_args!("{}, record {number}: {reason}", source.name));
                }
            }
            Ok(())
        },
    )?;
    if pages == 0 {
        return Err(Error::usage("no page could be read"));
    }
    Ok(ExitCode::from(u8::from(rejected > 0)))
}

/// INPUTs less `-`, and standard input in a file if one of them is that.
pub fn spooled(inputs: &[PathBuf]) -> Result<(Vec<PathBuf>, Option<NamedTempFile>)> {
    let is_stdin = |input: &&PathBuf| *input == Path::new("-");
    let named = inputs.iter().filter(|input| !is_stdin(input));
    let named: Vec<PathBuf> = named.cloned().collect();
    let spool = (named.len() < inputs.len()).then(spool).transpose()?;
    Ok((named, spool))
}

/// Standard input in a file, because it is read twice.
fn spool() -> Result<NamedTempFile> {
    let failed = |e| Error::io("cannot write standard input to", &std::env::temp_dir())(e);
    let mut file = NamedTempFile::new().map_err(failed)?;
    io::copy(&mut io::stdin().lock(), &mut file).map_err(failed)?;
    Ok(file)
}

/// A number of bytes, which may be 0.
pub fn bytes_or_none(text: &str) -> std::result::Result<u64, String> {
    match text {
        "0" => Ok(0),
        more => bytes(more),
    }
}

/// A whole number from 1.
pub fn positive(text: &str) -> std::result::Result<usize, String> {
    text.parse()
        .ok()
        .filter(|&n| n > 0)
        .ok_or_else(|| "a whole number from 1 expected".to_owned())
}
