//! Plots as SVG for light and dark mode: elements have classes instead of colours, and a style sheet sets the colours.

use std::ops::Range;

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// A plot.
pub struct Plot {
    /// Title.
    pub title: String,
    /// Labels of the horizontal and the vertical axis.
    pub axes: [&'static str; 2],
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether the horizontal axis is logarithmic.
    pub log: bool,
}

/// A line through points, or points alone.
pub struct Line {
    /// Number of its mark in the legend.
    pub number: usize,
    /// The points, in order.
    pub points: Vec<(f64, f64)>,
    /// Index of the point with a larger mark.
    pub large: Option<usize>,
}

type Failed = DrawingAreaErrorKind<std::io::Error>;

const SIZE: (u32, u32) = (620, 400);

/// Distinct marks: colours times shapes. The shape also says whether a line is dashed.
const COLOURS: usize = 8;
const SHAPES: [char; 4] = ['●', '▲', '■', '✕'];
/// Number of distinct marks.
pub const MARKS: usize = COLOURS * SHAPES.len();

/// The shape of a mark, for the legend.
pub fn shape(number: usize) -> char {
    SHAPES[number % MARKS / COLOURS]
}

/// A stand-in colour that is replaced by a class; plots contain no such colours otherwise.
const fn stand_in(class: u8) -> RGBColor {
    RGBColor(1, 2, class)
}
const INK: RGBColor = stand_in(254);
const GRID: RGBColor = stand_in(255);

impl Plot {
    /// An `<svg>` for a page whose style sheet sets colours for the classes `l0`, `f0`, … (lines and marks), `fill-ink`, `stroke-ink` and
    /// `stroke-grid`.
    pub fn svg(&self) -> std::result::Result<String, String> {
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            let [x, y] = self.ranges();
            if self.log {
                self.draw(&root, x.log_scale(), y)?;
            } else {
                self.draw(&root, x, y)?;
            }
            root.present().map_err(|e| e.to_string())?;
        }
        Ok(with_classes(&svg, &self.title))
    }

    fn draw<X>(
        &self,
        root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
        x: X,
        y: Range<f64>,
    ) -> std::result::Result<(), String>
    where
        X: AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let failed = |e: Failed| e.to_string();
        let mut chart = ChartBuilder::on(root)
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(48)
            .build_cartesian_2d(x, y)
            .map_err(failed)?;
        let text = |size: u32| ("sans-serif", size).into_font().color(&INK);
        chart
            .configure_mesh()
            .x_desc(self.axes[0])
            .y_desc(self.axes[1])
            .axis_desc_style(text(14))
            .label_style(text(13))
            // Steps of a logarithmic axis are products with errors in the last digit.
            .x_label_formatter(&|value| ((value * 1e6).round() / 1e6).to_string())
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()
            .map_err(failed)?;
        self.lines
            .iter()
            .try_for_each(|line| line.draw(&mut chart))
            .map_err(failed)
    }

    /// The ranges of both axes; values from 0 to 1 are rounded down to a tenth.
    fn ranges(&self) -> [Range<f64>; 2] {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let range = |of: fn(&(f64, f64)) -> f64, log: bool| {
            let values = || points().map(of);
            let low = values().fold(f64::INFINITY, f64::min);
            let high = values().fold(f64::NEG_INFINITY, f64::max);
            match (low <= high, log) {
                (false, _) => 0.0..1.0,
                (true, true) => low.max(1e-3) / 1.5..high.max(1e-3) * 1.5,
                (true, false) if high <= 1.0 => {
                    let start = (low * 10.0 - 0.5).floor().clamp(0.0, 9.0) / 10.0;
                    start..1.0
                }
                (true, false) => low..(high + 1e-9),
            }
        };
        [
            range(|point| point.0, self.log),
            range(|point| point.1, false),
        ]
    }
}

type Chart<'a, 'b, X> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, RangedCoordf64>>;

