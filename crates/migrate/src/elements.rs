//! Pages as a server writes them, made into lines of a file and sums over their contents.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use api_client::ElementKind;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::digest::{Digest, Types, write_id, write_text};
use crate::error::MigrateError;

/// What labels and property keys say about elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forms {
    types: Types,
    /// Vertex labels by name; true where the id is made of the primary keys.
    vertex_labels: HashMap<String, bool>,
    edge_labels: HashSet<String>,
}

/// Sums by the names of labels.
pub(crate) type Digests = BTreeMap<String, Digest>;

/// A page: its elements as they came, and where the next one begins.
#[derive(Deserialize)]
struct PageText<'a> {
    #[serde(borrow, alias = "edges")]
    vertices: Vec<&'a RawValue>,
    #[serde(default)]
    page: Option<String>,
}

#[derive(Deserialize)]
struct VertexText<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    label: Cow<'a, str>,
    #[serde(borrow)]
    properties: &'a RawValue,
}

#[derive(Deserialize)]
struct EdgeText<'a> {
    #[serde(borrow)]
    label: Cow<'a, str>,
    #[serde(borrow, rename = "outV")]
    source: &'a RawValue,
    #[serde(borrow, rename = "inV")]
    target: &'a RawValue,
    #[serde(borrow, rename = "outVLabel")]
    source_label: Cow<'a, str>,
    #[serde(borrow, rename = "inVLabel")]
    target_label: Cow<'a, str>,
    #[serde(borrow)]
    properties: &'a RawValue,
}

/// What a page gave.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// A line for each element.
    pub(crate) lines: Vec<u8>,
    pub(crate) elements: u64,
    pub(crate) digests: Digests,
    /// Elements whose label is no longer in the schema: they are left out.
    pub(crate) without_label: u64,
    pub(crate) next: Option<String>,
}

impl Forms {
    /// From the definitions of property keys, vertex labels and edge labels.
    pub(crate) fn of(keys: &[Value], vertex_labels: &[Value], edge_labels: &[Value]) -> Self {
        let name = |label: &Value| label.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_keyed = |label: &Value| label.get("id_strategy").and_then(Value::as_str) == Some("PRIMARY_KEY");
        Self {
            types: Types::of(keys),
            vertex_labels: vertex_labels.iter().map(|label| (name(label), is_keyed(label))).collect(),
            edge_labels: edge_labels.iter().map(name).collect(),
        }
    }

    /// Reads a page.
    pub(crate) fn page(&self, kind: ElementKind, text: &[u8]) -> Result<Page, MigrateError> {
        let wrong = |error: serde_json::Error| MigrateError::Answer {
            place: format!("a page of {}", words(kind)),
            reason: error.to_string(),
        };
        let read: PageText<'_> = serde_json::from_slice(text).map_err(wrong)?;
        let mut page = Page { lines: Vec::with_capacity(text.len()), ..Page::default() };
        let mut canonical = Vec::new();
        for element in &read.vertices {
            canonical.clear();
            let before = page.lines.len();
            let label = self.element(kind, element.get(), &mut canonical, &mut page.lines).map_err(wrong)?;
            match label {
                Some(label) => {
                    page.digests.entry(label).or_default().add(&canonical);
                    page.elements += 1;
                }
                None => {
                    page.lines.truncate(before);
                    page.without_label += 1;
                }
            }
        }
        page.next = read.page.filter(|token| !token.is_empty());
        Ok(page)
    }

    /// Adds an element as a server writes it to the sums.
    pub(crate) fn add(&self, kind: ElementKind, text: &[u8], digests: &mut Digests) -> Result<(), MigrateError> {
        let wrong = |reason: String| MigrateError::Answer { place: "an element".to_owned(), reason };
        let text = std::str::from_utf8(text).map_err(|error| wrong(error.to_string()))?;
        let mut canonical = Vec::new();
        let label = self.element(kind, text, &mut canonical, &mut Vec::new());
        if let Some(label) = label.map_err(|error| wrong(error.to_string()))? {
            digests.entry(label).or_default().add(&canonical);
        }
        Ok(())
    }

