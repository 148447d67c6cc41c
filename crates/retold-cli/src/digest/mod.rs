//! `retold digest`: what happened in an index since a time, for people.

mod gather;
mod show;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use retold::internal::date_seconds;
use retold::{Error, Result};
use retold_index::Index;

use self::gather::gather;
use self::words::Words;
use crate::input::positive;
use crate::{lang, say};

/// Writes a digest of an index: new stories, who was first, who shortened, who added what, and what was changed afterwards
///
/// Without --out, it is plain text on standard output, for instance for a mail.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold digest news --since yesterday -o digest.html
  retold digest news --since 24h | mail -s 'The morning' editors@example.org")]
pub struct Args {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// From when on: a date, yesterday, today, or a time before now, as in 24h or 7d
    #[arg(long, value_name = "WHEN", default_value = "yesterday")]
    since: String,
    /// Write a web page to FILE
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace FILE
    #[arg(long)]
    force: bool,
    /// At most so many stories, those with the most pages first
    #[arg(long, value_name = "N", default_value = "30", value_parser = positive)]
    limit: usize,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let now = jiff::Timestamp::now().as_second();
    let since = moment(&args.since, now).ok_or_else(|| {
        Error::usage(format!(
            "--since {}: a date, yesterday, today, or a time such as 24h or 7d expected",
            args.since
        ))
    })?;
    if let Some(out) = &args.out {
        say::may_write(out, args.force)?;
    }
    let index = Index::open(&args.dir)?;
    let digest = gather(&index, since, args.limit)?;
    let words = if lang::is_chinese() {
        &Words::CHINESE
    } else {
        &Words::ENGLISH
    };
    match &args.out {
        Some(out) => say::file(out, &show::html(&digest, words), args.force)?,
        None => {
            say::out(|to| to.write_all(say::printable(&show::text(&digest, words)).as_bytes()))?
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The moment that a word names, in seconds since 1970; days begin at midnight UTC.
fn moment(word: &str, now: i64) -> Option<i64> {
    const DAY: i64 = 24 * 3600;
    let today = now - now.rem_euclid(DAY);
    match word {
        "today" => return Some(today),
        "yesterday" => return Some(today - DAY),
        _ => {}
    }
    let unit = match word.chars().last()? {
        'h' => 3600,
        'd' => DAY,
        _ => return date_seconds(word),
    };
    let count: i64 = word[..word.len() - 1].parse().ok()?;
    Some(now - count.checked_mul(unit)?)
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn moments() {
        // 2 January 1970, one o'clock.
        let now = 25 * 3600;
        for (word, expected) in [
            ("today", Some(24 * 3600)),
            ("yesterday", Some(0)),
            ("2h", Some(23 * 3600)),
            ("1d", Some(3600)),
            ("1970-01-02", Some(24 * 3600)),
            ("h", None),
            ("soon", None),
        ] {
            assert_eq!(moment(word, now), expected, "{word}");
        }
    }
}