impl Line {
    fn draw<X: Ranged<ValueType = f64>>(
        &self,
        chart: &mut Chart<'_, '_, X>,
    ) -> std::result::Result<(), Failed> {
        let colour = stand_in((self.number % MARKS) as u8);
        let points = || self.points.iter().copied();
        chart.draw_series(LineSeries::new(points(), colour.stroke_width(2)))?;
        for (at, point) in points().enumerate() {
            let size = if self.large == Some(at) { 6 } else { 3 };
            let style = colour.filled();
            let corners = [(-size, -size), (size, size)];
            match shape(self.number) {
                '●' => chart.draw_series([Circle::new(point, size, style)]),
                '▲' => chart.draw_series([TriangleMarker::new(point, size + 1, style)]),
                '■' => {
                    chart.draw_series([EmptyElement::at(point) + Rectangle::new(corners, style)])
                }
                _ => chart.draw_series([Cross::new(point, size, colour.stroke_width(2))]),
            }
            .map(drop)?;
        }
        Ok(())
    }
}

/// Replaces stand-ins by classes, and lets the picture use all available width.
fn with_classes(svg: &str, title: &str) -> String {
    let (width, height) = SIZE;
    let size = format!("width=\"{width}\" height=\"{height}\" ");
    let name = title
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;");
    let mut svg = svg.replacen(&size, &format!("role=\"img\" aria-label=\"{name}\" "), 1);
    let colour = |class: u8| format!("\"#0102{class:02X}\"");
    for class in 0..MARKS as u8 {
        svg = svg.replace(
            &format!("stroke={}", colour(class)),
            &format!("class=\"l{class}\""),
        );
        svg = svg.replace(
            &format!("fill={}", colour(class)),
            &format!("class=\"f{class}\""),
        );
    }
    for (class, name) in [(254, "ink"), (255, "grid")] {
        for paint in ["stroke", "fill"] {
            let (old, new) = (colour(class), format!("class=\"{paint}-{name}\""));
            svg = svg.replace(&format!("{paint}={old}"), &new);
        }
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(lines: usize, log: bool) -> Plot {
        let line = |number: usize| Line {
            number,
            points: (1..20).map(|x| (f64::from(x) / 20.0, 0.9)).collect(),
            large: Some(3),
        };
        Plot {
            title: "a < b & \"c\"".into(),
            axes: ["across", "up"],
            lines: (0..lines).map(line).collect(),
            log,
        }
    }

    #[test]
    fn colours_are_classes_of_the_style_sheet() {
        let svg = plot(MARKS, false).svg().unwrap();
        assert!(!svg.contains("#0102"), "a stand-in is left");
        let style = include_str!("../../templates/compare.css");
        for number in 0..MARKS {
            for class in [format!("l{number}"), format!("f{number}")] {
                assert!(
                    style.contains(&format!(".{class} ")),
                    "{class} has no colour"
                );
            }
            assert!(
                svg.contains(&format!("class=\"l{number}\"")),
                "no line {number}"
            );
        }
        // All combinations of colour and shape occur once.
        let crosses = 3 * MARKS / 4;
        assert!(svg.contains(&format!("class=\"f{}\"", crosses - 1)));
        assert!(
            !svg.contains(&format!("class=\"f{crosses}\"")),
            "crosses are lines"
        );
        assert!(svg.contains("across") && svg.contains("up") && svg.contains("0.9"));
        assert!(svg.contains("aria-label=\"a &lt; b &amp; &quot;c&quot;\""));
    }

    #[test]
    fn a_plot_of_twelve_methods_is_small() {
        let size = plot(12, false).svg().unwrap().len();
        // 12 methods on 6 sets have 20 plots, and the page may have 3 MB.
        assert!(size < 60_000, "{size}");
    }

    #[test]
    fn axes_are_as_long_as_the_points_need() {
        let [x, y] = plot(1, false).ranges();
        // From 0.05 to 0.95: the axes begin at the tenth below.
        assert_eq!((x, y), (0.0..1.0, 0.8..1.0));
        let [x, _] = plot(1, true).ranges();
        assert!(0.03 < x.start && x.start < 0.05 && 0.95 < x.end, "{x:?}");
        assert!(plot(1, true).svg().is_ok());
        assert!(plot(0, false).svg().is_ok());
    }
}
