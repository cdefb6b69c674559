//! Rows of vertices and edges.

use std::collections::HashMap;

use compact_str::CompactString;
use graph_model::{Edge, EdgeId, IdStrategy, LabelId, Properties, PropertyKeyId, Vertex, VertexId};

use crate::bytes::{Id, Layout, Read, Reader};
use crate::schema::{Key, Schema};
use crate::value::property;

/// Which edges a row is among: those by their source.
const OUT: u8 = 0x82;

/// What a row holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Found<T> {
    /// An element.
    Element(T),
    /// Something of the system.
    System,
    /// An element whose time is over: HugeGraph has not removed it yet, and does not show it.
    Expired,
    /// An element whose label is not in the schema.
    WithoutLabel,
}

/// Reads elements by a schema.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    pub(crate) layout: Layout,
    keys: HashMap<i64, Key>,
    vertex_labels: HashMap<i64, IdStrategy>,
    edge_labels: HashMap<i64, String>,
    now_ms: i64,
}

impl Decoder {
    pub(crate) fn new(schema: &Schema, layout: Layout, now_ms: i64) -> Self {
        Self {
            layout,
            keys: schema.keys.clone(),
            vertex_labels: schema.vertex_labels.clone(),
            edge_labels: schema.edge_labels.clone(),
            now_ms,
        }
    }

    /// The vertex of a row of the table `v`, or what is wrong with it.
    pub(crate) fn vertex(&self, key: &[u8], value: &[u8]) -> Result<Found<Vertex>, &'static str> {
        let mut key = Reader::new(key, self.layout);
        let id = key.id()?;
        key.end()?;
        let mut value = Reader::new(value, self.layout);
        let label = value.id()?.number()?;
        if label < 0 {
            return Ok(Found::System);
        }
        let Some(strategy) = self.vertex_labels.get(&label) else { return Ok(Found::WithoutLabel) };
        check_id(*strategy, id)?;
        let (properties, expires_at_ms) = self.properties(&mut value)?;
        if expires_at_ms.is_some_and(|moment| moment <= self.now_ms) {
            return Ok(Found::Expired);
        }
        Ok(Found::Element(Vertex { id: vertex_id(id)?, label: label_id(label)?, properties, expires_at_ms }))
    }

    /// The edge of a row of the table `oe`, or what is wrong with it.
    pub(crate) fn edge(&self, key: &[u8], value: &[u8]) -> Result<Found<Edge>, &'static str> {
        let mut key = Reader::new(key, self.layout);
        let parts = EdgeParts::read(&mut key, self.layout)?;
        if parts.label < 0 {
            return Ok(Found::System);
        }
        if !self.edge_labels.contains_key(&parts.label) {
            return Ok(Found::WithoutLabel);
        }
        let mut value = Reader::new(value, self.layout);
        let (properties, expires_at_ms) = self.properties(&mut value)?;
        if expires_at_ms.is_some_and(|moment| moment <= self.now_ms) {
            return Ok(Found::Expired);
        }
        let id = EdgeId {
            label: label_id(parts.label)?,
            source: vertex_id(parts.source)?,
            sort_values: CompactString::from(parts.sort_values),
            target: vertex_id(parts.target)?,
        };
        Ok(Found::Element(Edge { id, properties, expires_at_ms }))
    }

    /// Properties, and the moment behind them where the element does not stay for ever.
    fn properties(&self, reader: &mut Reader<'_>) -> Read<(Properties, Option<i64>)> {
        let count = reader.count()?;
        let mut properties = Properties::with_capacity(count.min(self.keys.len()));
        for _ in 0..count {
            let key = i64::from(reader.vint()?);
            let of = self.keys.get(&key).ok_or("it has a property whose key is not defined")?;
            let id = u32::try_from(key).map_err(|_| "the id of a property key is negative")?;
            properties.insert(PropertyKeyId(id), property(reader, of.data_type, of.cardinality)?);
        }
        let expires_at_ms = match reader.is_empty() {
            true => None,
            false => Some(reader.vlong()?).filter(|moment| *moment > 0),
        };
        reader.end()?;
        Ok((properties, expires_at_ms))
    }
}

/// The parts of the key of an edge.
pub(crate) struct EdgeParts<'a> {
    pub(crate) source: Id<'a>,
    pub(crate) label: i64,
    pub(crate) sort_values: &'a str,
    pub(crate) target: Id<'a>,
}

impl<'a> EdgeParts<'a> {
    pub(crate) fn read(key: &mut Reader<'a>, layout: Layout) -> Read<Self> {
        let source = key.id()?;
        if key.byte()? != OUT {
            return Err("it is no edge by its source");
        }
        let mut label = key.id()?.number()?;
        if layout == Layout::New {
            // The first one is its parent, or the same.
            label = key.id()?.number()?;
        }
        let sort_values = key.text_to_zero()?;
        let target = key.id()?;
        key.end()?;
        Ok(Self { source, label, sort_values, target })
    }
}

