//! JMeter's aggregate table of a scenario, and what it leaves out: longer percentiles, elements, processor, memory.
//!
//! The first ten columns are JMeter's, in its order and with its names. A [`Grid`] is text in cells, still without a
//! form: the terminal, Markdown and the HTML page each give it one. Start at [`aggregate`].

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, TableStyle, presets};

use crate::figures;
use crate::load_label;
use crate::result::{Latency, RequestRow, Row, ScenarioResult};

/// JMeter's columns after the first.
pub const JMETER_COLUMNS: [&str; 9] =
    ["Samples", "Average", "Median", "90% Line", "Min", "Max", "Error%", "Throughput", "KB/sec"];

/// The columns that JMeter does not have.
pub const FURTHER_COLUMNS: [&str; 6] = ["p95", "p99", "p99.9", "Elements/s", "CPU cores", "Memory"];

/// What the columns mean, for below a table.
pub const LEGEND: &str = "Times in milliseconds; throughput in requests a second; KB/sec received; elements a second \
    of successful requests; processor cores used by the server on average and its peak resident memory (if the server \
    is local).";

/// What stands where a figure is not known.
const UNKNOWN: &str = "-";

/// A table of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// One for each column.
    pub headers: Vec<String>,
    /// Cells, as many in each row as there are headers.
    pub rows: Vec<Vec<String>>,
    /// The row to point out: the peak.
    pub marked: Option<usize>,
    /// Columns from the left that hold text and are aligned to the left.
    pub text_columns: usize,
}

/// The table of a scenario by concurrency, its peak marked.
#[must_use]
pub fn aggregate(scenario: &ScenarioResult) -> Grid {
    Grid {
        headers: headers(load_label::column(&scenario.rows)),
        rows: scenario.rows.iter().map(|row| cells(load_label::in_cell(row), row)).collect(),
        marked: scenario.peak.filter(|peak| *peak < scenario.rows.len()),
        text_columns: 0,
    }
}

/// One row for each scenario, at its peak or last concurrency: the overview.
#[must_use]
pub fn overview(scenarios: &[ScenarioResult]) -> Grid {
    let rows = scenarios.iter().filter_map(|scenario| {
        let row = best_row(scenario)?;
        Some(cells(format!("{} {}", scenario.name, load_label::in_cell(row)), row))
    });
    Grid { headers: headers("Label"), rows: rows.collect(), marked: None, text_columns: 1 }
}

/// The requests of a row of a scenario that has several; JMeter's columns as far as they are known by request.
#[must_use]
pub fn by_request(row: &Row) -> Grid {
    let headers = [
        "Label",
        "Samples",
        "Average",
        "Median",
        "90% Line",
        "Min",
        "Max",
        "Error%",
        "Throughput",
        "p95",
        "p99",
        "p99.9",
    ];
    let cells = |request: &RequestRow| {
        let latency = &request.latency;
        let mut cells = vec![request.label.clone(), figures::count(request.samples)];
        cells.extend(times(latency));
        cells.push(figures::percent(share(request.errors, request.samples)));
        cells.push(figures::number(request.throughput_per_s));
        cells.extend(tail(latency));
        cells
    };
    Grid {
        headers: headers.map(str::to_owned).to_vec(),
        rows: row.requests.iter().map(cells).collect(),
        marked: None,
        text_columns: 1,
    }
}

/// The row that stands for a scenario: its peak; or, when no search was made, its fastest row without errors, or the
/// fastest of all where each has some.
#[must_use]
pub fn best_row(scenario: &ScenarioResult) -> Option<&Row> {
    let fastest = |clean: bool| {
        let rows = scenario.rows.iter().filter(move |row| !clean || (row.error_percent == 0.0 && !row.cut_short));
        rows.max_by(|a, b| a.elements_per_s.total_cmp(&b.elements_per_s))
    };
    let peak = scenario.peak.and_then(|peak| scenario.rows.get(peak));
    peak.or_else(|| fastest(true)).or_else(|| fastest(false))
}

fn headers(first: &str) -> Vec<String> {
    [first].into_iter().chain(JMETER_COLUMNS).chain(FURTHER_COLUMNS).map(str::to_owned).collect()
}

fn cells(label: String, row: &Row) -> Vec<String> {
    let mut cells = vec![label, figures::count(row.samples)];
    cells.extend(times(&row.latency));
    cells.push(figures::percent(row.error_percent));
    cells.push(figures::number(row.throughput_per_s));
    cells.push(figures::number(row.kb_per_s));
    cells.extend(tail(&row.latency));
    cells.push(figures::number(row.elements_per_s));
    cells.push(server_cores(row).map_or_else(|| UNKNOWN.to_owned(), figures::number));
    cells.push(row.server_rss_peak_bytes.map_or_else(|| UNKNOWN.to_owned(), figures::bytes));
    cells
}

/// Average, median, 90% line, minimum and maximum.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn times(latency: &Latency) -> [String; 5] {
    let Latency { mean_us, p50_us, p90_us, min_us, max_us, .. } = *latency;
    [mean_us, p50_us as f64, p90_us as f64, min_us as f64, max_us as f64].map(figures::ms)
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn tail(latency: &Latency) -> [String; 3] {
    [latency.p95_us, latency.p99_us, latency.p999_us].map(|us| figures::ms(us as f64))
}

/// Processor cores that the server used on average in a row.
#[must_use]
pub fn server_cores(row: &Row) -> Option<f64> {
    row.server_cpu_s.filter(|_| row.duration_s > 0.0).map(|seconds| seconds / row.duration_s)
}

