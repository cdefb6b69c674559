//! Makes the vertices or edges of one mapping from the rows of its source, as JSON text ready to send.

use std::sync::Arc;

use api_client::{IdStrategy, VertexLabel};
use graph_model::limits::VERTEX_ID_BYTES_MAX;
use serde_json::{Map, Value};

use crate::builder_plan::{
    EdgePlan, EndPlan, KeySlot, PropertySlot, Shape, VertexPlan, empty_id, in_column, is_null, plan_edge, plan_vertex,
};
use crate::catalogue::Catalogue;
use crate::coerce::{Coercion, uuid, whole};
use crate::mapping::{EdgeMapping, Fields, VertexMapping};
use crate::primary_key::primary_key_id;
use crate::reader::{Names, Record};

/// What to make.
#[derive(Clone, Debug)]
pub(crate) enum Element {
    Vertex(VertexMapping),
    Edge(EdgeMapping),
}

/// How rows become elements.
pub(crate) enum Plan {
    Vertex(VertexPlan),
    Edge(EdgePlan),
}

/// Builds the elements of one mapping.
pub(crate) struct Builder {
    element: Element,
    fields: Fields,
    coercion: Arc<Coercion>,
    catalogue: Arc<Catalogue>,
    shape: Shape,
    plan: Option<(Names, Plan)>,
}

impl Builder {
    pub(crate) fn new(element: Element, coercion: Arc<Coercion>, catalogue: Arc<Catalogue>, json: bool) -> Self {
        let fields = match &element {
            Element::Vertex(mapping) => mapping.fields(),
            Element::Edge(mapping) => mapping.fields(),
        };
        let shape = Shape { lists: json || coercion.splits_lists(), gaps: json };
        Self { element, fields, coercion, catalogue, shape, plan: None }
    }

    /// Plans for these columns. The error says what is wrong with the mapping or the schema.
    pub(crate) fn prepare(&mut self, names: &Names) -> Result<(), String> {
        let plan = match &self.element {
            Element::Vertex(mapping) => {
                Plan::Vertex(plan_vertex(mapping, &self.fields, names, &self.catalogue, self.shape)?)
            }
            Element::Edge(mapping) => Plan::Edge(plan_edge(mapping, &self.fields, names, &self.catalogue, self.shape)?),
        };
        self.plan = Some((Names::clone(names), plan));
        Ok(())
    }

    /// How values are read.
    pub(crate) fn coercion(&self) -> &Coercion {
        &self.coercion
    }

    /// The plan for the columns last prepared for, and the columns' common rules.
    pub(crate) fn plan(&self) -> Option<(&Plan, &Fields)> {
        self.plan.as_ref().map(|(_, plan)| (plan, &self.fields))
    }

    /// The elements of a row, as JSON texts. None at all for an edge that has no end (an empty foreign key). The error
    /// is the reason for the rejects.
    pub(crate) fn build(&mut self, record: &Record) -> Result<Vec<String>, String> {
        if !self.plan.as_ref().is_some_and(|(names, _)| Arc::ptr_eq(names, &record.names)) {
            self.prepare(&record.names)?;
        }
        match &self.plan {
            Some((_, Plan::Vertex(plan))) => self.vertices(plan, record),
            Some((_, Plan::Edge(plan))) => self.edges(plan, record),
            None => Err("the row has no plan".into()),
        }
    }

    fn vertices(&self, plan: &VertexPlan, record: &Record) -> Result<Vec<String>, String> {
        let properties = self.properties(&plan.properties, record)?;
        let Some(key) = &plan.key else {
            check_required(&plan.required, &properties, &plan.label.name)?;
            check_primary_keys(&plan.label, &properties)?;
            return Ok(vec![vertex_json(&plan.label.name, None, properties)]);
        };
        let raw = cell(record, key.column.index);
        let values = if key.unfold {
            self.coercion.split(raw).map_err(|r| in_column(&key.column, &r))?
        } else {
            vec![raw.clone()]
        };
        values.iter().map(|value| self.keyed_vertex(plan, key, value, properties.clone())).collect()
    }

