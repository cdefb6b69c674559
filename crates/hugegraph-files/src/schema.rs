//! Definitions: rows of the store `m`, one for each field of a definition, as the JSON that HugeGraph's REST API
//! answers.

use std::collections::{BTreeMap, HashMap};

use graph_model::{Cardinality, DataType, IdStrategy};
use kv::ForeignStore;
use serde_json::{Map, Value, json};

use crate::bytes::{Layout, Read, Reader};
use crate::error::FilesError;
use crate::value::data_type;

/// Tables of definitions, in the order they must be made in.
const TABLES: [&str; 4] = ["pk", "vl", "el", "il"];

/// Fields of definitions, by the byte behind the id.
mod field {
    pub(super) const NAME: u8 = 2;
    pub(super) const USER_DATA: u8 = 10;
    pub(super) const STATUS: u8 = 11;
    pub(super) const ID_STRATEGY: u8 = 50;
    pub(super) const PROPERTIES: u8 = 51;
    pub(super) const PRIMARY_KEYS: u8 = 52;
    pub(super) const NULLABLE_KEYS: u8 = 54;
    pub(super) const ENABLE_LABEL_INDEX: u8 = 55;
    pub(super) const LINKS: u8 = 80;
    pub(super) const FREQUENCY: u8 = 81;
    pub(super) const SOURCE_LABEL: u8 = 82;
    pub(super) const TARGET_LABEL: u8 = 83;
    pub(super) const SORT_KEYS: u8 = 84;
    pub(super) const TTL: u8 = 85;
    pub(super) const TTL_START_TIME: u8 = 86;
    pub(super) const DATA_TYPE: u8 = 120;
    pub(super) const CARDINALITY: u8 = 121;
    pub(super) const AGGREGATE_TYPE: u8 = 122;
    pub(super) const WRITE_TYPE: u8 = 123;
    pub(super) const BASE_TYPE: u8 = 150;
    pub(super) const BASE_VALUE: u8 = 151;
    pub(super) const INDEX_TYPE: u8 = 152;
    pub(super) const FIELDS: u8 = 153;
}

/// The type of elements that an index label is of.
const OF_VERTICES: u8 = 1;
const OF_EDGES: u8 = 2;

/// What a property key says about values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) data_type: DataType,
    pub(crate) cardinality: Cardinality,
}

/// All definitions of a graph.
#[derive(Clone, Debug)]
pub struct Schema {
    /// Property keys, vertex labels, edge labels and index labels, as the REST API answers them, with their ids.
    pub lists: [Vec<Value>; 4],
    /// What is not taken over, and why.
    pub warnings: Vec<String>,
    pub(crate) keys: HashMap<i64, Key>,
    pub(crate) vertex_labels: HashMap<i64, IdStrategy>,
    pub(crate) edge_labels: HashMap<i64, String>,
    /// What edge labels look like says what ids and edges look like; `None` where there are no edge labels.
    pub(crate) layout: Option<Layout>,
}

/// The fields of one definition.
type Fields = BTreeMap<u8, Vec<u8>>;

/// The definitions of a table, with what errors must say.
struct Table<'s> {
    store: &'s dyn ForeignStore,
    name: String,
    definitions: BTreeMap<i64, Fields>,
}

impl<'s> Table<'s> {
    fn read(store: &'s dyn ForeignStore, prefix: &str, letters: &str) -> Result<Self, FilesError> {
        let name = format!("{prefix}{letters}");
        let mut definitions: BTreeMap<i64, Fields> = BTreeMap::new();
        let mut rows = store.rows(&name)?;
        while let Some((key, value)) = rows.next()? {
            // Ids of definitions are numbers, which look the same in all versions.
            let mut reader = Reader::new(key, Layout::New);
            let read = |reader: &mut Reader<'_>| -> Read<(i64, u8)> {
                let parts = (reader.id()?.number()?, reader.byte()?);
                reader.end()?;
                Ok(parts)
            };
            let (id, field) =
                read(&mut reader).map_err(|reason| FilesError::row(store.folder(), &name, key, reason))?;
            definitions.entry(id).or_default().insert(field, value.to_vec());
        }
        Ok(Self { store, name, definitions })
    }

    /// Makes of each definition what `make` says. Those of the system have negative ids and are not stored, but older
    /// versions did.
    fn each<T>(&self, make: impl Fn(i64, &Fields) -> Result<T, String>) -> Result<Vec<(i64, T)>, FilesError> {
        let public = self.definitions.iter().filter(|(id, fields)| **id > 0 && !is_hidden(fields));
        let made = public.map(|(id, fields)| match make(*id, fields) {
            Ok(made) => Ok((*id, made)),
            Err(reason) => {
                let what = format!("the definition with the id {id}: {reason}");
                Err(FilesError::row(self.store.folder(), &self.name, &id.to_be_bytes(), what))
            }
        });
        made.collect()
    }
}

