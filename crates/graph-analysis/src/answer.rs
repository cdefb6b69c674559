//! Results as JSON.

use analytics::{Table, Value, Values};
use graph_model::ErrorKind;
use graph_store::StoreError;
use serde_json::{Map, Value as Json, json};

use crate::found::{Cell, Found};
use crate::limits;
use crate::names::id_json;

/// A number as JSON; what JSON has no number for is null.
fn float(value: f64) -> Json {
    serde_json::Number::from_f64(value).map_or(Json::Null, Json::Number)
}

fn value(value: &Value) -> Json {
    match value {
        Value::Int(value) => Json::from(*value),
        Value::Float(value) => float(*value),
        Value::Bool(value) => Json::from(*value),
        Value::Text(value) => Json::from(value.as_str()),
        Value::List(values) => values.iter().map(self::value).collect(),
        // No figure is one.
        Value::Groups(_) => Json::Null,
    }
}

/// A value of a row.
fn cell(found: &Cell<'_>) -> Json {
    match found {
        Cell::None => Json::Null,
        Cell::Vertex(id) => id_json(id),
        Cell::Int(value) => Json::from(*value),
        Cell::Float(value) => float(*value),
        Cell::Bool(value) => Json::from(*value),
        Cell::Vector(values) => values.iter().map(|value| float(f64::from(*value))).collect(),
        Cell::Vertices(ids) => ids.iter().map(|id| id_json(id)).collect(),
    }
}

/// Least, greatest and mean value of the first column of numbers, and what parts of the values are not above.
fn distribution(table: &Table) -> Option<Json> {
    #[expect(clippy::cast_precision_loss, reason = "a distribution is approximate")]
    let mut values: Vec<f64> = table.columns.iter().find_map(|column| match &column.values {
        Values::Floats(values) => Some(values.iter().copied().filter(|value| value.is_finite()).collect()),
        Values::Ints(values) => Some(values.iter().map(|value| *value as f64).collect()),
        _ => None,
    })?;
    values.sort_unstable_by(f64::total_cmp);
    let (least, greatest) = (values.first().copied()?, values.last().copied()?);
    #[expect(clippy::cast_precision_loss, reason = "a distribution is approximate")]
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let at = |thousandths: usize| {
        let place = (values.len() * thousandths).div_ceil(1_000).clamp(1, values.len()) - 1;
        float(values.get(place).copied().unwrap_or(greatest))
    };
    Some(json!({
        "min": float(least), "max": float(greatest), "mean": float(mean), "p50": at(500), "p75": at(750),
        "p90": at(900), "p95": at(950), "p99": at(990), "p999": at(999),
    }))
}

/// Which rows an answer has.
pub(crate) enum Rows {
    /// Those with the greatest values.
    Greatest(usize),
    /// The first ones.
    First(usize),
}

/// A result: figures, distribution and some rows.
pub(crate) fn of_found(found: &Found, rows: &Rows) -> Map<String, Json> {
    let mut answer = Map::new();
    answer.extend(figures_json(found).map(|(name, figure)| (name.to_owned(), figure)));
    answer.insert("row_count".to_owned(), Json::from(found.len()));
    if let Some(distribution) = distribution(&found.table).filter(|_| found.table.is_per_vertex) {
        answer.insert("distribution".to_owned(), distribution);
    }
    let chosen = match rows {
        Rows::Greatest(count) => found.greatest(*count),
        Rows::First(count) => (0..found.len().min(*count)).collect(),
    };
    answer.insert("rows".to_owned(), chosen.into_iter().map(|row| row_json(found, row)).collect());
    answer
}

/// The figures about all of a result, by their names.
pub fn figures_json(found: &Found) -> impl Iterator<Item = (&'static str, Json)> {
    found.figures().iter().map(|(name, figure)| (*name, value(figure)))
}

/// A row of a result as an object.
#[must_use]
pub fn row_json(found: &Found, row: usize) -> Json {
    let named = found.columns().enumerate().map(|(at, name)| (name.to_owned(), cell(&found.cell(row, at))));
    Json::Object(named.collect())
}

/// The text of a result that is kept with its task.
pub(crate) fn text(answer: &Json) -> Result<String, StoreError> {
    let text = answer.to_string();
    if text.len() > limits::RESULT_BYTES_MAX {
        let message = format!(
            "the result has {} bytes of JSON, above {} (RESULT_BYTES_MAX); ask for fewer rows with 'top' or 'limit', \
             or have it written to a property with 'write_property'",
            text.len(),
            limits::RESULT_BYTES_MAX
        );
        return Err(StoreError::JobFailed { kind: ErrorKind::LimitExceeded, message });
    }
    Ok(text)
}