    /// A vertex whose id or only primary key is the given value.
    fn keyed_vertex(
        &self,
        plan: &VertexPlan,
        key: &KeySlot,
        raw: &Value,
        mut properties: Map<String, Value>,
    ) -> Result<String, String> {
        let value = key.column.mapped(raw);
        if let Some(property) = &key.property {
            let value = self.coercion.property(property, value).map_err(|r| in_column(&key.column, &r))?;
            properties.insert(property.name.clone(), value);
        }
        check_required(&plan.required, &properties, &plan.label.name)?;
        check_primary_keys(&plan.label, &properties)?;
        if !key.is_id {
            return Ok(vertex_json(&plan.label.name, None, properties));
        }
        let id = given_id(plan.label.id_strategy, value).map_err(|r| in_column(&key.column, &r))?;
        let id = id.ok_or_else(|| empty_id(&key.column, raw))?;
        Ok(vertex_json(&plan.label.name, Some(id), properties))
    }

    fn edges(&self, plan: &EdgePlan, record: &Record) -> Result<Vec<String>, String> {
        let sources = self.end_ids(&plan.source, record)?;
        let targets = self.end_ids(&plan.target, record)?;
        let (many, few) = (sources.len().max(targets.len()), sources.len().min(targets.len()));
        if few == 0 {
            return Ok(Vec::new());
        }
        if few != 1 && few != many {
            return Err(format!(
                "the row has {} source and {} target vertices; one side must have one, or both the same number",
                sources.len(),
                targets.len()
            ));
        }
        let properties = self.properties(&plan.properties, record)?;
        check_required(&plan.required, &properties, &plan.label)?;
        let pairs = sources.iter().cycle().zip(targets.iter().cycle()).take(many);
        Ok(pairs.map(|(source, target)| edge_json(plan, source, target, &properties)).collect())
    }

    /// The ids of the vertices at one end of the row's edges.
    fn end_ids(&self, end: &EndPlan, record: &Record) -> Result<Vec<Value>, String> {
        if let ([(column, _)], true) = (end.columns.as_slice(), end.unfold) {
            let raw = cell(record, column.index);
            if raw.is_null() {
                return Ok(Vec::new());
            }
            let values = self.coercion.split(raw).map_err(|reason| in_column(column, &reason))?;
            let ids = values.iter().map(|value| self.end_id(end, &[value]));
            return Ok(ids.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect());
        }
        let raws: Vec<&Value> = end.columns.iter().map(|(column, _)| cell(record, column.index)).collect();
        Ok(self.end_id(end, &raws)?.into_iter().collect())
    }

    /// One id from the raw values of its columns; `None` if one of them is empty.
    fn end_id(&self, end: &EndPlan, raws: &[&Value]) -> Result<Option<Value>, String> {
        let mut values = Vec::with_capacity(raws.len());
        for ((column, key), raw) in end.columns.iter().zip(raws) {
            let value = column.mapped(raw);
            let in_column = |reason: String| in_column(column, &reason);
            if value.is_null() || value.as_str().is_some_and(str::is_empty) {
                return Ok(None);
            }
            let Some(key) = key else {
                return given_id(end.label.id_strategy, value).map_err(in_column);
            };
            let value = self.coercion.single(key.data_type, value).map_err(in_column)?;
            values.push((key.data_type, value));
        }
        primary_key_id(end.label.id, &values).map(|id| Some(Value::from(id)))
    }

    fn properties(&self, slots: &[PropertySlot], record: &Record) -> Result<Map<String, Value>, String> {
        let mut properties = Map::with_capacity(slots.len());
        for slot in slots {
            let raw = cell(record, slot.column.index);
            if raw.is_null() || (slot.nullable && is_null(raw, &self.fields)) {
                continue;
            }
            let value = self.coercion.property(&slot.key, slot.column.mapped(raw));
            let value = value.map_err(|reason| in_column(&slot.column, &reason))?;
            properties.insert(slot.key.name.clone(), value);
        }
        Ok(properties)
    }
}

fn cell(record: &Record, index: usize) -> &Value {
    record.values.get(index).unwrap_or(&Value::Null)
}

/// An id from the data, as written in a request body; `None` if it is empty.
fn given_id(strategy: IdStrategy, raw: &Value) -> Result<Option<Value>, String> {
    if raw.is_null() || raw.as_str().is_some_and(str::is_empty) {
        return Ok(None);
    }
    match strategy {
        IdStrategy::CustomizeUuid => uuid(raw).map(Some),
        IdStrategy::CustomizeNumber | IdStrategy::Automatic | IdStrategy::Default => {
            whole(raw, i64::MIN, i64::MAX, "vertex id").map(Some)
        }
        IdStrategy::CustomizeString | IdStrategy::PrimaryKey => {
            let id = raw.as_str().map_or_else(|| raw.to_string(), str::to_owned);
            check_id_length(&id)?;
            Ok(Some(Value::from(id)))
        }
    }
}

