//! The results as a self-contained page.

use std::io;
use std::path::Path;

use askama::Template;
use retold::{Error, Result};

use super::comparison::Comparison;
use super::experiments::{Experiment, Shown};
use super::plot::{MARKS, Plot, shape};
use super::table::Table;

#[derive(Template)]
#[template(path = "compare.html")]
struct Page {
    version: &'static str,
    style: String,
    sections: Vec<Section>,
}

/// A section of the page: plots with one legend, and tables.
struct Section {
    anchor: String,
    title: String,
    marks: Vec<Mark>,
    plots: Vec<Picture>,
    tables: Vec<Table>,
}

struct Mark {
    class: usize,
    shape: char,
    name: String,
}

struct Picture {
    title: String,
    svg: String,
}

impl Comparison {
    /// The HTML page.
    pub fn html(&self) -> Result<String> {
        let specs = self.asked();
        let mut plots = vec![self.mean_f1_over_time(&specs)];
        plots.extend(self.mean_f1_over_threshold(&specs));
        let mut sections = vec![Section {
            anchor: "all".into(),
            title: "All sets".into(),
            marks: self.marks(&specs),
            plots: pictures(&plots)?,
            tables: self.main_tables(),
        }];
        for set in 0..self.sets.len() {
            let mut plots = vec![self.precision_over_recall(set, &specs)];
            plots.extend(self.f1_over_threshold(set, &specs));
            plots.push(self.f1_over_time(set, &specs));
            sections.push(Section {
                anchor: format!("set-{set}"),
                title: self.sets[set].name.clone(),
                marks: self.marks(&specs),
                plots: pictures(&plots)?,
                tables: vec![self.score_table(set, &specs), self.cost_table(set, &specs)],
            });
        }
        for experiment in &self.experiments {
            sections.push(self.experiment(experiment)?);
        }
        let page = Page {
            version: env!("CARGO_PKG_VERSION"),
            style: include_str!("../../templates/compare.css").to_owned() + &hiding(),
            sections,
        };
        page.render().map_err(|e| failed(e.to_string()))
    }

    fn experiment(&self, experiment: &Experiment) -> Result<Section> {
        let (figure, specs) = (experiment.figure, &experiment.specs);
        let plots = experiment.sets.iter().flat_map(|&set| match figure.shows {
            Shown::Threshold => self.f1_over_threshold(set, specs),
            Shown::Recall => vec![self.precision_over_recall(set, specs)],
            Shown::Time => vec![self.f1_over_time(set, specs)],
        });
        Ok(Section {
            anchor: figure.anchor.into(),
            title: figure.title.into(),
            marks: self.marks(specs),
            plots: pictures(&plots.collect::<Vec<Plot>>())?,
            tables: vec![Table {
                title: "Scores and times".into(),
                ..self.figure_table(experiment)
            }],
        })
    }

    fn marks(&self, specs: &[usize]) -> Vec<Mark> {
        let mark = |(number, &spec): (usize, &usize)| Mark {
            class: number % MARKS,
            shape: shape(number),
            name: self.specs[spec].label.clone(),
        };
        specs.iter().enumerate().map(mark).collect()
    }
}

fn pictures(plots: &[Plot]) -> Result<Vec<Picture>> {
    let drawn = plots.iter().filter(|plot| !plot.lines.is_empty());
    let picture = |plot: &Plot| {
        Ok(Picture {
            title: plot.title.clone(),
            svg: plot.svg().map_err(failed)?,
        })
    };
    drawn.map(picture).collect()
}

fn failed(what: String) -> Error {
    Error::io("cannot make", Path::new("compare.html"))(io::Error::other(what))
}

/// CSS rules: an unticked box in a legend hides everything with its mark in that section.
fn hiding() -> String {
    let rule = |n: usize| {
        format!(
            ".plots:has(.b{n}:not(:checked)) .l{n},.plots:has(.b{n}:not(:checked)) .f{n}{{display:none}}\n"
        )
    };
    (0..MARKS).map(rule).collect()
}
