//! Line charts as SVG whose colours are variables of the page, so that one drawing suits light and dark mode.
//!
//! `plotters` draws; it knows fixed colours only. Each role (text, grid, the line of a series) is therefore drawn in a
//! colour of its own that stands for nothing, and [`with_variables`] puts the page's variables in their place.
//! Logarithmic axes and percentiles are linear axes over transformed values; ticks are chosen here for all of them.

use std::ops;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;

use super::ticks::{self, Axis};
use crate::limits::{CHART_MARKERS_MAX, CHART_SERIES_MAX};

/// Width and height of the drawing, in units of which 13 make the height of a label. The page scales it.
const SIZE: (u32, u32) = (480, 280);
/// Height of the labels' text.
const TEXT: i32 = 16;
/// Colours that stand for text and for grid lines.
const INK: RGBColor = RGBColor(0xF1, 0x0A, 0x01);
const GRID: RGBColor = RGBColor(0xF1, 0x0A, 0x02);

/// How strongly a line is drawn: lines of one server differ in this, servers in colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    #[default]
    Strong,
    Medium,
    Light,
}

/// What a line is drawn in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    /// The accent of the run with this number, from 0.
    Run(usize),
    /// What others published.
    Published,
    /// Errors.
    Error,
}

/// One line.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
    pub(super) colour: Colour,
    pub(super) tone: Tone,
    pub(super) dashed: bool,
}

/// A chart before it is drawn.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub(super) title: String,
    /// What the vertical axis shows, with its unit; it stands above the chart.
    pub(super) y_label: String,
    /// The same of the horizontal axis; it stands below.
    pub(super) x_label: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
}

/// A chart could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("the chart '{title}' could not be drawn: {text}")]
pub struct ChartError {
    title: String,
    text: String,
}

impl Colour {
    /// The page's variable for it.
    pub(super) fn variable(self) -> String {
        match self {
            Self::Run(slot) => format!("var(--run-{})", slot % CHART_SERIES_MAX),
            Self::Published => "var(--published)".to_owned(),
            Self::Error => "var(--error)".to_owned(),
        }
    }
}

impl Tone {
    /// Opacity of the line.
    pub(super) fn opacity(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Medium => ".75",
            Self::Light => ".5",
        }
    }
}

impl Chart {
    /// The drawing; `None` when no series has a point to draw.
    pub(super) fn svg(&self) -> Result<Option<String>, ChartError> {
        let points =
            |pick: fn(&(f64, f64)) -> f64| self.series.iter().flat_map(move |series| series.points.iter().map(pick));
        let (Some(x), Some(y)) =
            (ticks::range(self.x, false, points(|point| point.0)), ticks::range(self.y, true, points(|point| point.1)))
        else {
            return Ok(None);
        };
        let mut svg = String::new();
        self.draw(&mut svg, &x, &y)
            .map_err(|error| ChartError { title: self.title.clone(), text: error.to_string() })?;
        Ok(Some(with_variables(&svg, &self.series)))
    }

    fn draw(&self, svg: &mut String, x: &ticks::Range, y: &ticks::Range) -> Result<(), Box<dyn std::error::Error>> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin_top(10)
            .margin_right(18)
            .x_label_area_size(48)
            .y_label_area_size(52)
            .build_cartesian_2d(Places { axis: self.x, range: x.clone() }, Places { axis: self.y, range: y.clone() })?;
        let text = ("sans-serif", TEXT).into_font().color(&INK);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(GRID)
            .axis_style(GRID)
            .label_style(text.clone())
            .axis_desc_style(text)
            .x_desc(&self.x_label)
            .draw()?;
        for (index, series) in self.series.iter().enumerate() {
            let colour = stand_in(index);
            let points: Vec<_> =
                series.points.iter().filter_map(|(a, b)| Some((self.x.place(*a)?, self.y.place(*b)?))).collect();
            if points.len() <= CHART_MARKERS_MAX {
                chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, colour.filled())))?;
            }
            chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
        }
        drop(chart);
        area.present()?;
        Ok(())
    }
}

