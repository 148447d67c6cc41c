//! The output of a search: a parameter file, and an HTML page that shows the search.

use std::fmt::Write;

use retold::eval::Score;
use retold::method::ParamValue;

use super::tuned::{Tuned, value_of};

impl Tuned {
    /// The parameter file for `--param-file`.
    pub fn params_file(&self) -> String {
        params_file(self)
    }

    /// A self-contained page that shows the search.
    pub fn html(&self) -> String {
        html(self)
    }
}

fn params_file(tuned: &Tuned) -> String {
    let mut file = format!(
        "# retold-lab tune: F{} on held-out pages {:.4} (before: {:.4}), seed {}\n[{}]\n",
        tuned.beta,
        tuned.scores.held_after.f_beta(tuned.beta),
        tuned.scores.held_before.f_beta(tuned.beta),
        tuned.seed,
        tuned.method
    );
    for (name, value) in tuned.after.iter() {
        // Writing to a string cannot fail.
        let _ = match value {
            ParamValue::Choice(choice) => writeln!(file, "{name} = \"{choice}\""),
            number => writeln!(file, "{name} = {number}"),
        };
    }
    file
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;

fn html(tuned: &Tuned) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>retold-lab tune: {0}</title>\n<style>body{{\
         font:15px/1.5 sans-serif;max-width:44em;margin:2em auto;padding:0 1em}}td,th{{padding:.2em 1em .2em 0;\
         text-align:left}}svg{{width:100%}}</style>\n<h1>{0}, tuned</h1>\n",
        tuned.method
    );
    let _ = writeln!(
        page,
        "<p>{} sets of parameters tried on {} pages; {} pages were held out. Seed {}.</p>\n{}",
        tuned.tried.len(),
        tuned.pages.0,
        tuned.pages.1,
        tuned.seed,
        picture(tuned)
    );
    page.push_str("<p>Each dot is a set of parameters; the line is the best so far, on the pages that the search saw.</p>\n");
    let _ = writeln!(page, "<p><b>{}</b></p>", tuned.verdict());
    let beta = tuned.beta;
    let _ = writeln!(page, "<table><tr><th><th>precision<th>recall<th>F{beta}");
    let scores = &tuned.scores;
    for (name, score) in [
        ("held out, before", scores.held_before),
        ("held out, tuned", scores.held_after),
        ("seen, before", scores.seen_before),
        ("seen, tuned", scores.seen_after),
    ] {
        page.push_str(&row(name, score, beta));
    }
    page.push_str("</table>\n<table><tr><th>parameter<th>before<th>tuned<th>range\n");
    for param in &tuned.searched {
        let [before, after] = [&tuned.before, &tuned.after].map(|p| value_of(p, param.name));
        let _ = writeln!(
            page,
            "<tr><td>{}<td>{before}<td>{after}<td>{}",
            param.name, param.domain
        );
    }
    page.push_str("</table>\n</html>\n");
    page
}

fn row(name: &str, score: Score, beta: f64) -> String {
    let part = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |v| format!("{v:.4}"));
    let (precision, recall) = (part(score.precision), part(score.recall));
    format!(
        "<tr><td>{name}<td>{precision}<td>{recall}<td>{:.4}\n",
        score.f_beta(beta)
    )
}

fn picture(tuned: &Tuned) -> String {
    let values = || tuned.tried.iter().map(|(_, f)| *f);
    let high = values().fold(0.0, f64::max);
    // Very bad sets would compress the rest of the scale.
    let low = (high - 0.3).max(0.0);
    let last = tuned.tried.len().max(2) as f64 - 1.0;
    let place = |(number, f): (usize, f64)| {
        let x = 45.0 + (WIDTH - 55.0) * number as f64 / last;
        let y = 10.0 + (HEIGHT - 30.0) * (1.0 - ((f - low) / (high - low).max(1e-9)).max(0.0));
        (x, y)
    };
    let mut dots = String::new();
    let mut line = String::new();
    let mut best: f64 = 0.0;
    for (number, f) in values().enumerate() {
        best = best.max(f);
        let (x, y) = place((number, f));
        let _ = write!(dots, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\"/>");
        let (x, y) = place((number, best));
        let _ = write!(line, "{x:.1},{y:.1} ");
    }
    let mut marks = String::new();
    for step in 0..=3 {
        let f = low + (high - low) * f64::from(step) / 3.0;
        let y = place((0, f)).1;
        let _ = write!(marks, "<text x=\"2\" y=\"{:.1}\">{f:.3}</text>", y + 4.0);
    }
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-size=\"11\"><g fill=\"#89a\">{dots}</g><polyline fill=\"none\" \
         stroke=\"#c40\" stroke-width=\"2\" points=\"{}\"/>{marks}</svg>",
        line.trim_end()
    )
}