fn check_id_length(id: &str) -> Result<(), String> {
    if id.len() <= VERTEX_ID_BYTES_MAX {
        return Ok(());
    }
    Err(format!("the vertex id has {} bytes, at most {VERTEX_ID_BYTES_MAX} are allowed", id.len()))
}

fn check_required(required: &[String], properties: &Map<String, Value>, label: &str) -> Result<(), String> {
    let missing: Vec<&str> =
        required.iter().filter(|name| !properties.contains_key(*name)).map(String::as_str).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("the label \"{label}\" needs the properties {}, the row has no value for them", missing.join(", ")))
}

/// An empty text as primary key would give ids that collide.
fn check_primary_keys(label: &VertexLabel, properties: &Map<String, Value>) -> Result<(), String> {
    if label.id_strategy != IdStrategy::PrimaryKey {
        return Ok(());
    }
    for key in &label.primary_keys {
        match properties.get(key) {
            Some(Value::String(text)) if text.is_empty() => return Err(format!("the primary key \"{key}\" is empty")),
            Some(_) => {}
            None => return Err(format!("the primary key \"{key}\" has no value")),
        }
    }
    Ok(())
}

fn vertex_json(label: &str, id: Option<Value>, properties: Map<String, Value>) -> String {
    let mut body = Map::with_capacity(3);
    if let Some(id) = id {
        body.insert("id".into(), id);
    }
    body.insert("label".into(), Value::from(label));
    body.insert("properties".into(), Value::Object(properties));
    Value::Object(body).to_string()
}

