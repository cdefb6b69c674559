//! Results as tables, CSV and JSON.

use std::io::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use graph_analysis::{Algorithm, Cell, Found, VERTEX, figures_json, id_text, row_json};

/// All algorithms, with what they take.
pub(super) fn list(all: impl Iterator<Item = &'static Algorithm>) -> String {
    let mut text = String::new();
    for algorithm in all {
        text.push_str(&format!("{}: {}\n", algorithm.name, algorithm.summary));
        for parameter in algorithm.parameters {
            text.push_str(&format!("    --set {}=... ({})\n", parameter.name, parameter.default));
        }
    }
    text.push_str("\nAll but those of undirected graphs also take --set direction=out, in or both.\n");
    text
}

/// A value as text. Floats are as short as they can be without another value being meant.
fn text(cell: &Cell<'_>) -> String {
    match cell {
        Cell::None => String::new(),
        Cell::Vertex(id) => id_text(id),
        Cell::Int(value) => value.to_string(),
        Cell::Float(value) => value.to_string(),
        Cell::Bool(value) => value.to_string(),
        Cell::Vector(values) => list_text(values.iter().map(ToString::to_string)),
        Cell::Vertices(ids) => list_text(ids.iter().map(|id| serde_json::Value::from(id_text(id)).to_string())),
    }
}

/// A list as JSON has it.
fn list_text(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// The figures, and some rows in columns.
pub(super) fn table(out: &mut dyn Write, found: &Found, rows: &[usize]) -> anyhow::Result<()> {
    for (name, figure) in figures_json(found) {
        writeln!(out, "{name}: {figure}")?;
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let names: Vec<&str> = found.columns().collect();
    table.set_header(names.clone());
    for row in rows {
        table.add_row((0..names.len()).map(|column| text(&found.cell(*row, column))));
    }
    for (at, name) in names.iter().enumerate() {
        let is_text = [VERTEX, "source", "target", "other", "path", "cycle", "walk", "component"].contains(name);
        if let Some(column) = table.column_mut(at).filter(|_| !is_text) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    if rows.len() < found.len() {
        writeln!(out, "{} of {} rows; --limit shows more, --format csv all", rows.len(), found.len())?;
    }
    Ok(())
}

/// A line of names, and one for each row.
pub(super) fn csv(out: &mut dyn Write, found: &Found, rows: &[usize]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let names: Vec<&str> = found.columns().collect();
    writer.write_record(&names).map_err(plain)?;
    for row in rows {
        writer.write_record((0..names.len()).map(|column| text(&found.cell(*row, column)))).map_err(plain)?;
    }
    Ok(writer.flush()?)
}

/// The error of the output itself, where there is one.
fn plain(error: csv::Error) -> anyhow::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        other => anyhow::anyhow!("{other:?}"),
    }
}

/// An object with the figures, and the rows, one on a line.
pub(super) fn json(out: &mut dyn Write, found: &Found, rows: &[usize]) -> anyhow::Result<()> {
    write!(out, "{{")?;
    for (name, figure) in figures_json(found) {
        write!(out, "\"{name}\":{figure},")?;
    }
    write!(out, "\"row_count\":{},\"rows\":[", found.len())?;
    for (at, row) in rows.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", row_json(found, *row))?;
    }
    writeln!(out, "]}}")?;
    Ok(())
}
