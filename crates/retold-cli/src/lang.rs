//! Chinese for what the command shows to people. Sources are in English; finished lines are looked up in tables just before they are shown,
//! so that what programs read never changes.

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::{LazyLock, OnceLock};

use unicode_width::UnicodeWidthChar;

/// Sentences of the help: English, a tab, Chinese; without the full stop at the end.
const HELP: &str = include_str!("zh.tsv");
/// Messages, with `{}` for what varies, `(s)` for a plural, and `{1}`, `{2}` and so on in the Chinese.
const MESSAGES: &str = include_str!("zh-messages.tsv");

static IS_CHINESE: OnceLock<bool> = OnceLock::new();

/// A language of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// English
    En,
    /// Chinese
    Zh,
}

/// Sets the language: that of `--lang`, or else of the environment.
pub fn choose(arguments: &[OsString]) {
    let of_environment = || {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
        let mut values = names
            .into_iter()
            .filter_map(|name| std::env::var(name).ok());
        values.find(|value| !value.is_empty())
    };
    let name = asked_for(arguments)
        .map(str::to_owned)
        .or_else(of_environment);
    // The first call counts.
    let _ = IS_CHINESE.set(name.is_some_and(|name| name.starts_with("zh")));
}

/// The value of `--lang`, before the arguments are parsed.
fn asked_for(arguments: &[OsString]) -> Option<&str> {
    let mut arguments = arguments.iter().filter_map(|argument| argument.to_str());
    let mut asked = None;
    while let Some(argument) = arguments.next().filter(|argument| *argument != "--") {
        match argument.strip_prefix("--lang") {
            Some("") => asked = arguments.next(),
            Some(value) => asked = value.strip_prefix('=').or(asked),
            None => {}
        }
    }
    asked
}

/// Whether people are addressed in Chinese.
pub fn is_chinese() -> bool {
    IS_CHINESE.get().copied().unwrap_or_default()
}

/// A message in the language of the user.
pub fn message(text: &str) -> Cow<'_, str> {
    match is_chinese() {
        false => Cow::Borrowed(text),
        true => Cow::Owned(translated(text, false).unwrap_or_else(|| in_chinese(text))),
    }
}

/// Lines in the language of the user.
pub fn lines(text: &str) -> Cow<'_, str> {
    match is_chinese() {
        false => Cow::Borrowed(text),
        true => Cow::Owned(in_chinese(text)),
    }
}

/// The Chinese of lines, as far as the table has it.
pub fn in_chinese(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        let (line, end) = line
            .strip_suffix('\n')
            .map_or((line, ""), |line| (line, "\n"));
        format!(
            "{}{end}",
            translated(line, false).unwrap_or_else(|| line.to_owned())
        )
    });
    lines.collect()
}

/// A pattern of the table of messages.
struct Pattern {
    /// The literal parts; there is a hole between each two of them.
    parts: Vec<&'static str>,
    chinese: &'static str,
}

impl Pattern {
    fn of(line: &'static str) -> Option<Pattern> {
        let (english, chinese) = line.split_once('\t')?;
        let parts = english.split("{}").collect();
        Some(Pattern { parts, chinese })
    }

    fn literals(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    /// What stands in the holes if the pattern matches the whole text.
    fn holes<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let (first, others) = self.parts.split_first()?;
        let mut rest = text.get(begins(text, first)?..)?;
        let mut holes = Vec::new();
        for (number, part) in others.iter().enumerate() {
            let is_last = number + 1 == others.len();
            let (hole, behind) = match (is_last, part.is_empty()) {
                (true, true) => (rest, ""),
                (true, false) => {
                    let places = rest.char_indices().map(|(at, _)| at).skip(1);
                    let mut ends =
                        places.filter(|&at| begins(&rest[at..], part) == Some(rest.len() - at));
                    (&rest[..ends.next()?], "")
                }
                (false, _) => {
                    let mut places = rest.char_indices().map(|(at, _)| at).skip(1);
                    let at = places.find(|&at| begins(&rest[at..], part).is_some())?;
                    (&rest[..at], &rest[at + begins(&rest[at..], part)?..])
                }
            };
            holes.push(hole);
            rest = behind;
        }
        rest.is_empty().then_some(holes)
    }
}

