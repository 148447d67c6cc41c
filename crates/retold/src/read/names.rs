//! Field names: several text fields, paths into nested fields, and the usual names of URLs and dates.

use std::borrow::Cow;

use super::options::ReadOptions;

/// The object that holds the other fields in corpora with only text and id at the top level (datatrove's, for instance).
const USUAL: &str = "metadata";

/// The roles of a field, looked up by its path (names joined by dots).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// Its number among the text fields.
    pub text: Option<usize>,
    /// It is the list whose objects contain that text field.
    pub listed: bool,
    pub html: bool,
    pub id: bool,
    pub url: bool,
    pub date: bool,
    pub site: bool,
    pub title: bool,
    /// Its number among the further fields.
    pub more: Option<usize>,
    /// It stands in for a URL, date or title field that is missing where the options say.
    pub usual: bool,
}

impl Uses {
    pub fn of(path: &str, options: &ReadOptions) -> Uses {
        let is_list = |name: &str| listed(name).is_some_and(|(list, _)| list == path);
        let uses = Uses {
            text: options
                .text_fields()
                .position(|name| name == path || is_list(name)),
            listed: options.text_fields().any(is_list),
            html: options.html_field == path,
            id: options.id_field == path,
            url: options.url_field == path,
            date: options.date_field == path,
            site: options.site_field.as_deref() == Some(path),
            title: options.title_field == path,
            more: options.more_fields.iter().position(|name| name == path),
            usual: false,
        };
        if uses != Uses::default() {
            return uses;
        }
        let inner = path
            .strip_prefix(USUAL)
            .and_then(|rest| rest.strip_prefix('.'));
        let [url, date, title] = [
            &options.url_field,
            &options.date_field,
            &options.title_field,
        ]
        .map(|name| inner.is_some_and(|inner| inner == name));
        Uses {
            url,
            date,
            title,
            usual: url || date || title,
            ..uses
        }
    }

    /// Whether it is a small field of any type.
    pub fn scalar(self) -> bool {
        self.id || self.url || self.date || self.site || self.more.is_some()
    }
}

/// Splits a name like `messages[].content` into the list and the field of its objects; the field is empty if the list holds the texts
/// themselves.
pub(crate) fn listed(name: &str) -> Option<(&str, &str)> {
    let (list, field) = name.split_once("[]")?;
    Some((list, field.strip_prefix('.').unwrap_or(field)))
}

/// Fields that name the speaker of a chat message: OpenAI's and ShareGPT's.
pub(crate) const ROLES: [&str; 2] = ["role", "from"];

/// The path of the field that stands in for `name`.
pub(crate) fn usual(name: &str) -> String {
    format!("{USUAL}.{name}")
}

/// Whether a wanted field may lie inside the field at `path`.
pub(crate) fn has_inside(path: &str, options: &ReadOptions) -> bool {
    let below = |name: &str| {
        name.strip_prefix(path)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    let names = [
        &options.html_field,
        &options.id_field,
        &options.url_field,
        &options.date_field,
        &options.title_field,
    ];
    path == USUAL
        || options.text_fields().any(below)
        || names.into_iter().any(|name| below(name))
        || options.more_fields.iter().any(|name| below(name))
        || options.site_field.as_deref().is_some_and(below)
}

/// The reason for rejecting a table without a text column.
pub(crate) fn no_column<'a>(
    columns: impl ExactSizeIterator<Item = Cow<'a, str>>,
    options: &ReadOptions,
) -> String {
    format!(
        "no column `{}` or `{}`; the columns are: {}; {WHAT_TO_DO}",
        options.text_field,
        options.html_field,
        some_of(columns)
    )
}

/// The reason for rejecting a record without a text; `others` are the fields that it has.
pub(crate) fn no_field(others: &[String], options: &ReadOptions) -> String {
    let neither = format!(
        "neither field `{}` nor `{}`",
        options.text_field, options.html_field
    );
    if others.is_empty() {
        return neither;
    }
    let others = some_of(others.iter().map(Cow::from));
    format!("{neither}; its other fields are: {others}; {WHAT_TO_DO}")
}

const WHAT_TO_DO: &str = "say with --text-field which one holds the text";

/// Some of these names: a header can be as long as a page.
fn some_of<'a>(columns: impl ExactSizeIterator<Item = Cow<'a, str>>) -> String {
    const NAMED: usize = 8;
    const CHARS: usize = 40;
    let others = columns.len().saturating_sub(NAMED);
    let named = columns.take(NAMED).map(|name| {
        let start: String = name.chars().take(CHARS).collect();
        match start.len() < name.len() {
            true => start + "…",
            false => start,
        }
    });
    let mut named = named.collect::<Vec<_>>().join(", ");
    if others > 0 {
        named += &format!(" and {others} more");
    }
    named
}

/// Joins the texts of several fields with blank lines and leaves out empty ones. `None` if there is no field at all.
pub(crate) fn joined<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Option<Vec<u8>> {
    let mut all: Option<Vec<u8>> = None;
    for text in texts {
        let (all, text) = (all.get_or_insert_default(), text.as_ref());
        if !all.is_empty() && !text.is_empty() {
            all.extend_from_slice(b"\n\n");
        }
        all.extend_from_slice(text);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_header_is_told_in_a_few_words() {
        let said = |names: &[&str]| {
            let columns = names.iter().map(|name| Cow::Borrowed(*name));
            no_column(columns, &ReadOptions::default())
        };
        let next = "say with --text-field which one holds the text";
        assert_eq!(
            said(&["a", "b"]),
            format!("no column `text` or `html`; the columns are: a, b; {next}")
        );
        let long = "書".repeat(100_000);
        let many = vec![long.as_str(); 5000];
        let told = said(&many);
        assert!(told.len() < 2000, "{} bytes", told.len());
        assert!(told.contains("…, 書") && told.contains(" and 4992 more; "));
    }
}