#[expect(clippy::cast_precision_loss, reason = "two decimals are shown")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

impl Grid {
    /// For a terminal: box lines, the marked row with an arrow. It is as wide as it needs.
    #[must_use]
    pub fn to_terminal(&self) -> String {
        self.table(presets::UTF8_BORDERS_ONLY, false).to_string()
    }

    /// For Markdown, the marked row in bold. Whatever the cells hold, they stay cells.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        // comfy-table knows no alignment marks of Markdown: the second line is made here.
        let table = self.table(presets::ASCII_MARKDOWN, true).to_string();
        let mut lines = table.lines().map(str::to_owned).collect::<Vec<_>>();
        if let Some(line) = lines.get_mut(1) {
            *line = self.alignment_line(line);
        }
        lines.join("\n") + "\n"
    }

    fn table(&self, style: TableStyle, markdown: bool) -> Table {
        let escape = if markdown { markdown_cell } else { str::to_owned };
        let mut table = Table::new();
        table.load_style(style).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(self.headers.iter().map(|header| escape(header)));
        for (index, row) in self.rows.iter().enumerate() {
            let marked = self.marked == Some(index);
            table.add_row(row.iter().enumerate().map(|(column, cell)| {
                let text = escape(cell);
                Cell::new(match (marked, markdown, column) {
                    (true, true, _) if !text.is_empty() => format!("**{text}**"),
                    (true, false, 0) => format!("> {text}"),
                    _ => text,
                })
            }));
        }
        for column in table.column_iter_mut().skip(self.text_columns) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    /// The line of dashes with a colon at the end of columns that hold numbers.
    fn alignment_line(&self, dashes: &str) -> String {
        let columns = dashes.trim_matches('|').split('|').enumerate();
        let aligned = columns.map(|(column, dashes)| match dashes.char_indices().next_back() {
            Some((last, _)) if column >= self.text_columns => format!("{}:", dashes.get(..last).unwrap_or_default()),
            _ => dashes.to_owned(),
        });
        format!("|{}|", aligned.collect::<Vec<_>>().join("|"))
    }
}

/// Text for a cell of a Markdown table: no line breaks, and nothing that ends the cell or begins HTML.
#[must_use]
pub fn markdown_cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' => cell.extend(['\\', character]),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '&' => cell.push_str("&amp;"),
            _ if character.is_control() => cell.push(' '),
            _ => cell.push(character),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(concurrency: u32) -> Row {
        let latency = Latency {
            mean_us: 78_400.0,
            min_us: 310,
            max_us: 3_231_000,
            p50_us: 55_000,
            p90_us: 159_000,
            p95_us: 170_000,
            p99_us: 200_000,
            p999_us: 1_000_000,
        };
        Row {
            concurrency,
            samples: 661_892,
            latency,
            duration_s: 10.0,
            throughput_per_s: 1842.4,
            kb_per_s: 3076.4,
            elements_per_s: 368_480.0,
            server_cpu_s: Some(15.0),
            ..Row::default()
        }
    }

    fn scenario(peak: Option<usize>) -> ScenarioResult {
        ScenarioResult { name: "batch-vertex".to_owned(), rows: vec![row(1000), row(2000)], peak, ..Default::default() }
    }

    #[test]
    fn the_columns_are_jmeters_then_ours() {
        let grid = aggregate(&scenario(Some(1)));
        let jmeter = "Concurrency,Samples,Average,Median,90% Line,Min,Max,Error%,Throughput,KB/sec";
        assert_eq!(grid.headers[..10].join(","), jmeter);
        let expected = "2,000|661,892|78.4|55.0|159|0.31|3,231|0.00%|1,842.4|3,076.4|170|200|1,000|368,480|1.50|-";
        assert_eq!(grid.rows[1].join("|"), expected);
    }

    #[test]
    fn a_table_is_readable_in_both_forms() {
        let grid = Grid {
            headers: vec!["Label".to_owned(), "Samples".to_owned()],
            rows: vec![vec!["a|b".to_owned(), "1".to_owned()], vec!["peak".to_owned(), "1,000".to_owned()]],
            marked: Some(1),
            text_columns: 1,
        };
        let expected =
            "| Label    |   Samples |\n|----------|----------:|\n| a\\|b     |         1 |\n| **peak** | **1,000** |\n";
        assert_eq!(grid.to_markdown(), expected);
        let terminal = grid.to_terminal();
        assert!(terminal.contains("> peak") && terminal.contains("a|b"), "{terminal}");
    }

    #[test]
    fn the_overview_takes_the_peak_or_the_fastest() {
        let grid = overview(&[scenario(Some(0)), scenario(None), ScenarioResult::default()]);
        assert_eq!(grid.rows.len(), 2);
        assert_eq!(grid.rows[0][0], "batch-vertex 1,000");
    }

    proptest! {
        #[test]
        fn markdown_keeps_the_shape(cells in prop::collection::vec(prop::collection::vec("(?s).*", 3), 1..5)) {
            let grid = Grid {
                headers: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
                rows: cells.clone(),
                marked: Some(0),
                text_columns: 1,
            };
            let text = grid.to_markdown();
            prop_assert_eq!(text.lines().count(), cells.len() + 2);
            for line in text.lines() {
                let bars = line.char_indices().filter(|(at, c)| *c == '|' && !escaped(line, *at)).count();
                prop_assert_eq!(bars, 4);
                prop_assert!(!line.contains('<'));
            }
        }
    }

    /// True when an odd number of backslashes stands before the place.
    fn escaped(line: &str, at: usize) -> bool {
        line[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
    }
}