fn label_id(label: i64) -> Read<LabelId> {
    u32::try_from(label).map(LabelId).map_err(|_| "the id of its label is out of range")
}

fn vertex_id(id: Id<'_>) -> Read<VertexId> {
    match id {
        Id::Text("") => Err("the id of a vertex is empty"),
        Id::Text(text) if text.len() > graph_model::limits::VERTEX_ID_BYTES_MAX => {
            Err("the id of a vertex is longer than 16,384 bytes")
        }
        id => Ok(id.to_vertex_id()),
    }
}

/// Fails unless vertices of the label have such ids.
fn check_id(strategy: IdStrategy, id: Id<'_>) -> Read<()> {
    let fits = match strategy {
        IdStrategy::Automatic | IdStrategy::CustomizeNumber => matches!(id, Id::Number(_)),
        IdStrategy::PrimaryKey | IdStrategy::CustomizeString => matches!(id, Id::Text(_)),
        IdStrategy::CustomizeUuid => matches!(id, Id::Uuid(_)),
    };
    if fits { Ok(()) } else { Err("its id is of another kind than its label says") }
}

#[cfg(test)]
pub(crate) mod tests {
    use graph_model::{Cardinality, DataType, Value};

    use super::*;
    use crate::bytes::tests::hex;

    pub(crate) fn decoder(layout: Layout) -> Decoder {
        let single = |data_type| Key { data_type, cardinality: Cardinality::Single };
        Decoder {
            layout,
            keys: HashMap::from([
                (1, single(DataType::Text)),
                (2, single(DataType::Int)),
                (3, Key { data_type: DataType::Text, cardinality: Cardinality::Set }),
            ]),
            vertex_labels: HashMap::from([(1, IdStrategy::CustomizeString), (2, IdStrategy::CustomizeNumber)]),
            edge_labels: HashMap::from([(1, "e".to_owned()), (2, "sub".to_owned())]),
            now_ms: 1_000,
        }
    }

    #[test]
    fn vertices() {
        let read = |key: &str, value: &str| decoder(Layout::New).vertex(&hex(key), &hex(value));
        let Ok(Found::Element(vertex)) = read("817031", "0801 03 01 0161 02 14 03 02 0162 0161") else { panic!() };
        assert_eq!((vertex.id, vertex.label, vertex.expires_at_ms), (VertexId::String("p1".into()), LabelId(1), None));
        let expected = [
            (PropertyKeyId(1), Value::Text("a".into())),
            (PropertyKeyId(2), Value::Int(20)),
            (PropertyKeyId(3), Value::Set(vec![Value::Text("b".into()), Value::Text("a".into())])),
        ];
        assert_eq!(vertex.properties, expected.into_iter().collect());
        let Ok(Found::Element(vertex)) = read("817031", "0801 00 8f51") else { panic!() };
        assert_eq!(vertex.expires_at_ms, Some(2_001));
        assert_eq!(read("817031", "0801 00 8750"), Ok(Found::Expired));
        assert_eq!(read("817031", "0809 00"), Ok(Found::WithoutLabel));
        assert_eq!(read("852d313a61", "07ff 00"), Err("it ends too early"));
        assert_eq!(read("832d313a61", "07ff 00"), Ok(Found::System));
        assert_eq!(read("0801", "0801 00"), Err("its id is of another kind than its label says"));
        assert_eq!(read("817031", "0801 01 09 00"), Err("it has a property whose key is not defined"));
        assert_eq!(read("817031", "0801 00 00 00"), Err("it has more bytes than it should"));
    }

    #[test]
    fn edges_of_both_layouts() {
        let Ok(Found::Element(edge)) = decoder(Layout::New).edge(&hex("817031 82 0801 0802 00 0805"), &hex("01 02 14"))
        else {
            panic!()
        };
        let expected = EdgeId {
            label: LabelId(2),
            source: VertexId::String("p1".into()),
            sort_values: "".into(),
            target: VertexId::Number(5),
        };
        assert_eq!(edge.id, expected);
        assert_eq!(edge.properties.get(PropertyKeyId(2)), Some(&Value::Int(20)));
        let Ok(Found::Element(edge)) = decoder(Layout::Old).edge(&hex("817031 82 0801 3131217800 817032"), &hex("00"))
        else {
            panic!()
        };
        assert_eq!((edge.id.label, &*edge.id.sort_values), (LabelId(1), "11!x"));
        let wrong = decoder(Layout::New).edge(&hex("817031 8c 0801 0802 00 0805"), &hex("00"));
        assert_eq!(wrong, Err("it is no edge by its source"));
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(
            key in proptest::collection::vec(proptest::num::u8::ANY, 0..60),
            value in proptest::collection::vec(proptest::num::u8::ANY, 0..60),
        ) {
            for layout in [Layout::Old, Layout::New] {
                drop(decoder(layout).vertex(&key, &value));
                drop(decoder(layout).edge(&key, &value));
            }
        }
    }
}