/// Whether it is of the system.
fn is_hidden(fields: &Fields) -> bool {
    fields.get(&field::NAME).is_some_and(|name| name.first() == Some(&b'~'))
}

impl Schema {
    /// Reads the definitions in a store; `prefix`: what the names of the graph's tables begin with.
    pub(crate) fn read(store: &dyn ForeignStore, prefix: &str) -> Result<Self, FilesError> {
        let mut tables = Vec::with_capacity(TABLES.len());
        for letters in TABLES {
            tables.push(Table::read(store, prefix, letters)?);
        }
        let [keys, vertex_labels, edge_labels, index_labels] = tables.as_slice() else {
            return Err(FilesError::row(store.folder(), prefix, &[], "it has no tables of definitions"));
        };
        let layout = layout_of(edge_labels);
        let key_names = names(keys)?;
        let vertex_names = names(vertex_labels)?;
        let edge_names = names(edge_labels)?;
        let mut warnings = Vec::new();

        let key_types = keys.each(|_, fields| {
            let data_type = data_type(code(fields, field::DATA_TYPE)?).ok_or("its data type is not known")?;
            let cardinality = match code(fields, field::CARDINALITY)? {
                1 => Cardinality::Single,
                2 => Cardinality::List,
                3 => Cardinality::Set,
                _ => return Err("its cardinality is not known".to_owned()),
            };
            Ok(Key { data_type, cardinality })
        })?;
        let strategies = vertex_labels.each(|_, fields| {
            let name = strategy_name(code(fields, field::ID_STRATEGY)?)?;
            IdStrategy::from_name(name).ok_or_else(|| format!("there is no id strategy {name}"))
        })?;
        let lists = [
            keys.each(property_key)?,
            vertex_labels.each(|id, fields| vertex_label(id, fields, &key_names))?,
            edge_labels.each(|id, fields| edge_label(id, fields, &key_names, &vertex_names))?,
            index_labels.each(|id, fields| index_label(id, fields, &key_names, &vertex_names, &edge_names))?,
        ];
        let mut lists = lists.map(|list| list.into_iter().map(|(_, definition)| definition).collect::<Vec<_>>());
        let [_, _, _, indexes] = &mut lists;
        indexes.retain(|index| {
            let has_base = index.get("base_value").is_some_and(|base| !base.is_null());
            if !has_base {
                let name = index.get("name").and_then(Value::as_str).unwrap_or_default();
                warnings.push(format!("indexlabels \"{name}\" is left out: it is of no vertex or edge label"));
            }
            has_base
        });
        Ok(Self {
            lists,
            warnings,
            keys: key_types.into_iter().collect(),
            vertex_labels: strategies.into_iter().collect(),
            edge_labels: edge_names,
            layout,
        })
    }
}

/// How the store lays out ids and edges, as far as edge labels show.
fn layout_of(edge_labels: &Table<'_>) -> Option<Layout> {
    let fields = edge_labels.definitions.values().next()?;
    Some(if fields.contains_key(&field::SOURCE_LABEL) { Layout::Old } else { Layout::New })
}

fn names(table: &Table<'_>) -> Result<HashMap<i64, String>, FilesError> {
    Ok(table.each(|_, fields| text(fields, field::NAME))?.into_iter().collect())
}

