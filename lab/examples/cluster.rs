//! Draws the measurements of `lab/spark.py` like CCDet's Fig. 10: time against pages, and against workers.
//!
//!     cargo run --release -p retold-lab --example cluster -- RUNS.jsonl > OUT.svg
//!
//! `RUNS.jsonl` has the lines printed by `lab/spark.py`, from any number of calls. Runs without workers are local runs. Times by pages come
//! from runs with whole cores; times by workers come from runs with shares of a core, if there are any. Nothing is extrapolated: only
//! numbers of workers that were run are drawn.

use std::collections::BTreeMap;
use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use serde::Deserialize;

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Line = (String, Vec<(f64, f64)>);

const COLOURS: [RGBColor; 4] = [
    RGBColor(0x1f, 0x5f, 0xa8),
    RGBColor(0xc2, 0x57, 0x1a),
    RGBColor(0x2e, 0x7d, 0x32),
    RGBColor(0x6a, 0x3d, 0x9a),
];

#[derive(Deserialize)]
struct Run {
    pages: u32,
    workers: u32,
    /// Share of a core of each worker; a whole core if absent.
    #[serde(default)]
    share: Option<f64>,
    seconds: f64,
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).ok_or("RUNS.jsonl expected")?;
    let text = std::fs::read_to_string(path)?;
    let runs: std::result::Result<Vec<Run>, _> = text.lines().map(serde_json::from_str).collect();
    let runs = runs?;
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (960, 380)).into_drawing_area();
        root.fill(&WHITE)?;
        let (bounded, whole): (Vec<Run>, Vec<Run>) =
            runs.into_iter().partition(|run| run.share.is_some());
        let (by_workers, what) = match bounded.first().and_then(|run| run.share) {
            Some(share) => (
                against_workers(&bounded),
                format!("workers of {share} of a core"),
            ),
            None => (against_workers(&whole), "workers of one core".to_owned()),
        };
        let (left, right) = root.split_horizontally(if by_workers.is_empty() { 960 } else { 540 });
        draw(&left, "pages (thousands)", &against_pages(&whole))?;
        if !by_workers.is_empty() {
            draw(&right, &what, &by_workers)?;
        }
        root.present()?;
    }
    print!("{svg}");
    Ok(())
}

/// A line for each number of workers.
fn against_pages(runs: &[Run]) -> Vec<Line> {
    let mut lines: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for run in runs {
        let point = (f64::from(run.pages) / 1e3, run.seconds);
        lines.entry(run.workers).or_default().push(point);
    }
    let name = |workers| match workers {
        0 => "one machine, two cores".to_owned(),
        1 => "1 worker".to_owned(),
        more => format!("{more} workers"),
    };
    lines
        .into_iter()
        .map(|(workers, points)| (name(workers), sorted(points)))
        .collect()
}

/// A line for each number of pages that was run with several numbers of workers; the two largest only.
fn against_workers(runs: &[Run]) -> Vec<Line> {
    let mut lines: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.workers > 0) {
        let point = (f64::from(run.workers), run.seconds);
        lines.entry(run.pages).or_default().push(point);
    }
    let lines = lines.into_iter().filter(|(_, points)| points.len() > 1);
    let named = lines.map(|(pages, points)| (format!("{pages} pages"), sorted(points)));
    named.rev().take(2).collect()
}

fn sorted(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

fn draw(area: &Area<'_>, what: &str, lines: &[Line]) -> Result<()> {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(1.0, f64::max) * 1.08;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..most(|point| point.0), 0.0..most(|point| point.1))?;
    chart
        .configure_mesh()
        .x_desc(what)
        .y_desc("seconds")
        .x_labels(6)
        .x_label_formatter(&|value| value.to_string())
        .y_label_formatter(&|value| value.to_string())
        .light_line_style(TRANSPARENT)
        .draw()?;
    for ((name, points), colour) in lines.iter().zip(COLOURS) {
        let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3);
        chart
            .draw_series(line)?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .position(SeriesLabelPosition::UpperLeft)
        .draw()?;
    Ok(())
}
