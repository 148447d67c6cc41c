//! Tables for Markdown, HTML and terminals.

/// A table.
pub struct Table {
    /// Title.
    pub title: String,
    /// How to read it.
    pub note: String,
    /// Column names.
    pub head: Vec<String>,
    /// The cells; the first one of a row is its name.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell.
pub struct Cell {
    /// Content.
    pub text: String,
    /// Whether it is the best of its column.
    pub best: bool,
}

impl Cell {
    pub fn new(text: impl Into<String>) -> Cell {
        Cell {
            text: text.into(),
            best: false,
        }
    }
}

/// A number with three decimals; `–` for 0/0.
pub(super) fn part(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}

/// A number with about three digits.
pub(super) fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

impl Table {
    /// The table in Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = format!("## {}\n\n{}\n\n", self.title, self.note);
        text += &line(self.head.clone());
        let rule = |at: usize| if at == 0 { "---" } else { "---:" };
        text += &line((0..self.head.len()).map(|at| rule(at).to_owned()).collect());
        for row in &self.rows {
            let cell = |cell: &Cell| match cell.best {
                true => format!("**{}**", cell.text),
                false => cell.text.clone(),
            };
            text += &line(row.iter().map(cell).collect());
        }
        text
    }

    /// The table for a terminal.
    pub fn plain(&self) -> String {
        let cells = self
            .rows
            .iter()
            .map(|row| row.iter().map(|c| &*c.text).collect());
        let head: Vec<&str> = self.head.iter().map(String::as_str).collect();
        let lines: Vec<Vec<&str>> = std::iter::once(head).chain(cells).collect();
        let width = |column: usize| {
            let cells = lines.iter().map(|line| line[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut text = format!("{}\n\n", self.title);
        for line in &lines {
            text += &format!("{:1$}", line[0], widths[0]);
            for (cell, width) in line.iter().zip(&widths).skip(1) {
                text += &format!("  {cell:>width$}");
            }
            text.push('\n');
        }
        text
    }

    /// Marks the largest values of a column.
    pub(super) fn mark_best(&mut self, column: usize, values: &[Option<f64>]) {
        let best = values.iter().flatten().copied().fold(f64::MIN, f64::max);
        for (row, value) in self.rows.iter_mut().zip(values) {
            // Compares the values as printed.
            row[column].best = value.is_some_and(|value| value >= best - 0.0005);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_the_same_in_markdown_and_in_columns() {
        let cell = |text: &str, best| Cell {
            text: text.into(),
            best,
        };
        let table = Table {
            title: "T".into(),
            note: "N".into(),
            head: vec!["method".into(), "F1".into()],
            rows: vec![
                vec![cell("a", false), cell("0.5 ±0.1", true)],
                vec![cell("longer", false), cell("–", false)],
            ],
        };
        assert_eq!(
            table.markdown(),
            "## T\n\nN\n\n| method | F1 |\n| --- | ---: |\n| a | **0.5 ±0.1** |\n| longer | – |\n"
        );
        assert_eq!(
            table.plain(),
            "T\n\nmethod        F1\na       0.5 ±0.1\nlonger         –\n"
        );
    }

    #[test]
    fn numbers_keep_three_digits() {
        assert_eq!(
            [0.0, 1.234, 12.34, 123.4].map(short),
            ["0.00", "1.23", "12.3", "123"]
        );
        assert_eq!([part(None), part(Some(0.5))], ["–", "0.500"]);
    }
}