/// The length of the beginning of a text that is like a literal part, in which `(s)` stands for a plural s or none.
fn begins(text: &str, part: &str) -> Option<usize> {
    let mut at = 0;
    for (number, piece) in part.split("(s)").enumerate() {
        if number > 0 && text[at..].starts_with('s') {
            at += 1;
        }
        at += text[at..].starts_with(piece).then_some(piece.len())?;
    }
    Some(at)
}

/// The Chinese of a text, by the pattern with the most literal characters; `None` if there is none. What stands in the hole of another text
/// may be a name that looks like a word of the table, so single words are left there.
fn translated(text: &str, is_in_hole: bool) -> Option<String> {
    static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
        let mut patterns: Vec<Pattern> = MESSAGES.lines().filter_map(Pattern::of).collect();
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.literals()));
        patterns
    });
    let is_word = |pattern: &Pattern| pattern.parts.len() == 1 && !pattern.parts[0].contains(' ');
    let mut found = PATTERNS
        .iter()
        .filter(|pattern| !is_in_hole || !is_word(pattern))
        .filter_map(|pattern| Some((pattern, pattern.holes(text)?)));
    let (pattern, holes) = found.next()?;
    let mut chinese = String::new();
    let mut rest = pattern.chinese;
    while let Some(at) = rest.find('{') {
        let hole = rest[at + 1..].split('}').next().unwrap_or_default();
        let number: Option<usize> = hole.parse().ok();
        let hole_text = number.and_then(|number| holes.get(number.checked_sub(1)?));
        chinese.push_str(&rest[..at]);
        match hole_text {
            Some(text) => {
                chinese.push_str(&translated(text, true).unwrap_or_else(|| (*text).to_owned()))
            }
            None => chinese.push_str(&rest[at..at + hole.len() + 2]),
        }
        rest = &rest[at + hole.len() + 2..];
    }
    chinese.push_str(rest);
    Some(chinese)
}

/// Columns of the terminal, at most 100.
pub fn width() -> usize {
    let size = console::Term::stdout().size_checked();
    size.map_or(100, |(_, columns)| usize::from(columns).min(100))
}

/// Help in Chinese. It was made for a terminal of any width, so each paragraph is a line; it is wrapped to `width` columns.
pub fn help(text: &str, width: usize) -> String {
    let mut help = String::new();
    for line in text.lines() {
        let (line, column) = help_line(line);
        wrap(&line, column, width, &mut help);
    }
    help
}

fn sentence(english: &str) -> Option<Cow<'static, str>> {
    let (text, end) = english
        .strip_suffix('.')
        .map_or((english, ""), |text| (text, "。"));
    let lines = HELP.lines().filter_map(|line| line.split_once('\t'));
    let chinese = lines
        .into_iter()
        .find(|(key, _)| *key == text || *key == english);
    chinese.map(|(key, chinese)| match key == text && !end.is_empty() {
        true => format!("{chinese}{end}").into(),
        false => chinese.into(),
    })
}

/// A line of help in Chinese, and the column under which its continuation stands.
fn help_line(line: &str) -> (String, usize) {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    // The name of a group of options.
    if let Some(heading) = line.strip_suffix(':').and_then(sentence) {
        return (format!("{heading}："), 0);
    }
    let known = |text: &str| sentence(text).map(Cow::into_owned);
    if let Some(chinese) = known(text) {
        return (format!("{}{chinese}", &line[..indent]), indent);
    }
    // What an option is called, two spaces, and what it does.
    let option = text
        .split_once("  ")
        .map(|(name, rest)| (name, rest.trim_start()));
    if let Some((name, rest)) = option.filter(|(_, rest)| !rest.is_empty()) {
        let column = line.len() - rest.len();
        return (
            format!(
                "{:column$}{}",
                format!("{}{name}", &line[..indent]),
                with_brackets(rest)
            ),
            column,
        );
    }
    // A possible value.
    if let Some((value, meaning)) = text
        .strip_prefix("- ")
        .and_then(|text| text.split_once(": "))
        && let Some((value_name, meaning)) = Some((value.trim_end(), meaning.trim_start()))
        && let Some(chinese) = known(meaning)
    {
        return (
            format!("{}- {value_name}：{chinese}", &line[..indent]),
            indent + 2,
        );
    }
    (
        format!("{}{}", &line[..indent], with_brackets(text)),
        indent,
    )
}

