//! The explanation of a pair on a terminal.

use console::{Style, Term};
use retold::Relation;
use retold::explain::{ExplainedFeature, Explanation, PassageKind};
use retold::internal::thousands;
use unicode_width::UnicodeWidthChar;

/// What the story is shown on.
pub struct Screen {
    width: usize,
    full: bool,
    colour: bool,
}

/// Texts are shown side by side from this width on.
const SIDE_BY_SIDE: usize = 100;
/// Of a longer shared passage the first and last lines are shown.
const SHOWN_LINES: usize = 2;
/// Features and stretches of text that are listed.
const FEATURES: usize = 40;
const STRETCHES: usize = 200;

impl Screen {
    /// The terminal of standard output; 80 columns if it is not a terminal.
    pub fn of(full: bool, colour: bool) -> Screen {
        let columns = std::env::var("COLUMNS")
            .ok()
            .and_then(|columns| columns.parse().ok());
        let width = match Term::stdout().size_checked() {
            Some((_, width)) => usize::from(width),
            None => columns.unwrap_or(80),
        };
        Screen {
            width: width.clamp(20, 200),
            full,
            colour,
        }
    }

    fn paint(&self, style: Style, text: &str) -> String {
        style.force_styling(self.colour).apply_to(text).to_string()
    }
}

/// The whole story as text.
pub fn render(story: &Explanation, method: &str, screen: &Screen) -> String {
    let mut out = String::new();
    let (verdict, style) = verdict(story);
    line(&mut out, &screen.paint(style.bold(), verdict));
    for (name, page) in [("A", &story.a), ("B", &story.b)] {
        let mut facts = vec![
            format!("{} characters", thousands(page.chars)),
            format!("{} features", thousands(page.keys as u64)),
        ];
        facts.extend(page.site.iter().chain(&page.date).map(|fact| clean(fact)));
        line(
            &mut out,
            &format!(
                "{} {}",
                screen.paint(Style::new().bold(), name),
                clean(&page.id)
            ),
        );
        if let Some(title) = &page.title {
            wrapped(&mut out, &clean(title), "  ", screen, &Style::new());
        }
        wrapped(
            &mut out,
            &facts.join(", "),
            "  ",
            screen,
            &Style::new().dim(),
        );
    }
    if let Some(filter) = &story.filter {
        let filter = format!("They are not compared, whatever the texts say. {filter}.");
        wrapped(&mut out, &filter, "! ", screen, &Style::new().yellow());
    }
    if let Some(remark) = &story.remark {
        wrapped(&mut out, remark, "! ", screen, &Style::new().yellow());
    }
    checks(&mut out, story, method, screen);
    features(&mut out, story, screen);
    texts(&mut out, story, screen);
    out
}

