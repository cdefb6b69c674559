//! Which column goes where: the part of building an element that depends only on the header, the mapping and the
//! schema. It is made once per set of column names; what is wrong with a mapping shows here, before any row is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_client::{Cardinality, IdStrategy, PropertyKey, VertexLabel};
use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::coerce::shown;
use crate::mapping::{EdgeMapping, Fields, VertexMapping};
use crate::mapping_check::{nearest, no_such_column};

/// A column and what may be written in it instead of the stored value.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) index: usize,
    pub(crate) name: String,
    values: BTreeMap<String, Value>,
}

impl Column {
    fn new(index: usize, name: &str, fields: &Fields) -> Self {
        let values = fields.value_mapping.get(name).cloned().unwrap_or_default();
        Self { index, name: name.to_owned(), values }
    }

    /// Whether values are taken as they are written.
    pub(crate) fn is_plain(&self) -> bool {
        self.values.is_empty() && self.index != MISSING
    }

    /// The value after `value_mapping`.
    pub(crate) fn mapped<'a>(&'a self, raw: &'a Value) -> &'a Value {
        if self.values.is_empty() {
            return raw;
        }
        match raw {
            Value::String(text) => self.values.get(text).unwrap_or(raw),
            other => self.values.get(&other.to_string()).unwrap_or(raw),
        }
    }
}

/// A column that becomes a property.
#[derive(Clone, Debug)]
pub(crate) struct PropertySlot {
    pub(crate) column: Column,
    pub(crate) key: Arc<PropertyKey>,
    pub(crate) nullable: bool,
}

/// The column that decides how many vertices a row makes: that of a given id, or an unfolded primary key.
#[derive(Clone, Debug)]
pub(crate) struct KeySlot {
    pub(crate) column: Column,
    /// The value is the vertex's id.
    pub(crate) is_id: bool,
    /// The value is (also) a property.
    pub(crate) property: Option<Arc<PropertyKey>>,
    pub(crate) unfold: bool,
}

/// How a row becomes vertices.
#[derive(Clone, Debug)]
pub(crate) struct VertexPlan {
    pub(crate) label: Arc<VertexLabel>,
    pub(crate) properties: Vec<PropertySlot>,
    pub(crate) key: Option<KeySlot>,
    pub(crate) required: Vec<String>,
}

/// One end of an edge: the columns that identify its vertex, in the order of the primary keys.
#[derive(Clone, Debug)]
pub(crate) struct EndPlan {
    pub(crate) label: Arc<VertexLabel>,
    pub(crate) columns: Vec<(Column, Option<Arc<PropertyKey>>)>,
    pub(crate) unfold: bool,
}

/// How a row becomes edges.
#[derive(Clone, Debug)]
pub(crate) struct EdgePlan {
    pub(crate) label: String,
    pub(crate) source: EndPlan,
    pub(crate) target: EndPlan,
    pub(crate) properties: Vec<PropertySlot>,
    pub(crate) required: Vec<String>,
}

/// What the source's rows are like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Lists can be read: the rows bring their own (JSON), or `list_format` is given.
    pub(crate) lists: bool,
    /// Columns may be missing from a row (JSON); they are read as null.
    pub(crate) gaps: bool,
}

/// Stands for a column that a row does not have.
const MISSING: usize = usize::MAX;

/// What a label has to do with properties.
struct Owner<'a> {
    kind: &'static str,
    name: &'a str,
    properties: &'a [String],
    nullable: &'a [String],
}

impl Owner<'_> {
    fn required(&self) -> Vec<String> {
        self.properties.iter().filter(|name| !self.nullable.contains(name)).cloned().collect()
    }

    fn slot(&self, column: Column, property: &str, catalogue: &Catalogue, lists: bool) -> Result<PropertySlot, String> {
        if !self.properties.iter().any(|name| name == property) {
            let hint = nearest(property, self.properties.iter().map(String::as_str));
            let hint = hint.map(|known| format!(" (did you mean \"{known}\"?)")).unwrap_or_default();
            return Err(format!(
                "the column \"{}\" goes to the property \"{property}\", which the {} label \"{}\" \
                 does not have{hint}; name the property in \"field_mapping\", or list the column in \"ignored\"",
                column.name, self.kind, self.name
            ));
        }
        let key = catalogue.key(property).cloned();
        let key = key.ok_or_else(|| format!("the property key \"{property}\" does not exist on the server"))?;
        if key.cardinality != Cardinality::Single && !lists {
            return Err(format!(
                "the column \"{}\" goes to \"{property}\", a list; say in \"list_format\" of the input how lists are \
                 written",
                column.name
            ));
        }
        Ok(PropertySlot { column, key, nullable: self.nullable.iter().any(|name| name == property) })
    }
}

