//! Results as JSON.

use analytics::{Table, Value, Values, Vertex};
use graph_model::ErrorKind;
use graph_store::StoreError;
use serde_json::{Map, Value as Json, json};

use crate::names::id_json;
use crate::projection::Projection;
use crate::{AnalysisError, limits};

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
    }
}

fn vertex(number: Vertex, projection: &Projection) -> Json {
    projection.id(number).map_or(Json::Null, id_json)
}

/// A value of a row.
fn cell(values: &Values, row: usize, projection: &Projection) -> Json {
    let found = match values {
        Values::Vertices(values) => values.get(row).map(|number| vertex(*number, projection)),
        Values::Ints(values) => values.get(row).map(|value| Json::from(*value)),
        Values::Floats(values) => values.get(row).map(|value| float(*value)),
        Values::Bools(values) => values.get(row).map(|value| Json::from(*value)),
        Values::Vectors { width, values } => {
            let own = values.get(row * width..(row + 1) * width);
            own.map(|own| own.iter().map(|value| float(f64::from(*value))).collect())
        }
        Values::Lists(values) => {
            values.get(row).map(|list| list.iter().map(|number| vertex(*number, projection)).collect())
        }
    };
    found.unwrap_or(Json::Null)
}

/// The rows with the greatest values of the first column of numbers, ties by row.
fn greatest(table: &Table, count: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..table.len()).collect();
    let by = table.columns.iter().find(|column| matches!(column.values, Values::Floats(_) | Values::Ints(_)));
    match by.map(|column| &column.values) {
        Some(Values::Floats(values)) => {
            let of = |row: &usize| values.get(*row).copied().unwrap_or(f64::NEG_INFINITY);
            rows.sort_by(|a, b| of(b).total_cmp(&of(a)));
        }
        Some(Values::Ints(values)) => rows.sort_by_key(|row| std::cmp::Reverse(values.get(*row).copied())),
        _ => {}
    }
    rows.truncate(count);
    rows
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
pub(crate) fn of_table(
    table: &Table,
    rows: &Rows,
    projection: &Projection,
) -> Result<Map<String, Json>, AnalysisError> {
    let mut answer = Map::new();
    for (name, figure) in &table.figures {
        answer.insert((*name).to_owned(), value(figure));
    }
    answer.insert("row_count".to_owned(), Json::from(table.len()));
    if let Some(distribution) = distribution(table).filter(|_| table.is_per_vertex) {
        answer.insert("distribution".to_owned(), distribution);
    }
    let chosen = match rows {
        Rows::Greatest(count) => greatest(table, *count),
        Rows::First(count) => (0..table.len().min(*count)).collect(),
    };
    let mut list = Vec::with_capacity(chosen.len());
    for row in chosen {
        let mut object = Map::new();
        if table.is_per_vertex {
            let number = Vertex::try_from(row).unwrap_or(Vertex::MAX);
            object.insert("vertex".to_owned(), vertex(number, projection));
        }
        for column in &table.columns {
            object.insert(column.name.to_owned(), cell(&column.values, row, projection));
        }
        list.push(Json::Object(object));
    }
    answer.insert("rows".to_owned(), Json::Array(list));
    Ok(answer)
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