fn property_key(id: i64, fields: &Fields) -> Result<Value, String> {
    let aggregate = match code(fields, field::AGGREGATE_TYPE)? {
        0 => "NONE",
        1 => "MAX",
        2 => "MIN",
        3 => "SUM",
        4 => "OLD",
        5 => "SET",
        6 => "LIST",
        other => return Err(format!("its aggregate type {other} is not known")),
    };
    // Versions before 0.12 have none.
    let write = match fields.get(&field::WRITE_TYPE).map(Vec::as_slice) {
        None | Some([1]) => "OLTP",
        Some([2]) => "OLAP_COMMON",
        Some([3]) => "OLAP_SECONDARY",
        Some([4]) => "OLAP_RANGE",
        Some(other) => return Err(format!("its write type {other:?} is not known")),
    };
    let data_type = data_type(code(fields, field::DATA_TYPE)?).ok_or("its data type is not known")?;
    let cardinality = match code(fields, field::CARDINALITY)? {
        2 => "LIST",
        3 => "SET",
        _ => "SINGLE",
    };
    Ok(json!({
        "id": id,
        "name": text(fields, field::NAME)?,
        "data_type": data_type.name(),
        "cardinality": cardinality,
        "aggregate_type": aggregate,
        "write_type": write,
        "properties": [],
        "status": status(fields)?,
        "user_data": user_data(fields)?,
    }))
}

fn strategy_name(code: u8) -> Result<&'static str, String> {
    Ok(match code {
        1 => "AUTOMATIC",
        2 => "PRIMARY_KEY",
        3 => "CUSTOMIZE_STRING",
        4 => "CUSTOMIZE_NUMBER",
        5 => "CUSTOMIZE_UUID",
        other => return Err(format!("its id strategy {other} is not known")),
    })
}

fn vertex_label(id: i64, fields: &Fields, keys: &HashMap<i64, String>) -> Result<Value, String> {
    let mut label = label(id, fields, keys)?;
    label.insert("id_strategy".to_owned(), json!(strategy_name(code(fields, field::ID_STRATEGY)?)?));
    label.insert("primary_keys".to_owned(), json!(named(fields, field::PRIMARY_KEYS, keys)?));
    Ok(Value::Object(label))
}

fn edge_label(
    id: i64,
    fields: &Fields,
    keys: &HashMap<i64, String>,
    vertex_labels: &HashMap<i64, String>,
) -> Result<Value, String> {
    let mut label = label(id, fields, keys)?;
    let frequency = match code(fields, field::FREQUENCY)? {
        0 => "DEFAULT",
        1 => "SINGLE",
        2 => "MULTIPLE",
        other => return Err(format!("its frequency {other} is not known")),
    };
    label.insert("frequency".to_owned(), json!(frequency));
    label.insert("sort_keys".to_owned(), json!(named(fields, field::SORT_KEYS, keys)?));
    let ends: Vec<String> = match fields.contains_key(&field::LINKS) {
        true => named(fields, field::LINKS, vertex_labels)?,
        false => {
            let end = |field| name_of(id_of(fields, field)?, vertex_labels);
            vec![end(field::SOURCE_LABEL)?, end(field::TARGET_LABEL)?]
        }
    };
    let links: Vec<Value> = ends
        .chunks_exact(2)
        .map(|pair| {
            let source = pair.first().cloned().unwrap_or_default();
            Value::Object(Map::from_iter([(source, json!(pair.last()))]))
        })
        .collect();
    label.insert("links".to_owned(), Value::Array(links));
    match ends.as_slice() {
        [source, target] => {
            label.insert("source_label".to_owned(), json!(source));
            label.insert("target_label".to_owned(), json!(target));
        }
        // Which labels have a parent is not stored, only that this one has no ends.
        [] => drop(label.insert("edgelabel_type".to_owned(), json!("PARENT"))),
        _ => {}
    }
    Ok(Value::Object(label))
}