/// Plans vertices.
pub(crate) fn plan_vertex(
    mapping: &VertexMapping,
    fields: &Fields,
    names: &[String],
    catalogue: &Catalogue,
    shape: Shape,
) -> Result<VertexPlan, String> {
    let label = vertex_label(&mapping.label, catalogue)?;
    let owner =
        Owner { kind: "vertex", name: &label.name, properties: &label.properties, nullable: &label.nullable_keys };
    check_id_column(mapping, &label)?;
    let unfolded_key = match (mapping.unfold, label.primary_keys.as_slice()) {
        (true, [only]) => Some(only.as_str()),
        (true, [_, _, ..]) => return Err("\"unfold\" needs a label with one primary key".into()),
        _ => None,
    };
    if mapping.unfold && !shape.lists {
        return Err("\"unfold\" splits a column; say in \"list_format\" of the input how lists are written".into());
    }
    let mut properties = Vec::new();
    let mut key = None;
    for (index, name) in names.iter().enumerate().filter(|(_, name)| fields.takes(name)) {
        let column = Column::new(index, name, fields);
        let property = fields.property_of(name);
        if mapping.id.as_deref() == Some(name) {
            let also = label.properties.iter().any(|known| known == property);
            let property =
                if also { Some(owner.slot(column.clone(), property, catalogue, shape.lists)?.key) } else { None };
            key = Some(KeySlot { column, is_id: true, property, unfold: mapping.unfold });
        } else if unfolded_key == Some(property) {
            let slot = owner.slot(column.clone(), property, catalogue, true)?;
            key = Some(KeySlot { column, is_id: false, property: Some(slot.key), unfold: true });
        } else {
            properties.push(owner.slot(column, property, catalogue, shape.lists)?);
        }
    }
    if let (Some(id), None) = (&mapping.id, &key) {
        if !shape.gaps {
            return Err(no_such_column(id, names));
        }
        let column = Column::new(MISSING, id, fields);
        key = Some(KeySlot { column, is_id: true, property: None, unfold: false });
    }
    let required = owner.required();
    Ok(VertexPlan { properties, key, required, label })
}

fn check_id_column(mapping: &VertexMapping, label: &VertexLabel) -> Result<(), String> {
    let strategy = label.id_strategy;
    match (&mapping.id, strategy) {
        (None, IdStrategy::CustomizeString | IdStrategy::CustomizeNumber | IdStrategy::CustomizeUuid) => {
            Err("the ids of this label are given by the data; name their column in \"id\"".into())
        }
        (Some(id), IdStrategy::PrimaryKey) => Err(format!(
            "ids of this label are computed from its primary keys {}; remove \"id\": \"{id}\"",
            label.primary_keys.join(", ")
        )),
        (Some(id), IdStrategy::Automatic | IdStrategy::Default) => {
            Err(format!("ids of this label are made by the server; remove \"id\": \"{id}\""))
        }
        _ => Ok(()),
    }
}

/// Plans edges.
pub(crate) fn plan_edge(
    mapping: &EdgeMapping,
    fields: &Fields,
    names: &[String],
    catalogue: &Catalogue,
    shape: Shape,
) -> Result<EdgePlan, String> {
    let label = catalogue
        .edge_label(&mapping.label)
        .ok_or_else(|| no_such_label("edge", &mapping.label, nearest(&mapping.label, catalogue.edge_label_names())))?;
    let (source, target) = label.ends().ok_or_else(|| {
        format!(
            "the edge label \"{}\" has no source and target label (a parent label?); load into its sub labels",
            label.name
        )
    })?;
    let owner =
        Owner { kind: "edge", name: &label.name, properties: &label.properties, nullable: &label.nullable_keys };
    let source = plan_end("source", source, &mapping.source, mapping.unfold_source, (fields, names, catalogue, shape))?;
    let target = plan_end("target", target, &mapping.target, mapping.unfold_target, (fields, names, catalogue, shape))?;
    let mut properties = Vec::new();
    for (index, name) in names.iter().enumerate().filter(|(_, name)| fields.takes(name)) {
        let mut property = fields.property_of(name);
        if mapping.source.contains(name) || mapping.target.contains(name) {
            // An id column is a property only if the label has one of its name.
            let has = |wanted: &str| label.properties.iter().any(|known| known == wanted);
            match (has(property), has(name)) {
                (true, _) => {}
                (false, true) => property = name,
                (false, false) => continue,
            }
        }
        properties.push(owner.slot(Column::new(index, name, fields), property, catalogue, shape.lists)?);
    }
    let required = owner.required();
    Ok(EdgePlan { label: label.name.clone(), source, target, properties, required })
}

