//! Rows of the generator as keys and records.

use graph_gen::StreamedRow;
use property_store::EdgeEnds;
use property_store::record::Encoder;

use crate::BenchError;

/// Where the number of a label begins in a node's id: the generator's ids stay below 2^53 and are unique within a
/// label.
const LABEL_SHIFT: u32 = 56;

/// Labels of vertices; their places in this list are part of the ids.
const LABELS: [&str; 8] = ["person", "forum", "post", "comment", "place", "organisation", "tag", "tagclass"];

/// Whose record it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKey {
    Node(u64),
    Edge(EdgeEnds),
}

/// The key of a row; its record is appended to `out`: the label, and a field for each property that is there.
pub(crate) fn encode(row: &StreamedRow<'_>, encoder: &mut Encoder, out: &mut Vec<u8>) -> Result<RowKey, BenchError> {
    let wrong = || BenchError::Row { label: row.label, line: String::from_utf8_lossy(row.line).into_owned() };
    let id = |label: &str, number: u64| {
        Some(u64::try_from(LABELS.iter().position(|known| *known == label)?).ok()? << LABEL_SHIFT | number)
    };
    let [first, second] = row.ids;
    let (key, ids) = match row.ends {
        None => (RowKey::Node(id(row.label, first).ok_or_else(wrong)?), 1),
        Some((source, target)) => {
            let ends = id(source, first).zip(id(target, second)).ok_or_else(wrong)?;
            (RowKey::Edge(ends), 2)
        }
    };
    encoder.text("label", row.label);
    // Most rows are edges without properties.
    if row.columns.len() > ids {
        let line = std::str::from_utf8(row.line).map_err(|_| wrong())?;
        for (name, text) in row.columns.iter().zip(line.split('|')).skip(ids) {
            add(encoder, row.label, name, text).ok_or_else(wrong)?;
        }
    }
    encoder.finish_into(out);
    Ok(key)
}

/// Adds a field for a property, if it is there; `None` if it cannot be read.
fn add(encoder: &mut Encoder, label: &str, name: &str, text: &str) -> Option<()> {
    match name {
        _ if text.is_empty() => {}
        "creationDate" | "joinDate" | "birthday" | "length" | "classYear" | "workFrom" => {
            encoder.integer(name, text.parse().ok()?);
        }
        "email" => {
            encoder.texts(name, text.split(';'));
        }
        "language" if label == "person" => {
            encoder.texts(name, text.split(';'));
        }
        _ => {
            encoder.text(name, text);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use property_store::record::decode;
    use serde_json::json;

    use super::*;

    fn encoded(row: &StreamedRow<'_>) -> (RowKey, serde_json::Value) {
        let mut out = Vec::new();
        let key = encode(row, &mut Encoder::default(), &mut out).unwrap();
        (key, serde_json::Value::Object(decode(&out).unwrap()))
    }

    #[test]
    fn a_node_has_its_label_and_properties() {
        let row = StreamedRow {
            label: "person",
            ends: None,
            ids: [933, 0],
            columns: &["id", "firstName", "birthday", "language", "email"],
            line: "933|Zoë|629251200000|de;en|".as_bytes(),
        };
        let (key, record) = encoded(&row);
        assert_eq!(key, RowKey::Node(933));
        let expected =
            json!({"label": "person", "firstName": "Zoë", "birthday": 629_251_200_000_i64, "language": ["de", "en"]});
        assert_eq!(record, expected);
    }

    #[test]
    fn an_edge_has_ends_of_their_labels() {
        let row = StreamedRow {
            label: "comment_hasTag_tag",
            ends: Some(("comment", "tag")),
            ids: [5, 7],
            columns: &["Comment.id", "Tag.id"],
            line: b"5|7",
        };
        let (key, record) = encoded(&row);
        assert_eq!(key, RowKey::Edge((3 << 56 | 5, 6 << 56 | 7)));
        assert_eq!(record, json!({"label": "comment_hasTag_tag"}));
    }

    #[test]
    fn every_row_of_the_generator_is_understood() {
        let mut encoder = Encoder::default();
        let mut nodes = std::collections::HashSet::new();
        let mut rows = 0;
        let mut taker = |row: StreamedRow<'_>| {
            let mut out = Vec::new();
            match encode(&row, &mut encoder, &mut out).unwrap() {
                RowKey::Node(id) => assert!(nodes.insert(id), "node {id} comes twice"),
                RowKey::Edge(_) => {}
            }
            let record = decode(&out).unwrap();
            assert_eq!(record["label"], row.label);
            rows += 1;
            true
        };
        graph_gen::stream(&graph_gen::SnbOptions::new(40, 1), &mut taker, &mut |_| ()).unwrap();
        assert!(rows > 10_000 && nodes.len() > 3_000);
    }

    #[test]
    fn a_row_that_does_not_fit_is_named() {
        let row =
            StreamedRow { label: "post", ends: None, ids: [5, 0], columns: &["id", "creationDate"], line: b"5|soon" };
        let error = encode(&row, &mut Encoder::default(), &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "the generator made a row of post that cannot be read: 5|soon");
    }
}