fn verdict(story: &Explanation) -> (&'static str, Style) {
    match story.relation {
        _ if story.filter.is_some() => ("The pages are not compared", Style::new().red()),
        _ if story.exact => ("Duplicates: the two texts are equal", Style::new().green()),
        Some(Relation::Duplicate) => ("The pages are duplicates", Style::new().green()),
        Some(Relation::Contains) => ("A contains B", Style::new().yellow()),
        Some(Relation::ContainedBy) => ("B contains A", Style::new().yellow()),
        Some(Relation::Overlaps) => (
            "The pages overlap: each says something of its own besides",
            Style::new().yellow(),
        ),
        None => ("The pages are not related", Style::new().red()),
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn heading(out: &mut String, text: &str, screen: &Screen) {
    out.push('\n');
    line(out, &screen.paint(Style::new().bold().underlined(), text));
}

fn wrapped(out: &mut String, text: &str, indent: &str, screen: &Screen, style: &Style) {
    for part in wrap(text, screen.width.saturating_sub(indent.len())) {
        line(
            out,
            &format!("{indent}{}", screen.paint(style.clone(), part.trim_end())),
        );
    }
}

fn checks(out: &mut String, story: &Explanation, method: &str, screen: &Screen) {
    heading(out, &format!("How {method} decided"), screen);
    let mut decided = false;
    for check in &story.checks {
        let (holds, fails) = check.check.outcomes;
        let (mark, style) = match (check.check.test.is_some() && holds.is_empty(), check.holds) {
            (true, true) => ("✓", Style::new().green()),
            (true, false) => ("✗", Style::new().red()),
            _ => ("·", Style::new()),
        };
        let outcome = match (check.holds, holds.is_empty()) {
            // The pages are not related: how they would be says nothing.
            _ if decided => String::new(),
            (true, false) => format!("  → {holds}"),
            (false, false) => format!("  → {fails}"),
            (false, true) => "  → not related".to_owned(),
            (true, true) => String::new(),
        };
        decided |= !check.holds && holds.is_empty();
        line(
            out,
            &format!(
                "{} {}{outcome}",
                screen.paint(style, mark),
                screen.paint(Style::new().bold(), &check.line)
            ),
        );
        wrapped(
            out,
            check.check.meaning,
            "    ",
            screen,
            &Style::new().dim(),
        );
    }
    for note in &story.notes {
        wrapped(out, note, "  ", screen, &Style::new());
    }
}

fn features(out: &mut String, story: &Explanation, screen: &Screen) {
    let shared: Vec<&ExplainedFeature> = story
        .features
        .iter()
        .filter(|f| f.role != "alone")
        .collect();
    let alone = story.features.len() - shared.len();
    heading(
        out,
        &format!("Shared features ({})", thousands(shared.len() as u64)),
        screen,
    );
    let counted = shared.iter().any(|feature| feature.df.is_some());
    let room = screen
        .width
        .saturating_sub(if counted { 24 } else { 14 })
        .max(8);
    if !shared.is_empty() {
        let df = if counted {
            format!("{:>9} ", "pages")
        } else {
            String::new()
        };
        line(
            out,
            &screen.paint(
                Style::new().dim(),
                &format!("  {} {df}{:>4} {:>4}", pad("", room), "A", "B"),
            ),
        );
    }
    for feature in shared
        .iter()
        .take(if screen.full { usize::MAX } else { FEATURES })
    {
        shared_feature(out, feature, counted, room, screen);
    }
    if shared.len() > FEATURES && !screen.full {
        line(
            out,
            &format!(
                "  and {} more (--full)",
                thousands((shared.len() - FEATURES) as u64)
            ),
        );
    }
    if alone > 0 {
        line(
            out,
            &screen.paint(
                Style::new().dim(),
                &format!("  {} on one page only", thousands(alone as u64)),
            ),
        );
    }
}

/// A feature that both pages have; `room` columns for its name.
fn shared_feature(
    out: &mut String,
    feature: &ExplainedFeature,
    counted: bool,
    room: usize,
    screen: &Screen,
) {
    let df = match (counted, feature.df) {
        (true, df) => format!("{:>9} ", df.map_or("?".to_owned(), thousands)),
        (false, _) => String::new(),
    };
    let row = format!(
        "{} {df}{:>4} {:>4}",
        pad(&clean(&feature.name), room),
        feature.a.len(),
        feature.b.len()
    );
    let (style, why) = match feature.role {
        "common" => (Style::new().dim(), "common: not evidence by itself"),
        "deleted" => (Style::new().dim(), "pruned as noise: not counted"),
        _ => (Style::new(), ""),
    };
    line(out, &format!("  {}", screen.paint(style.clone(), &row)));
    if !why.is_empty() {
        wrapped(out, why, "    ", screen, &style);
    }
}

/// A stretch of both texts: shared, or the text on either side between two shared ones.
enum Stretch {
    Shared(String, Places),
    Apart(String, String),
}

/// From and to in either text.
type Places = [[u32; 2]; 2];

fn stretches(story: &Explanation) -> Vec<Stretch> {
    let texts = [&story.a.text, &story.b.text].map(|text| text.chars().collect::<Vec<_>>());
    let part = |side: usize, from: u32, to: u32| -> String {
        texts[side]
            .get(from as usize..to.max(from) as usize)
            .unwrap_or_default()
            .iter()
            .collect()
    };
    let mut all = Vec::new();
    let (mut in_a, mut in_b) = (0, 0);
    let end = [texts[0].len() as u32, texts[1].len() as u32];
    let same = story
        .passages
        .iter()
        .filter(|passage| passage.kind == PassageKind::Same);
    let last = ([end[0]; 2], [end[1]; 2]);
    for (a, b) in same.map(|passage| (passage.a, passage.b)).chain([last]) {
        let (left, right) = (part(0, in_a, a[0]), part(1, in_b, b[0]));
        if !(left.trim().is_empty() && right.trim().is_empty()) {
            all.push(Stretch::Apart(left, right));
        }
        if a[1] > a[0] {
            all.push(Stretch::Shared(part(0, a[0], a[1]), [a, b]));
        }
        (in_a, in_b) = (a[1], b[1]);
    }
    all
}

/// Text on one page only, if the screen is too narrow for two columns.
fn one_side(out: &mut String, mark: &str, text: &str, style: &Style, screen: &Screen) {
    for part in shorten(lines(text, screen, false), screen) {
        let part = screen.paint(style.clone(), &part);
        line(out, &format!("{mark}{part}"));
    }
}

fn texts(out: &mut String, story: &Explanation, screen: &Screen) {
    let moved: Vec<Places> = story
        .passages
        .iter()
        .filter(|passage| passage.kind == PassageKind::Moved)
        .map(|passage| [passage.a, passage.b])
        .collect();
    let all = stretches(story);
    let shared = all
        .iter()
        .filter(|stretch| matches!(stretch, Stretch::Shared(..)))
        .count();
    heading(
        out,
        &format!(
            "The texts: {} passages shared in order, {} elsewhere",
            thousands(shared as u64),
            thousands(moved.len() as u64)
        ),
        screen,
    );
    let most = if screen.full { usize::MAX } else { STRETCHES };
    let columns = screen.width >= SIDE_BY_SIDE;
    if columns {
        let room = (screen.width - 3) / 2;
        line(
            out,
            &screen.paint(Style::new().bold(), &format!("{}   B", pad("A", room))),
        );
    }
    for stretch in all.iter().take(most) {
        match stretch {
            Stretch::Shared(text, places) => shared_text(out, text, places, columns, screen),
            Stretch::Apart(a, b) if columns => {
                let [a, b] = [a, b].map(|text| lines(text, screen, true));
                let (red, cyan) = (Style::new().red(), Style::new().cyan());
                side_by_side(out, &a, &red, &b, &cyan, screen);
            }
            Stretch::Apart(a, b) => {
                one_side(out, "A ", a, &Style::new().red(), screen);
                one_side(out, "B ", b, &Style::new().cyan(), screen);
            }
        }
    }
    if all.len() > most {
        line(
            out,
            &format!(
                "… and {} further stretches (--full, or --html FILE)",
                thousands((all.len() - most) as u64)
            ),
        );
    }
    moved_texts(out, &story.a.text, &moved, most, screen);
}

/// The passages that both texts have in different orders: in the list above they are parts of one page only.
fn moved_texts(out: &mut String, text: &str, moved: &[Places], most: usize, screen: &Screen) {
    if moved.is_empty() {
        return;
    }
    heading(out, "Shared elsewhere", screen);
    for places in moved.iter().take(most) {
        placed(out, places, screen);
        let [from, to] = places[0].map(|at| at as usize);
        let text: String = text.chars().skip(from).take(to - from).collect();
        one_side(out, "~ ", &text, &Style::new().yellow(), screen);
    }
    if moved.len() > most {
        let more = thousands((moved.len() - most) as u64);
        line(
            out,
            &format!("… and {more} further passages (--full, or --json)"),
        );
    }
}

fn placed(out: &mut String, [a, b]: &Places, screen: &Screen) {
    let places = format!("characters {}–{} of A, {}–{} of B", a[0], a[1], b[0], b[1]);
    line(out, &screen.paint(Style::new().dim(), &places));
}

fn shared_text(out: &mut String, text: &str, places: &Places, columns: bool, screen: &Screen) {
    if screen.full {
        placed(out, places, screen);
    }
    let style = Style::new().green();
    let parts = shorten(lines(text, screen, columns), screen);
    if columns {
        side_by_side(out, &parts, &style, &parts, &style, screen);
        return;
    }
    for part in parts {
        line(out, &format!("= {}", screen.paint(style.clone(), &part)));
    }
}

fn side_by_side(
    out: &mut String,
    a: &[String],
    left: &Style,
    b: &[String],
    right: &Style,
    screen: &Screen,
) {
    let room = (screen.width - 3) / 2;
    for at in 0..a.len().max(b.len()) {
        let part = |side: &[String]| side.get(at).cloned().unwrap_or_default();
        let (a, b) = (part(a), part(b));
        let row = format!(
            "{} │ {}",
            screen.paint(left.clone(), &pad(&a, room)),
            screen.paint(right.clone(), &b)
        );
        line(out, row.trim_end());
    }
}

/// The lines that a text takes in the room there is.
fn lines(text: &str, screen: &Screen, columns: bool) -> Vec<String> {
    let room = if columns {
        (screen.width - 3) / 2
    } else {
        screen.width.saturating_sub(2)
    };
    let blocks = text
        .split('\n')
        .map(str::trim)
        .filter(|block| !block.is_empty());
    blocks.flat_map(|block| wrap(&clean(block), room)).collect()
}

/// The first and last lines of many.
fn shorten(lines: Vec<String>, screen: &Screen) -> Vec<String> {
    if screen.full || lines.len() <= 2 * SHOWN_LINES + 1 {
        return lines;
    }
    let left = lines.len() - 2 * SHOWN_LINES;
    let mut short = lines[..SHOWN_LINES].to_vec();
    short.push(format!("… {} lines …", thousands(left as u64)));
    short.extend_from_slice(&lines[lines.len() - SHOWN_LINES..]);
    short
}

/// Control characters could do anything to a terminal; pages are not trusted.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() || is_format(c) {
                ' '
            } else {
                c
            }
        })
        .collect()
}