type Context<'a> = (&'a Fields, &'a [String], &'a Catalogue, Shape);

fn plan_end(
    end: &str,
    label: &str,
    columns: &[String],
    unfold: bool,
    (fields, names, catalogue, shape): Context<'_>,
) -> Result<EndPlan, String> {
    let label = vertex_label(label, catalogue)?;
    if unfold && !shape.lists {
        return Err(format!(
            "\"unfold_{end}\" splits a column; say in \"list_format\" of the input how lists are written"
        ));
    }
    if unfold && columns.len() != 1 {
        return Err(format!("\"unfold_{end}\" needs exactly one {end} column"));
    }
    let mut found = Vec::new();
    for name in columns {
        let index = names.iter().position(|known| known == name).or(shape.gaps.then_some(MISSING));
        let index = index.ok_or_else(|| no_such_column(name, names))?;
        found.push((Column::new(index, name, fields), None));
    }
    if label.id_strategy == IdStrategy::PrimaryKey {
        found = in_key_order(end, &label, found, fields, catalogue)?;
    } else if found.len() != 1 {
        return Err(format!("\"{end}\" must name one column, the id of a \"{}\" vertex", label.name));
    }
    Ok(EndPlan { label, columns: found, unfold })
}

type EndColumns = Vec<(Column, Option<Arc<PropertyKey>>)>;

/// Pairs columns with primary keys: by `field_mapping` if it names the keys, else by position.
fn in_key_order(
    end: &str,
    label: &VertexLabel,
    columns: EndColumns,
    fields: &Fields,
    catalogue: &Catalogue,
) -> Result<EndColumns, String> {
    let keys = &label.primary_keys;
    if columns.len() != keys.len() {
        return Err(format!(
            "\"{end}\" names {} columns, but a \"{}\" vertex is identified by {} primary keys ({})",
            columns.len(),
            label.name,
            keys.len(),
            keys.join(", ")
        ));
    }
    let key_of = |column: &Column| keys.iter().position(|key| key == fields.property_of(&column.name));
    let mut ordered: Vec<(usize, Column)> = Vec::new();
    for (position, (column, _)) in columns.into_iter().enumerate() {
        let mapped = fields.field_mapping.get(&column.name);
        match (key_of(&column), mapped) {
            (Some(key), _) => ordered.push((key, column)),
            (None, None) => ordered.push((position, column)),
            (None, Some(other)) => {
                return Err(format!(
                    "\"field_mapping\" sends the {end} column \"{}\" to \"{other}\", but the primary keys of \"{}\" \
                     are {}",
                    column.name,
                    label.name,
                    keys.join(", ")
                ));
            }
        }
    }
    ordered.sort_by_key(|(key, _)| *key);
    if ordered.iter().enumerate().any(|(position, (key, _))| position != *key) {
        return Err(format!("the {end} columns do not cover the primary keys {} once each", keys.join(", ")));
    }
    let pair = |((_, column), key): ((usize, Column), &String)| {
        let key = catalogue.key(key).cloned();
        key.map(|key| (column, Some(key)))
    };
    let paired: Option<EndColumns> = ordered.into_iter().zip(keys).map(pair).collect();
    paired.ok_or_else(|| format!("a primary key of \"{}\" does not exist on the server", label.name))
}

fn vertex_label(name: &str, catalogue: &Catalogue) -> Result<Arc<VertexLabel>, String> {
    let found = catalogue.vertex_label(name).cloned();
    found.ok_or_else(|| no_such_label("vertex", name, nearest(name, catalogue.vertex_label_names())))
}

fn no_such_label(kind: &str, name: &str, hint: Option<&str>) -> String {
    let hint = hint.map(|known| format!(" (did you mean \"{known}\"?)")).unwrap_or_default();
    format!("the server has no {kind} label \"{name}\"{hint}; create it, or give a schema file that does")
}

/// Whether a raw value means "absent".
pub(crate) fn is_null(raw: &Value, fields: &Fields) -> bool {
    raw.is_null() || fields.null_values.contains(raw)
}

/// The reason for a value that cannot be used.
pub(crate) fn in_column(column: &Column, reason: &str) -> String {
    format!("column \"{}\": {reason}", column.name)
}

/// The reason for an id that is empty.
pub(crate) fn empty_id(column: &Column, raw: &Value) -> String {
    format!("column \"{}\": {} cannot be (part of) an id", column.name, shown(raw))
}