/// A sentence with what clap writes behind it in brackets; or a line that begins with a word of clap.
fn with_brackets(text: &str) -> String {
    let at = text.find(" [").filter(|_| text.ends_with(']'));
    let (text, mut brackets) = match at {
        Some(at) if sentence(&text[..at]).is_some() => (&text[..at], text[at..].to_owned()),
        _ if text.starts_with('[') => ("", text.to_owned()),
        _ => (text, String::new()),
    };
    for word in ["[default:", "[possible values:", "[aliases:"] {
        if let Some(chinese) = sentence(word) {
            brackets = brackets.replace(&format!("{word} "), &chinese);
        }
    }
    let chinese = sentence(text).map(Cow::into_owned).unwrap_or_else(|| {
        let word = text
            .split_once(": ")
            .map(|(word, rest)| (format!("{word}:"), rest));
        let known = word.and_then(|(word, rest)| Some(format!("{}{rest}", sentence(&word)?)));
        known.unwrap_or_else(|| text.to_owned())
    });
    chinese + &brackets
}

/// Breaks a line before a wide character or at a space; what is continued stands under `column`.
fn wrap(line: &str, column: usize, width: usize, to: &mut String) {
    let mut at = 0;
    let mut rest = line;
    loop {
        let mut end = None;
        let mut columns = at;
        for (place, c) in rest.char_indices() {
            let wide = c.width().unwrap_or_default();
            if place > 0
                && (wide == 2 && !"，。；：、）”》！？".contains(c) || rest[..place].ends_with(' '))
            {
                end = Some(place).filter(|_| columns <= width).or(end);
            }
            columns += wide;
            if columns > width {
                break;
            }
        }
        let break_at = end.filter(|_| columns > width);
        let Some(end) = break_at else {
            to.push_str(rest);
            to.push('\n');
            return;
        };
        to.push_str(rest[..end].trim_end());
        to.push('\n');
        to.extend(std::iter::repeat_n(' ', column));
        at = column;
        rest = rest[end..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::*;
    use crate::Cli;

    /// Passes the help of a command and of those below it to `take`.
    fn each_help(command: &mut Command, take: &mut dyn FnMut(&str)) {
        take(&command.render_help().to_string());
        take(&command.render_long_help().to_string());
        for below in command.get_subcommands_mut() {
            if below.get_name() != "help" {
                each_help(below, take);
            }
        }
    }

    /// Whether three English words stand beside each other.
    fn has_english(line: &str) -> bool {
        let is_word = |word: &str| {
            let word = word.trim_matches([',', '.', ';', ':']);
            word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase())
        };
        let words: Vec<&str> = line.split(' ').collect();
        words
            .windows(3)
            .any(|three| three.iter().all(|word| is_word(word)))
    }

    #[test]
    fn all_help_is_there_in_chinese() {
        let mut missing = Vec::new();
        let mut command = Cli::command().term_width(usize::MAX);
        command.build();
        each_help(&mut command, &mut |help| {
            for line in help.lines() {
                let text = line.trim();
                // Examples of commands stay as they are.
                let is_example = ["retold ", "curl ", "zcat ", "{"]
                    .iter()
                    .any(|start| text.starts_with(start));
                let (chinese, _) = help_line(line);
                // Names of values, and what is behind a colon: commands.
                let said = chinese.split(" [").next().unwrap_or_default();
                let said = said.split('：').next().unwrap_or_default();
                if !is_example && has_english(said) {
                    missing.push(chinese);
                }
            }
        });
        missing.sort();
        missing.dedup();
        assert!(missing.is_empty(), "not in zh.tsv:\n{}", missing.join("\n"));
    }

    #[test]
    fn what_is_wrong_with_arguments_is_said_in_chinese() {
        for (line, chinese) in [
            ("dedupe x", "不认识命令 'dedupe'"),
            ("dedup x -o y --treads 2", "有一个相近的参数：'--threads'"),
            ("dedup x -o y -z", "不认识参数 '-z'"),
            ("dedup x", "缺少以下必需的参数："),
            ("dedup x -o", "需要一个值，但没有给出"),
            ("dedup x -o y --extract most", "[可选值：none, main, "),
            ("dedup x -o y --own 5%", "应为 WORDS 或 WORDS,SHARE%"),
            ("dedup x -o y --memory 4X", "应为字节数"),
            ("dedup x -o y --seed", "不认识参数 '--seed'"),
            ("dedup x -o y --param a", "应为 NAME=VALUE"),
            ("dedup x -o y --no-kept --mark a", "不能与 '--mark' 同用"),
            ("index --lang zh", "需要一个子命令，但没有给出"),
            (
                "explain a b --ids c",
                "错误：'--ids <A> <B>' 需要 2 个值，但给出了 1 个",
            ),
            ("pairs x -n 0", "应为不小于 1 的整数"),
            ("methods a b", "不认识参数 'b'"),
            (
                "dedup x -o y --stop-if 5",
                "以及大于 0、不超过 100 % 的比例",
            ),
        ] {
            let arguments = std::iter::once("retold").chain(line.split(' '));
            let error = Cli::command()
                .term_width(usize::MAX)
                .try_get_matches_from(arguments)
                .expect_err(line);
            let said = in_chinese(&error.render().to_string());
            assert!(said.contains(chinese), "{line}: {said}");
            // Lists of values and commands.
            let lines = said.lines().filter(|line| !line.starts_with("  ["));
            let english: Vec<&str> = lines.filter(|line| has_english(line)).collect();
            assert!(english.is_empty(), "{line}: {english:?}");
        }
    }

    #[test]
    fn tables_are_sorted_and_their_holes_agree() {
        for (name, table) in [("zh.tsv", HELP), ("zh-messages.tsv", MESSAGES)] {
            let keys: Vec<&str> = table
                .lines()
                .map(|line| line.split_once('\t').expect("a tab").0)
                .collect();
            assert!(
                keys.is_sorted_by(|a, b| a.as_bytes() < b.as_bytes()),
                "{name}"
            );
        }
        for line in MESSAGES.lines() {
            let pattern = Pattern::of(line).expect("a tab");
            for hole in 1..pattern.parts.len() {
                let name = format!("{{{hole}}}");
                assert!(pattern.chinese.contains(&name), "{line}: {name}");
            }
            let last = format!("{{{}}}", pattern.parts.len());
            assert!(!pattern.chinese.contains(&last), "{line}: {last}");
        }
    }

    #[test]
    fn messages_by_hand() {
        let pattern =
            Pattern::of("{} page(s) read: {} kept{}\t读取 {1} 个网页：保留 {2} 个{3}").unwrap();
        assert_eq!(
            pattern.holes("1 page read: 1 kept"),
            Some(vec!["1", "1", ""])
        );
        assert_eq!(
            pattern.holes("1,234 pages read: 12 kept, and more"),
            Some(vec!["1,234", "12", ", and more"])
        );
        assert_eq!(pattern.holes("pages read: 12 kept"), None);
        for (english, chinese) in [
            (
                "15 pages read: 9 kept, 6 dropped as copies (40.0 % of pages, 36.2 % of bytes: 3.1 KiB)\n",
                "读取 15 个网页：保留 9 个，去除 6 个（占网页数的 40.0 %，字节数的 36.2 %，即 3.1 KiB）\n",
            ),
            // What no table has stays as it is, and so does a file that is called like a stage.
            ("no line of the table\nx", "no line of the table\nx"),
            ("cannot write words: x", "无法写入 words：x"),
        ] {
            assert_eq!(in_chinese(english), chinese);
        }
    }

    #[test]
    fn lines_are_wrapped_at_characters() {
        let mut wrapped = String::new();
        wrap("  --own  一二三四五六，七八九十", 9, 20, &mut wrapped);
        assert_eq!(
            wrapped,
            "  --own  一二三四五\n         六，七八九\n         十\n"
        );
    }

    #[test]
    fn the_language_is_asked_for_or_that_of_the_environment() {
        let asked = |arguments: &[&str]| {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            asked_for(&arguments).map(str::to_owned)
        };
        assert_eq!(asked(&["retold", "--lang", "zh"]).as_deref(), Some("zh"));
        assert_eq!(
            asked(&["retold", "dedup", "--lang=en", "x"]).as_deref(),
            Some("en")
        );
        assert_eq!(asked(&["retold", "dedup", "--", "--lang=zh"]), None);
        assert_eq!(asked(&["retold", "--language"]), None);
    }
}
