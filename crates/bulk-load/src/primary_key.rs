//! Ids of primary-key vertices, computed for the ends of edges as the server computes them for the vertices. The rules
//! are `graph-model`'s; here JSON values become its values.
//!
//! The server is taken to code numbers (`vertex.encode_primary_key_number`, on by default).

use api_client::DataType;
use graph_model::{LabelId, VertexId, join_primary_key};
use serde_json::Value;

/// The id of a vertex of the label with this number, from coerced values in the order of the primary keys.
pub(crate) fn primary_key_id(label_id: i64, values: &[(DataType, Value)]) -> Result<String, String> {
    // A label that a dry run has not created has no number.
    let label = LabelId(u32::try_from(label_id).unwrap_or_default());
    let values: Vec<graph_model::Value> =
        values.iter().map(|(data_type, value)| model_value(*data_type, value)).collect();
    match join_primary_key(label, &values, true) {
        Ok(VertexId::String(id)) => Ok(id.to_string()),
        Ok(other) => Err(format!("the vertex id {other} is not a text")),
        Err(error) => Err(error.to_string()),
    }
}

fn model_value(data_type: DataType, value: &Value) -> graph_model::Value {
    match (data_type, value) {
        // All integers and dates have one code.
        (DataType::Byte | DataType::Int | DataType::Long | DataType::Date, Value::Number(number)) => {
            match number.as_i64() {
                Some(number) => graph_model::Value::Long(number),
                None => graph_model::Value::Text(number.to_string().into()),
            }
        }
        (DataType::Float, _) => graph_model::Value::Float(float(value, f32::NAN, f32::INFINITY)),
        (DataType::Double, _) => graph_model::Value::Double(float(value, f64::NAN, f64::INFINITY)),
        // Also UUIDs, which are in their dashed form by now.
        (_, Value::String(text)) => graph_model::Value::Text(text.as_str().into()),
        (_, other) => graph_model::Value::Text(other.to_string().into()),
    }
}

/// A float from its JSON form: a number, or one of the three words JSON numbers cannot say.
fn float<T: std::str::FromStr + std::ops::Neg<Output = T>>(value: &Value, nan: T, infinity: T) -> T {
    match value {
        Value::String(word) if word == "Infinity" => infinity,
        Value::String(word) if word == "-Infinity" => -infinity,
        Value::Number(number) => number.to_string().parse().unwrap_or(nan),
        _ => nan,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_of_all_types_are_hugegraphs() {
        let cases = [
            (DataType::Text, json!("a!b:c`d"), "1:a`!b`:c`d"),
            (DataType::Int, json!(29), "1:1T"),
            (DataType::Long, json!(1_000_000), "1:43p90"),
            (DataType::Byte, json!(-1), "1:0B7~~~~~~~~~~"),
            (DataType::Date, json!(1_577_923_200_000_i64), "1:7MyZZKG0"),
            (DataType::Double, json!(0.5), "1:B3~W00000000"),
            (DataType::Float, json!(1.0), "1:5~W000"),
            (DataType::Boolean, json!(true), "1:true"),
            (DataType::Uuid, json!("835e1153-9281-4957-8691-cf79258e90eb"), "1:835e1153-9281-4957-8691-cf79258e90eb"),
        ];
        for (data_type, value, id) in cases {
            assert_eq!(primary_key_id(1, &[(data_type, value)]).as_deref(), Ok(id));
        }
        let two = [(DataType::Text, json!("ann")), (DataType::Int, json!(29))];
        assert_eq!(primary_key_id(1, &two).as_deref(), Ok("1:ann!1T"));
    }

    #[test]
    fn an_id_that_is_too_long_has_a_reason() {
        let reason = primary_key_id(1, &[(DataType::Text, json!("x".repeat(20_000)))]).unwrap_err();
        assert!(reason.contains("limit is 16384"), "{reason}");
    }
}