/// An axis as `plotters` wants it.
struct Places {
    axis: Axis,
    range: ticks::Range,
}

impl Ranged for Places {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    #[expect(clippy::cast_possible_truncation, reason = "pixels of a drawing")]
    fn map(&self, place: &f64, (begin, end): (i32, i32)) -> i32 {
        let share = (place - self.range.low) / (self.range.high - self.range.low);
        begin + (f64::from(end - begin) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // The fine lines between the labelled ones are left out.
        if hint.weight().allow_light_points() { Vec::new() } else { self.range.ticks.clone() }
    }

    fn range(&self) -> ops::Range<f64> {
        self.range.low..self.range.high
    }
}

impl ValueFormatter<f64> for Places {
    fn format_ext(&self, place: &f64) -> String {
        self.axis.label(*place)
    }
}

/// The colour that stands for a series until the page's variable replaces it.
fn stand_in(index: usize) -> RGBColor {
    RGBColor(0xF1, 0x0B, u8::try_from(index).unwrap_or(u8::MAX))
}

/// Puts the page's variables in the place of the colours, and its fonts in that of the named one.
fn with_variables(svg: &str, series: &[Series]) -> String {
    let hexadecimal = |RGBColor(red, green, blue): RGBColor| format!("#{red:02X}{green:02X}{blue:02X}");
    let mut page = svg.replace(" font-family=\"sans-serif\"", "");
    for (colour, variable) in [(INK, "var(--muted)"), (GRID, "var(--line)")] {
        page = page.replace(&hexadecimal(colour), variable);
    }
    for (index, series) in series.iter().enumerate() {
        let (variable, opacity) = (series.colour.variable(), series.tone.opacity());
        let dashes = if series.dashed { " stroke-dasharray=\"6 5\"" } else { "" };
        let colour = hexadecimal(stand_in(index));
        let line = format!("stroke=\"{variable}\" stroke-opacity=\"{opacity}\" stroke-linejoin=\"round\"{dashes}");
        page = page
            .replace(&format!("stroke=\"{colour}\""), &line)
            .replace(&format!("fill=\"{colour}\""), &format!("fill=\"{variable}\" fill-opacity=\"{opacity}\""));
    }
    // The page sets its width, and its accessible name.
    let (width, height) = SIZE;
    page.replacen(&format!("<svg width=\"{width}\" height=\"{height}\" "), "<svg role=\"img\" ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>) -> Chart {
        let series = Series { name: "p99".to_owned(), points, colour: Colour::Run(1), tone: Tone::Light, dashed: true };
        Chart {
            title: "Latency".to_owned(),
            y_label: "ms".to_owned(),
            x_label: "users <b>".to_owned(),
            x: Axis::Linear,
            y: Axis::Logarithmic,
            series: vec![series],
        }
    }

    #[test]
    fn the_drawing_has_no_colour_of_its_own() {
        let svg = chart(vec![(1.0, 2.0), (1000.0, 300.0)]).svg().unwrap().unwrap();
        assert!(!svg.contains("=\"#"), "{svg}");
        for part in ["var(--run-1)", "stroke-dasharray", "var(--muted)", "var(--line)", "viewBox", "role=\"img\""] {
            assert!(svg.contains(part), "no {part} in {svg}");
        }
        assert!(!svg.contains("<b>") && !svg.contains("font-family") && !svg.contains("width=\"480\""), "{svg}");
    }

    #[test]
    fn nothing_to_draw_is_no_drawing() {
        assert!(chart(Vec::new()).svg().unwrap().is_none());
        assert!(chart(vec![(1.0, 0.0)]).svg().unwrap().is_none(), "zero has no place on a logarithmic axis");
        assert!(chart(vec![(1.0, 5.0)]).svg().unwrap().is_some(), "one point is enough");
    }
}
