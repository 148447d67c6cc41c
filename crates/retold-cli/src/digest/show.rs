//! A digest as text and as a web page, which needs no network and no scripts.

use std::fmt::Write;

use quick_xml::escape::escape;
use retold::internal::shortened;

use super::gather::{Changed, Digest, Row, Told};
use super::words::{Words, filled};

/// Passages that are shown of what a page adds, and changes of a page.
const SHOWN: usize = 3;
/// Characters of each.
const LONGEST: usize = 240;

/// A part of a digest: its name, and its stories.
fn parts<'d>(digest: &'d Digest, words: &'d Words) -> [(&'d str, &'d [Told]); 2] {
    [(words.new, &digest.new), (words.going_on, &digest.going_on)]
}

fn account(digest: &Digest, words: &Words) -> String {
    filled(
        words.account,
        &[
            ("pages", &digest.pages),
            ("sites", &digest.sites),
            ("new", &digest.new.len()),
            ("going_on", &digest.going_on.len()),
            ("changed", &digest.changed.len()),
        ],
    )
}

fn counts(story: &Told, words: &Words) -> String {
    filled(
        words.counts,
        &[("pages", &story.pages), ("sites", &story.sites)],
    )
}

fn edits(changed: &Changed, words: &Words) -> String {
    let edits = &changed.edits;
    let counts: [(&str, &dyn std::fmt::Display); 3] = [
        ("added", &edits.added),
        ("cut", &edits.cut),
        ("replaced", &edits.replaced),
    ];
    filled(words.edits, &counts)
}

/// What a row is: its part of the story, and how it differs from an earlier page.
fn what(row: &Row, words: &Words) -> String {
    let part = words.part(row.page.part);
    let what = words.what(row.page.what);
    match part {
        "" => what.to_owned(),
        part => format!("{part} · {what}"),
    }
}

fn name(row: &Row) -> &str {
    row.page.title.as_deref().unwrap_or(&row.page.id)
}

/// A text of at most so many characters, on one line.
fn short(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shortened(&text, LONGEST)
}

/// A date to the minute.
fn minute(date: &str) -> String {
    date.get(..16).unwrap_or(date).replace('T', " ")
}

pub fn text(digest: &Digest, words: &Words) -> String {
    let mut out = String::new();
    // Writing to memory cannot fail.
    let _ = text_into(&mut out, digest, words);
    out
}

fn text_into(out: &mut String, digest: &Digest, words: &Words) -> std::fmt::Result {
    writeln!(
        out,
        "{}",
        filled(words.title, &[("since", &minute(&digest.since))])
    )?;
    writeln!(out, "{}", account(digest, words))?;
    for (heading, stories) in parts(digest, words) {
        writeln!(out, "\n== {heading} ==")?;
        if stories.is_empty() {
            writeln!(out, "{}", words.nothing)?;
        }
        for story in stories {
            writeln!(out, "\n{} ({})", short(&story.title), counts(story, words))?;
            for row in &story.rows {
                text_row_into(out, row, words)?;
            }
            if story.more > 0 {
                writeln!(out, "  {}", filled(words.more, &[("n", &story.more)]))?;
            }
        }
    }
    if digest.more > 0 {
        writeln!(
            out,
            "\n{}",
            filled(words.more_stories, &[("n", &digest.more)])
        )?;
    }
    writeln!(out, "\n== {} ==", words.changed)?;
    if digest.changed.is_empty() {
        writeln!(out, "{}", words.nothing)?;
    }
    for changed in &digest.changed {
        text_changed_into(out, changed, words)?;
    }
    Ok(())
}

fn text_row_into(out: &mut String, row: &Row, words: &Words) -> std::fmt::Result {
    let site = row.page.site.as_deref().unwrap_or_default();
    writeln!(
        out,
        "  {}  {}  {site}  {}",
        minute(&row.page.seen),
        what(row, words),
        short(name(row))
    )?;
    if let Some(url) = row.page.url.as_deref() {
        writeln!(out, "    {url}")?;
    }
    for passage in row.adds.iter().take(SHOWN) {
        writeln!(out, "    {} {}", words.adds, short(passage))?;
    }
    Ok(())
}

fn text_changed_into(out: &mut String, changed: &Changed, words: &Words) -> std::fmt::Result {
    let site = changed.site.as_deref().unwrap_or_default();
    writeln!(out, "\n{}  {site}", short(&changed.title))?;
    let seen = changed.seen.each_ref().map(|seen| minute(seen));
    writeln!(
        out,
        "  {} → {}  {}",
        seen[0],
        seen[1],
        edits(changed, words)
    )?;
    if let Some([before, _]) = &changed.edits.titles {
        writeln!(out, "  {}", filled(words.headline, &[("title", before)]))?;
    }
    for place in changed.edits.places.iter().take(SHOWN) {
        for (sign, text) in [("-", &place.before), ("+", &place.after)] {
            if !text.is_empty() {
                writeln!(out, "  {sign} {}", short(text))?;
            }
        }
    }
    Ok(())
}