/// What vertex and edge labels have in common.
fn label(id: i64, fields: &Fields, keys: &HashMap<i64, String>) -> Result<Map<String, Value>, String> {
    let ttl = fields.get(&field::TTL).map_or(Ok(0), |value| Reader::new(value, Layout::New).vlong())?;
    let mut label = Map::new();
    for (name, value) in [
        ("id", json!(id)),
        ("name", json!(text(fields, field::NAME)?)),
        ("properties", json!(named(fields, field::PROPERTIES, keys)?)),
        ("nullable_keys", json!(named(fields, field::NULLABLE_KEYS, keys)?)),
        ("status", json!(status(fields)?)),
        ("ttl", json!(ttl)),
        ("enable_label_index", json!(code(fields, field::ENABLE_LABEL_INDEX)? != 0)),
        ("user_data", user_data(fields)?),
    ] {
        label.insert(name.to_owned(), value);
    }
    if fields.contains_key(&field::TTL_START_TIME) {
        let start = id_of(fields, field::TTL_START_TIME)?;
        if start != 0 {
            label.insert("ttl_start_time".to_owned(), json!(name_of(start, keys)?));
        }
    }
    Ok(label)
}

fn index_label(
    id: i64,
    fields: &Fields,
    keys: &HashMap<i64, String>,
    vertex_labels: &HashMap<i64, String>,
    edge_labels: &HashMap<i64, String>,
) -> Result<Value, String> {
    let base = id_of(fields, field::BASE_VALUE)?;
    let (base_type, base_value) = match code(fields, field::BASE_TYPE)? {
        OF_VERTICES => ("VERTEX_LABEL", vertex_labels.get(&base)),
        OF_EDGES => ("EDGE_LABEL", edge_labels.get(&base)),
        _ => ("VERTEX_LABEL", None),
    };
    let index_type = match code(fields, field::INDEX_TYPE)? {
        1 => "SECONDARY",
        2 => "RANGE",
        3 => "SEARCH",
        4 => "SHARD",
        5 => "UNIQUE",
        21 => "RANGE_INT",
        22 => "RANGE_FLOAT",
        23 => "RANGE_LONG",
        24 => "RANGE_DOUBLE",
        other => return Err(format!("its index type {other} is not known")),
    };
    Ok(json!({
        "id": id,
        "name": text(fields, field::NAME)?,
        "base_type": base_type,
        "base_value": base_value,
        "index_type": index_type,
        "fields": named(fields, field::FIELDS, keys)?,
        "status": status(fields)?,
        "user_data": user_data(fields)?,
    }))
}

fn status(fields: &Fields) -> Result<&'static str, String> {
    Ok(match code(fields, field::STATUS)? {
        1 => "CREATED",
        2 => "CREATING",
        3 => "REBUILDING",
        4 => "DELETING",
        5 => "UNDELETED",
        6 => "INVALID",
        7 => "CLEARING",
        other => return Err(format!("its status {other} is not known")),
    })
}

fn user_data(fields: &Fields) -> Result<Value, String> {
    let Some(text) = fields.get(&field::USER_DATA) else { return Ok(json!({})) };
    serde_json::from_slice(text).map_err(|error| format!("its user data is no JSON: {error}"))
}

fn value(fields: &Fields, field: u8) -> Result<&[u8], String> {
    fields.get(&field).map(Vec::as_slice).ok_or_else(|| format!("the field {field} is missing"))
}

fn text(fields: &Fields, field: u8) -> Result<String, String> {
    String::from_utf8(value(fields, field)?.to_vec()).map_err(|_| format!("the field {field} is not UTF-8"))
}

fn code(fields: &Fields, field: u8) -> Result<u8, String> {
    match value(fields, field)? {
        [code] => Ok(*code),
        other => Err(format!("the field {field} has {} bytes instead of one", other.len())),
    }
}

fn id_of(fields: &Fields, field: u8) -> Result<i64, String> {
    Ok(Reader::new(value(fields, field)?, Layout::New).id()?.number()?)
}

/// Names of the ids in a field.
fn named(fields: &Fields, field: u8, names: &HashMap<i64, String>) -> Result<Vec<String>, String> {
    let mut reader = Reader::new(value(fields, field)?, Layout::New);
    let count = u16::from_be_bytes(reader.array()?);
    (0..count).map(|_| name_of(reader.id()?.number()?, names)).collect()
}

fn name_of(id: i64, names: &HashMap<i64, String>) -> Result<String, String> {
    names.get(&id).cloned().ok_or_else(|| format!("it names the id {id}, which is not defined"))
}