/// Marks that turn the direction of writing, which would disarrange the columns.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Cuts a text into lines of at most `room` columns: at spaces where there are some, between any two wide characters.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(2);
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    // Where the line may be broken, and the columns used up to there.
    let mut at = None;
    for c in text.chars() {
        let wide = width(c);
        if used + wide > room {
            let rest = match at {
                Some((cut, _)) if c != ' ' && cut < line.len() => line.split_off(cut),
                _ => String::new(),
            };
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            line = rest;
            used = line.chars().map(width).sum();
            at = None;
            if c == ' ' && line.is_empty() {
                continue;
            }
        }
        if wide == 2 {
            at = Some((line.len(), used));
        }
        line.push(c);
        used += wide;
        if c == ' ' || wide == 2 {
            at = Some((line.len(), used));
        }
    }
    if !line.trim().is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// The text in exactly `room` columns, cut with an ellipsis or filled up with spaces.
fn pad(text: &str, room: usize) -> String {
    let all: usize = text.chars().map(width).sum();
    if all <= room {
        return format!("{text}{}", " ".repeat(room - all));
    }
    let (mut cut, mut used) = (String::new(), 0);
    for c in text.chars() {
        if used + width(c) + 1 > room {
            break;
        }
        cut.push(c);
        used += width(c);
    }
    format!("{cut}…{}", " ".repeat(room.saturating_sub(used + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_takes_two_columns() {
        assert_eq!(wrap("今天天气很好", 6), ["今天天", "气很好"]);
        // 4 + 1 + 2 columns, and again.
        assert_eq!(wrap("今天 is fine 好", 7), ["今天 is", "fine 好"]);
        assert_eq!(wrap("a long-word b", 6), ["a", "long-w", "ord b"]);
        assert_eq!(pad("今天", 6), "今天  ");
        assert_eq!(pad("今天天气", 6), "今天… ");
        assert_eq!(clean("a\u{1b}[31mb\u{202E}c"), "a [31mb c");
    }
}