const STYLE: &str = "body{font:16px/1.6 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}\
h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem;margin:1.4rem 0 .2rem}small,.soft{color:#59636e}\
ol{list-style:none;padding:0;margin:.3rem 0}li{margin:.25rem 0;overflow-wrap:anywhere}b{font-weight:600}\
blockquote{margin:.2rem 0 .2rem 1rem;padding-left:.7rem;border-left:3px solid #2da44e}del{background:#ffebe9}ins{background:#dafbe1;text-decoration:none}\
a{color:#0969da}@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}small,.soft{color:#9198a1}a{color:#4493f8}\
del{background:#67060c66}ins{background:#033a16}}";

pub fn html(digest: &Digest, words: &Words) -> String {
    let mut out = String::new();
    // Writing to memory cannot fail.
    let _ = html_into(&mut out, digest, words);
    out
}

fn html_into(out: &mut String, digest: &Digest, words: &Words) -> std::fmt::Result {
    let title = filled(words.title, &[("since", &minute(&digest.since))]);
    write!(
        out,
        "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n<p>{}</p>\n",
        words.code,
        escape(account(digest, words))
    )?;
    for (heading, stories) in parts(digest, words) {
        writeln!(out, "<h2>{heading}</h2>")?;
        if stories.is_empty() {
            writeln!(out, "<p class=\"soft\">{}</p>", words.nothing)?;
        }
        for story in stories {
            writeln!(
                out,
                "<h3>{}</h3><small>{}</small><ol>",
                escape(short(&story.title)),
                counts(story, words)
            )?;
            for row in &story.rows {
                row_into(out, row, words)?;
            }
            writeln!(out, "</ol>")?;
            if story.more > 0 {
                writeln!(
                    out,
                    "<p class=\"soft\">{}</p>",
                    filled(words.more, &[("n", &story.more)])
                )?;
            }
        }
    }
    if digest.more > 0 {
        writeln!(
            out,
            "<p class=\"soft\">{}</p>",
            filled(words.more_stories, &[("n", &digest.more)])
        )?;
    }
    writeln!(out, "<h2>{}</h2>", words.changed)?;
    if digest.changed.is_empty() {
        writeln!(out, "<p class=\"soft\">{}</p>", words.nothing)?;
    }
    for changed in &digest.changed {
        changed_into(out, changed, words)?;
    }
    writeln!(out, "</body></html>")
}

/// A name that leads to an address; only addresses of the web are links.
fn link(name: &str, url: Option<&str>) -> String {
    let name = escape(short(name)).into_owned();
    let is_web = |url: &&str| url.starts_with("http://") || url.starts_with("https://");
    match url.filter(is_web) {
        Some(url) => format!("<a href=\"{}\" rel=\"noreferrer\">{name}</a>", escape(url)),
        None => name,
    }
}

fn row_into(out: &mut String, row: &Row, words: &Words) -> std::fmt::Result {
    write!(
        out,
        "<li><small>{}</small> <b>{}</b> {} <small>{}</small>",
        escape(minute(&row.page.seen)),
        what(row, words),
        link(name(row), row.page.url.as_deref()),
        escape(row.page.site.as_deref().unwrap_or_default())
    )?;
    for passage in row.adds.iter().take(SHOWN) {
        write!(out, "<blockquote>{}</blockquote>", escape(short(passage)))?;
    }
    writeln!(out, "</li>")
}

fn changed_into(out: &mut String, changed: &Changed, words: &Words) -> std::fmt::Result {
    let seen = changed.seen.each_ref().map(|seen| minute(seen));
    writeln!(
        out,
        "<h3>{}</h3><small>{} · {} → {} · {}</small>",
        link(&changed.title, changed.url.as_deref()),
        escape(changed.site.as_deref().unwrap_or_default()),
        escape(&seen[0]),
        escape(&seen[1]),
        edits(changed, words)
    )?;
    if let Some([before, _]) = &changed.edits.titles {
        writeln!(
            out,
            "<p>{}</p>",
            escape(filled(words.headline, &[("title", before)]))
        )?;
    }
    for place in changed.edits.places.iter().take(SHOWN) {
        writeln!(out, "<p>")?;
        if !place.before.is_empty() {
            writeln!(out, "<del>{}</del>", escape(short(&place.before)))?;
        }
        if !place.after.is_empty() {
            writeln!(out, "<ins>{}</ins>", escape(short(&place.after)))?;
        }
        writeln!(out, "</p>")?;
    }
    Ok(())
}