fn edge_json(plan: &EdgePlan, source: &Value, target: &Value, properties: &Map<String, Value>) -> String {
    let mut body = Map::with_capacity(6);
    body.insert("label".into(), Value::from(plan.label.as_str()));
    body.insert("outV".into(), source.clone());
    body.insert("outVLabel".into(), Value::from(plan.source.label.name.as_str()));
    body.insert("inV".into(), target.clone());
    body.insert("inVLabel".into(), Value::from(plan.target.label.name.as_str()));
    body.insert("properties".into(), Value::Object(properties.clone()));
    Value::Object(body).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn catalogue() -> Arc<Catalogue> {
        let schema = json!({
            "propertykeys": [
                {"name": "name", "data_type": "TEXT"}, {"name": "age", "data_type": "INT"},
                {"name": "tags", "data_type": "TEXT", "cardinality": "SET"}, {"name": "since", "data_type": "DATE"}],
            "vertexlabels": [
                {"id": 1, "name": "person", "id_strategy": "PRIMARY_KEY", "properties": ["name", "age", "tags"],
                 "primary_keys": ["name", "age"], "nullable_keys": ["tags"]},
                {"id": 2, "name": "city", "id_strategy": "CUSTOMIZE_NUMBER", "properties": ["name"],
                 "nullable_keys": []},
                {"id": 3, "name": "tag", "id_strategy": "PRIMARY_KEY", "properties": ["name"],
                 "primary_keys": ["name"]}],
            "edgelabels": [
                {"id": 1, "name": "lives", "source_label": "person", "target_label": "city", "properties": ["since"],
                 "nullable_keys": ["since"]},
                {"id": 2, "name": "likes", "links": [{"tag": "tag"}], "properties": []}],
        });
        Arc::new(Catalogue::new(serde_json::from_value(schema).unwrap()))
    }

    fn builder(element: Element) -> Builder {
        let input = json!({"path": "p", "date_format": "timestamp", "list_format": {"elem_delimiter": ";"}});
        let coercion = Coercion::new(&serde_json::from_value(input).unwrap()).unwrap();
        Builder::new(element, Arc::new(coercion), catalogue(), false)
    }

    fn vertex(mapping: Value) -> Builder {
        builder(Element::Vertex(serde_json::from_value(mapping).unwrap()))
    }

    fn edge(mapping: Value) -> Builder {
        builder(Element::Edge(serde_json::from_value(mapping).unwrap()))
    }

    fn build(builder: &mut Builder, names: &[&str], values: &[&str]) -> Result<Vec<Value>, String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let values = values.iter().map(|value| Value::from(*value)).collect();
        let record = Record { line: 1, raw: "".into(), names: names.into(), values };
        Ok(builder.build(&record)?.iter().map(|text| serde_json::from_str(text).unwrap()).collect())
    }

    #[test]
    fn a_primary_key_vertex_sends_no_id_and_drops_nulls() {
        let mut b = vertex(json!({"label": "person", "field_mapping": {"n": "name"}, "ignored": ["x"]}));
        let made = build(&mut b, &["n", "age", "tags", "x"], &["ann", "29", "", "?"]);
        assert_eq!(made, Ok(vec![json!({"label": "person", "properties": {"name": "ann", "age": 29}})]));
        let made = build(&mut b, &["n", "age", "tags", "x"], &["ann", "29", "a;b;a", "?"]).unwrap();
        assert_eq!(made[0]["properties"]["tags"], json!(["a", "b"]));
    }

    #[test]
    fn bad_rows_have_reasons_with_the_column() {
        let mut b = vertex(json!({"label": "person"}));
        let reason = build(&mut b, &["name", "age"], &["ann", "old"]).unwrap_err();
        assert!(reason.starts_with("column \"age\": \"old\" is not a whole number"), "{reason}");
        assert!(build(&mut b, &["name"], &["ann"]).unwrap_err().contains("needs the properties age"));
        assert!(build(&mut b, &["name", "age"], &["", "1"]).unwrap_err().contains("primary key \"name\" is empty"));
    }

    #[test]
    fn given_ids_and_value_mapping() {
        let mut b = vertex(json!({"label": "city", "id": "id", "value_mapping": {"name": {"1": "Rome"}}}));
        let made = build(&mut b, &["id", "name"], &["7", "1"]);
        assert_eq!(made, Ok(vec![json!({"id": 7, "label": "city", "properties": {"name": "Rome"}})]));
        assert!(build(&mut b, &["id", "name"], &["x", "1"]).unwrap_err().contains("vertex id"));
        assert!(build(&mut b, &["id", "name"], &["", "1"]).unwrap_err().contains("column \"id\""));
    }

    #[test]
    fn unfold_makes_a_vertex_of_each_value() {
        let mut b = vertex(json!({"label": "tag", "field_mapping": {"tags": "name"}, "unfold": true}));
        let made = build(&mut b, &["tags"], &["red;blue"]).unwrap();
        assert_eq!(made.len(), 2);
        assert_eq!(made[1]["properties"], json!({"name": "blue"}));
    }

    #[test]
    fn edge_ends_are_computed_from_primary_keys() {
        let mapping = json!({"label": "lives", "source": ["p_age", "p_name"], "target": ["city"],
            "field_mapping": {"p_age": "age", "p_name": "name"}});
        let mut b = edge(mapping);
        let names = ["p_name", "p_age", "city", "since"];
        let made = build(&mut b, &names, &["a!n", "29", "7", "1577923200000"]).unwrap();
        assert_eq!(
            made,
            [json!({"label": "lives", "outV": "1:a`!n!1T", "outVLabel": "person", "inV": 7, "inVLabel": "city",
                "properties": {"since": 1_577_923_200_000_i64}})]
        );
        assert_eq!(build(&mut b, &names, &["ann", "29", "", ""]), Ok(vec![]), "an empty foreign key makes no edge");
    }

    #[test]
    fn unfolded_edges_pair_one_with_many() {
        let mut b = edge(json!({"label": "likes", "source": ["a"], "target": ["b"], "unfold_target": true}));
        let made = build(&mut b, &["a", "b"], &["x", "y;z"]).unwrap();
        let ends: Vec<_> = made.iter().map(|e| (e["outV"].clone(), e["inV"].clone())).collect();
        assert_eq!(ends, [(json!("3:x"), json!("3:y")), (json!("3:x"), json!("3:z"))]);
    }

    #[test]
    fn mappings_that_do_not_fit_the_schema_are_explained() {
        let names: Names = vec!["nmae".to_owned(), "age".to_owned()].into();
        let cases = [
            (vertex(json!({"label": "persn"})), "did you mean \"person\"?"),
            (vertex(json!({"label": "person"})), "did you mean \"name\"?"),
            (vertex(json!({"label": "person", "id": "age"})), "computed from its primary keys name, age"),
            (vertex(json!({"label": "city"})), "name their column in \"id\""),
            (edge(json!({"label": "lives", "source": ["age"], "target": ["age"]})), "identified by 2 primary keys"),
            (edge(json!({"label": "likes", "source": ["agee"], "target": ["age"]})), "did you mean \"age\"?"),
        ];
        for (mut builder, expected) in cases {
            let reason = builder.prepare(&names).unwrap_err();
            assert!(reason.contains(expected), "{reason}");
        }
    }
}
