//! `summary.md`: the report as Markdown, ready to paste.

use super::runs::{Entry, Report, facts, labels, scenario_names};
use super::wrap::wrap;
use super::{published, section};
use crate::conclusions;
use crate::load_label;
use crate::result::ErrorCount;
use crate::study;
use crate::table;

/// The whole text.
pub(super) fn markdown(report: &Report<'_>) -> String {
    let labels = labels(report.runs);
    let mut text = format!("# Load test: {}\n\n", line(&labels.join(" and ")));
    if let Some(page) = report.page {
        text += &format!("The scenarios of the published page [{page}]({}), in its order.\n\n", page.link);
    }
    for run in report.runs {
        for (name, value) in facts(run) {
            let value = if name == "Command" { format!("`{}`", value.replace(['`', '\n'], " ")) } else { line(&value) };
            text += &format!("- {name}: {value}\n");
        }
        if run.interrupted {
            text += "- The run was ended early: the figures are what was measured until then.\n";
        }
        text.push('\n');
    }
    if !report.ratios.is_empty() {
        let grid = crate::compare::grid(report.ratios);
        text += &format!("## Ratio\n\n{}\n\n{}\n", line(&crate::compare::explanation(&labels)), grid.to_markdown());
    }
    for grid in report.runs.iter().filter_map(study::effect) {
        text += &format!("## Effect of the settings\n\n{}\n\n{}\n", study::LEGEND, grid.to_markdown());
    }
    for name in scenario_names(report.runs) {
        text += &format!("## {}\n\n", line(&name));
        for entry in report.entries(&labels, &name) {
            scenario(report, &entry, &mut text);
        }
    }
    text += &format!("{}\n", table::LEGEND);
    if section::any_local(report.runs) {
        text += "\nServer and load generator shared one machine: each would do more alone.\n";
    }
    if report.page.is_some() {
        text += &format!("\n{}\n", published::CAUTION);
    }
    wrap(&text)
}

fn scenario(report: &Report<'_>, entry: &Entry<'_>, text: &mut String) {
    let scenario = entry.scenario;
    if entry.several {
        text.push_str(&format!("### {}\n\n", line(entry.label)));
    }
    for sentence in conclusions::of(scenario) {
        text.push_str(&format!("- {}\n", line(&sentence)));
    }
    text.push_str(&format!("- {} {}\n", section::driver_text(&scenario.driver), section::sizes_text(scenario)));
    for note in &scenario.notes {
        text.push_str(&format!("- {}\n", line(note)));
    }
    text.push_str(&format!("\n{}\n", table::aggregate(scenario).to_markdown()));
    if let Some(row) = table::best_row(scenario).filter(|row| !row.requests.is_empty()) {
        text.push_str(&format!("{}\n", table::by_request(row).to_markdown()));
    }
    let errors = scenario.rows.iter().flat_map(|row| row.errors.iter().map(|error| (load_label::in_words(row), error)));
    let mut any = false;
    for (load, ErrorCount { class, count, examples }) in errors {
        any = true;
        let example = examples.first().map(|example| format!(", as: {}", line(example))).unwrap_or_default();
        text.push_str(&format!("- {load}: {count} x {}{example}\n", section::class_text(*class)));
    }
    if any {
        text.push('\n');
    }
    for (page, published) in report.page.map(|page| published::counterparts(scenario, Some(page))).unwrap_or_default() {
        text.push_str(&format!("{}\n", published::grid(entry.label, scenario, published, page).to_markdown()));
        let notes: String = published::notes(published).iter().map(|note| format!("- {}\n", line(note))).collect();
        if !notes.is_empty() {
            text.push_str(&format!("{notes}\n"));
        }
    }
}

/// Text within a line of Markdown.
fn line(text: &str) -> String {
    table::markdown_cell(text)
}