    /// Appends the canonical form and the line of an element; returns its label, `None` for one that is not known.
    fn element(
        &self,
        kind: ElementKind,
        text: &str,
        canonical: &mut Vec<u8>,
        line: &mut Vec<u8>,
    ) -> Result<Option<String>, serde_json::Error> {
        let (label, properties) = match kind {
            ElementKind::Vertex => {
                let vertex: VertexText<'_> = serde_json::from_str(text)?;
                let Some(is_keyed) = self.vertex_labels.get(&*vertex.label) else { return Ok(None) };
                write_text(canonical, &vertex.label);
                write_id(canonical, &serde_json::from_str(vertex.id.get())?);
                line.push(b'{');
                if !is_keyed {
                    field(line, "id", vertex.id.get());
                }
                field(line, "label", &Value::from(&*vertex.label).to_string());
                (vertex.label, vertex.properties)
            }
            ElementKind::Edge => {
                let edge: EdgeText<'_> = serde_json::from_str(text)?;
                if !self.edge_labels.contains(&*edge.label) {
                    return Ok(None);
                }
                write_text(canonical, &edge.label);
                line.push(b'{');
                field(line, "label", &Value::from(&*edge.label).to_string());
                let ends = [
                    ("outV", "outVLabel", edge.source, edge.source_label),
                    ("inV", "inVLabel", edge.target, edge.target_label),
                ];
                for (id_field, label_field, id, label) in ends {
                    write_id(canonical, &serde_json::from_str(id.get())?);
                    write_text(canonical, &label);
                    field(line, id_field, id.get());
                    field(line, label_field, &Value::from(&*label).to_string());
                }
                (edge.label, edge.properties)
            }
        };
        let read: Map<String, Value> = serde_json::from_str(properties.get())?;
        self.types.write_properties(canonical, &read);
        // A server may write over several lines; inside texts line ends are escaped.
        match properties.get().contains(['\n', '\r']) {
            false => field(line, "properties", properties.get()),
            true => field(line, "properties", &Value::Object(read).to_string()),
        }
        line.pop();
        line.extend_from_slice(b"}\n");
        Ok(Some(label.into_owned()))
    }
}

/// Appends `"name":json,`.
fn field(line: &mut Vec<u8>, name: &str, json: &str) {
    line.push(b'"');
    line.extend_from_slice(name.as_bytes());
    line.extend_from_slice(b"\":");
    line.extend_from_slice(json.as_bytes());
    line.push(b',');
}

/// Adds sums to sums.
pub(crate) fn merge(into: &mut Digests, other: &Digests) {
    for (label, digest) in other {
        into.entry(label.clone()).or_default().merge(*digest);
    }
}

/// Vertices or edges, in words.
pub(crate) fn words(kind: ElementKind) -> &'static str {
    match kind {
        ElementKind::Vertex => "vertices",
        ElementKind::Edge => "edges",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn forms() -> Forms {
        let keys = [json!({"name": "name", "data_type": "TEXT"}), json!({"name": "w", "data_type": "DOUBLE"})];
        let vertex_labels = [
            json!({"name": "person", "id_strategy": "PRIMARY_KEY"}),
            json!({"name": "thing", "id_strategy": "CUSTOMIZE_NUMBER"}),
        ];
        Forms::of(&keys, &vertex_labels, &[json!({"name": "has"})])
    }

    #[test]
    fn vertices_become_bodies_without_the_ids_that_keys_make() {
        let text = br#"{"vertices":[
            {"id":"1:ann","label":"person","type":"vertex","properties":{"name":"ann",
              "w":1.0E3}},
            {"id":7,"label":"thing","type":"vertex","properties":{}},
            {"id":8,"label":"~undefined","type":"vertex","properties":{}}],"page":"next"}"#;
        let page = forms().page(ElementKind::Vertex, text).unwrap();
        let lines: Vec<&str> = std::str::from_utf8(&page.lines).unwrap().lines().collect();
        let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(
            lines,
            [
                json!({"label": "person", "properties": {"name": "ann", "w": 1000.0}}),
                json!({"id": 7, "label": "thing", "properties": {}})
            ]
        );
        assert_eq!((page.elements, page.without_label, page.next.as_deref()), (2, 1, Some("next")));
        assert_eq!(page.digests.keys().collect::<Vec<_>>(), ["person", "thing"]);
    }

    #[test]
    fn edges_keep_their_ends_and_the_id_does_not_count() {
        let edge = |id: &str, w: &str| {
            format!(
                r#"{{"edges":[{{"id":"{id}","label":"has","type":"edge","outV":"1:ann","outVLabel":"person",
                "inV":7,"inVLabel":"thing","properties":{{"w":{w}}}}}],"page":null}}"#
            )
        };
        let read = |text: String| forms().page(ElementKind::Edge, text.as_bytes()).unwrap();
        let page = read(edge("S1:ann>1>1>>L7", "0.5"));
        assert_eq!(page.next, None);
        let line: Value = serde_json::from_slice(&page.lines).unwrap();
        let expected = json!({"label": "has", "outV": "1:ann", "outVLabel": "person", "inV": 7, "inVLabel": "thing",
            "properties": {"w": 0.5}});
        assert_eq!(line, expected);
        assert_eq!(read(edge("S1:ann>1>>L7", "5.0E-1")).digests, page.digests, "1.5 writes other ids");
        assert_ne!(read(edge("S1:ann>1>>L7", "0.25")).digests, page.digests);
    }

    #[test]
    fn answers_that_are_none_are_refused() {
        let error = forms().page(ElementKind::Vertex, b"<html>").unwrap_err().to_string();
        assert!(error.contains("a page of vertices"), "{error}");
        assert!(forms().page(ElementKind::Vertex, br#"{"vertices":[{"id":1}]}"#).is_err());
    }
}
