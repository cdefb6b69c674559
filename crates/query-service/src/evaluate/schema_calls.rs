//! HugeGraph's schema builder: `graph.schema().propertyKey("age").asInt().ifNotExist().create()` and its like.

use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{
    AggregateType, Alter, Catalogue, EdgeLabelKindName, Frequency, IndexType, NewEdgeLabel, NewIndexLabel,
    NewPropertyKey, NewVertexLabel, UpdateEdgeLabel, UpdateIndexLabel, UpdatePropertyKey, UpdateVertexLabel, UserData,
    WriteType,
};
use gremlin::Call;
use query_value::Value;

use crate::error::{QueryError, QueryErrorKind};
use crate::evaluate::Evaluator;
use crate::slot::Slot;

/// What is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    PropertyKey,
    VertexLabel,
    EdgeLabel,
    IndexLabel,
}

/// What the calls of a builder have set.
struct Builder {
    kind: Kind,
    name: String,
    data_type: DataType,
    cardinality: Cardinality,
    aggregate: AggregateType,
    id_strategy: Option<IdStrategy>,
    properties: Vec<String>,
    primary_keys: Vec<String>,
    nullable_keys: Vec<String>,
    sort_keys: Vec<String>,
    source: Option<String>,
    target: Option<String>,
    links: Vec<(String, String)>,
    frequency: Option<Frequency>,
    base: Option<(bool, String)>,
    index_type: IndexType,
    fields: Vec<String>,
    enable_label_index: Option<bool>,
    ttl_ms: i64,
    ttl_start_time: Option<String>,
    user_data: UserData,
    check_exist: bool,
    rebuild: bool,
}

impl Evaluator<'_, '_> {
    /// Carries out the calls on the schema of the script's graph. A change of the schema is a transaction of its own:
    /// what the script has written so far is committed before.
    pub(crate) fn schema(&mut self, calls: &[Call]) -> Result<Slot, QueryError> {
        let Some((first, rest)) = calls.split_first() else { return Ok(Slot::Schema) };
        let mut arguments = Vec::with_capacity(first.arguments.len());
        for argument in &first.arguments {
            arguments.push(self.plain(argument)?);
        }
        if let Some(found) = self.read_schema(&first.name, &arguments)? {
            return Ok(Slot::Value(found));
        }
        let kind = match first.name.as_str() {
            "propertyKey" => Kind::PropertyKey,
            "vertexLabel" => Kind::VertexLabel,
            "edgeLabel" => Kind::EdgeLabel,
            "indexLabel" => Kind::IndexLabel,
            other => return Err(no_method(other, "a schema")),
        };
        let [Value::String(name)] = arguments.as_slice() else {
            return Err(QueryError::evaluation(format!("{}() takes a name", first.name)));
        };
        let mut builder = Builder::new(kind, name.to_string());
        for call in rest {
            let mut arguments = Vec::with_capacity(call.arguments.len());
            for argument in &call.arguments {
                arguments.push(self.plain(argument)?);
            }
            match call.name.as_str() {
                "create" | "append" | "eliminate" | "remove" => {
                    self.unit.commit()?;
                    return self.change_schema(&builder, &call.name);
                }
                name => builder.set(name, &arguments)?,
            }
        }
        Err(QueryError::evaluation(format!(
            "the schema is not changed before create(), append(), eliminate() or remove() is called on {}('{}')",
            first.name, builder.name
        )))
    }

    fn read_schema(&mut self, name: &str, arguments: &[Value]) -> Result<Option<Value>, QueryError> {
        let catalogue = self.unit.graph().catalogue();
        let named = |kind: &str, found: Option<(u32, String)>| {
            let asked = arguments.first().and_then(Value::as_text).unwrap_or_default();
            let missing =
                || QueryError::access(graph_model::ErrorKind::BadInput, format!("{kind} '{asked}' does not exist"));
            found.map(|(id, name)| element(id, &name)).ok_or_else(missing).map(Some)
        };
        let asked = arguments.first().and_then(Value::as_text).unwrap_or_default();
        match name {
            "getPropertyKey" => {
                named("property key", catalogue.property_key_named(asked).map(|key| (key.id.0, key.name.to_string())))
            }
            "getVertexLabel" => {
                named("vertex label", catalogue.vertex_label_named(asked).map(|it| (it.id.0, it.name.to_string())))
            }
            "getEdgeLabel" => {
                named("edge label", catalogue.edge_label_named(asked).map(|it| (it.id.0, it.name.to_string())))
            }
            "getIndexLabel" => {
                named("index label", catalogue.index_label_named(asked).map(|it| (it.id.0, it.name.to_string())))
            }
            "getPropertyKeys" => Ok(Some(Value::list(catalogue.property_keys().map(|it| element(it.id.0, &it.name))))),
            "getVertexLabels" => Ok(Some(Value::list(catalogue.vertex_labels().map(|it| element(it.id.0, &it.name))))),
            "getEdgeLabels" => Ok(Some(Value::list(catalogue.edge_labels().map(|it| element(it.id.0, &it.name))))),
            "getIndexLabels" => Ok(Some(Value::list(catalogue.index_labels().map(|it| element(it.id.0, &it.name))))),
            _ => Ok(None),
        }
    }

    fn change_schema(&mut self, builder: &Builder, call: &str) -> Result<Slot, QueryError> {
        let graph = self.unit.graph();
        let schema = graph.schema();
        let alter = match call {
            "append" => Some(Alter::Append),
            "eliminate" => Some(Alter::Eliminate),
            _ => None,
        };
        let name = &builder.name;
        if call == "remove" {
            let task = match builder.kind {
                Kind::PropertyKey => schema.delete_property_key(name).map(|()| 0)?,
                Kind::VertexLabel => graph.jobs().remove_vertex_label(name)?,
                Kind::EdgeLabel => graph.jobs().remove_edge_label(name)?,
                Kind::IndexLabel => graph.jobs().remove_index_label(name)?,
            };
            return Ok(Slot::Value(Value::Long(i64::try_from(task).unwrap_or(i64::MAX))));
        }
        if !builder.check_exist && alter.is_none() && exists(&graph.catalogue(), builder) {
            return Ok(Slot::Value(Value::String(name.as_str().into())));
        }
        match (builder.kind, alter) {
            (Kind::PropertyKey, None) => drop(schema.create_property_key(&builder.property_key())?),
            (Kind::PropertyKey, Some(alter)) => {
                drop(schema.alter_property_key(alter, &builder.property_key_update())?);
            }
            (Kind::VertexLabel, None) => drop(schema.create_vertex_label(&builder.vertex_label())?),
            (Kind::VertexLabel, Some(alter)) => {
                drop(schema.alter_vertex_label(alter, &builder.vertex_label_update())?);
            }
            (Kind::EdgeLabel, None) => drop(schema.create_edge_label(&builder.edge_label())?),
            (Kind::EdgeLabel, Some(alter)) => drop(schema.alter_edge_label(alter, &builder.edge_label_update())?),
            (Kind::IndexLabel, None) => drop(graph.jobs().create_index_label(&builder.index_label()?)?),
            (Kind::IndexLabel, Some(alter)) => drop(schema.alter_index_label(alter, &builder.index_label_update())?),
        }
        Ok(Slot::Value(Value::String(name.as_str().into())))
    }
}

fn exists(catalogue: &Catalogue, builder: &Builder) -> bool {
    let name = builder.name.as_str();
    match builder.kind {
        Kind::PropertyKey => catalogue.property_key_named(name).is_some(),
        Kind::VertexLabel => catalogue.vertex_label_named(name).is_some(),
        Kind::EdgeLabel => catalogue.edge_label_named(name).is_some(),
        Kind::IndexLabel => catalogue.index_label_named(name).is_some(),
    }
}

fn element(id: u32, name: &str) -> Value {
    let pairs = [("id", Value::Long(id.into())), ("name", Value::String(name.into()))];
    Value::map(pairs.map(|(key, value)| (Value::String(key.into()), value)))
}

fn no_method(name: &str, target: &str) -> QueryError {
    QueryError::new(QueryErrorKind::UnknownMethod, format!("method {name}() cannot be called on {target}"))
}

impl Builder {
    fn new(kind: Kind, name: String) -> Self {
        Self {
            kind,
            name,
            data_type: DataType::Text,
            cardinality: Cardinality::Single,
            aggregate: AggregateType::None,
            id_strategy: None,
            properties: Vec::new(),
            primary_keys: Vec::new(),
            nullable_keys: Vec::new(),
            sort_keys: Vec::new(),
            source: None,
            target: None,
            links: Vec::new(),
            frequency: None,
            base: None,
            index_type: IndexType::Secondary,
            fields: Vec::new(),
            enable_label_index: None,
            ttl_ms: 0,
            ttl_start_time: None,
            user_data: UserData::default(),
            check_exist: true,
            rebuild: true,
        }
    }

    fn set(&mut self, call: &str, arguments: &[Value]) -> Result<(), QueryError> {
        if self.set_type(call) {
            return Ok(());
        }
        match call {
            "properties" => self.properties.extend(texts(call, arguments)?),
            "primaryKeys" => {
                self.primary_keys.extend(texts(call, arguments)?);
                self.id_strategy = Some(IdStrategy::PrimaryKey);
            }
            "nullableKeys" => self.nullable_keys.extend(texts(call, arguments)?),
            "sortKeys" => self.sort_keys.extend(texts(call, arguments)?),
            "by" => self.fields.extend(texts(call, arguments)?),
            "sourceLabel" => self.source = Some(one_text(call, arguments)?),
            "targetLabel" => self.target = Some(one_text(call, arguments)?),
            "link" => match texts(call, arguments)?.as_slice() {
                [source, target] => self.links.push((source.clone(), target.clone())),
                _ => return Err(QueryError::evaluation("link() takes the labels of both ends")),
            },
            "onV" => self.base = Some((true, one_text(call, arguments)?)),
            "onE" => self.base = Some((false, one_text(call, arguments)?)),
            "enableLabelIndex" => self.enable_label_index = Some(flag(arguments)),
            "ttl" => self.ttl_ms = arguments.first().and_then(Value::as_i64).unwrap_or_default(),
            "ttlStartTime" => self.ttl_start_time = Some(one_text(call, arguments)?),
            "ifNotExist" => self.check_exist = false,
            "checkExist" => self.check_exist = flag(arguments),
            "rebuild" => self.rebuild = flag(arguments),
            "userdata" => match arguments {
                [Value::String(key), value] => self.user_data.set(key, crate::json::to_json(value)),
                _ => return Err(QueryError::evaluation("userdata() takes a key and a value")),
            },
            _ => return Err(no_method(call, "a schema element's builder")),
        }
        Ok(())
    }

    /// Calls without arguments that choose one of several types; false for others.
    fn set_type(&mut self, call: &str) -> bool {
        match call {
            "asText" => self.data_type = DataType::Text,
            "asInt" => self.data_type = DataType::Int,
            "asLong" => self.data_type = DataType::Long,
            "asDouble" => self.data_type = DataType::Double,
            "asFloat" => self.data_type = DataType::Float,
            "asByte" => self.data_type = DataType::Byte,
            "asBoolean" => self.data_type = DataType::Boolean,
            "asDate" => self.data_type = DataType::Date,
            "asUUID" | "asUuid" => self.data_type = DataType::Uuid,
            "asBlob" => self.data_type = DataType::Blob,
            "asObject" => self.data_type = DataType::Object,
            "valueSingle" => self.cardinality = Cardinality::Single,
            "valueList" => self.cardinality = Cardinality::List,
            "valueSet" => self.cardinality = Cardinality::Set,
            "calcSum" => self.aggregate = AggregateType::Sum,
            "calcMax" => self.aggregate = AggregateType::Max,
            "calcMin" => self.aggregate = AggregateType::Min,
            "calcOld" => self.aggregate = AggregateType::Old,
            "calcSet" => self.aggregate = AggregateType::Set,
            "calcList" => self.aggregate = AggregateType::List,
            "useAutomaticId" => self.id_strategy = Some(IdStrategy::Automatic),
            "usePrimaryKeyId" => self.id_strategy = Some(IdStrategy::PrimaryKey),
            "useCustomizeStringId" => self.id_strategy = Some(IdStrategy::CustomizeString),
            "useCustomizeNumberId" => self.id_strategy = Some(IdStrategy::CustomizeNumber),
            "useCustomizeUuidId" => self.id_strategy = Some(IdStrategy::CustomizeUuid),
            "singleTime" => self.frequency = Some(Frequency::Single),
            "multiTimes" => self.frequency = Some(Frequency::Multiple),
            "secondary" => self.index_type = IndexType::Secondary,
            "range" => self.index_type = IndexType::Range,
            "search" => self.index_type = IndexType::Search,
            "shard" => self.index_type = IndexType::Shard,
            "unique" => self.index_type = IndexType::Unique,
            _ => return false,
        }
        true
    }

    fn property_key(&self) -> NewPropertyKey {
        NewPropertyKey {
            aggregate_type: self.aggregate,
            write_type: WriteType::Oltp,
            user_data: self.user_data.clone(),
            check_exist: self.check_exist,
            ..NewPropertyKey::new(&self.name, self.data_type, self.cardinality)
        }
    }

    fn property_key_update(&self) -> UpdatePropertyKey {
        UpdatePropertyKey {
            name: self.name.clone(),
            data_type: self.data_type,
            cardinality: self.cardinality,
            user_data: self.user_data.clone(),
            default_value: None,
        }
    }

    fn vertex_label(&self) -> NewVertexLabel {
        NewVertexLabel {
            id_strategy: self.id_strategy,
            properties: self.properties.clone(),
            primary_keys: self.primary_keys.clone(),
            nullable_keys: self.nullable_keys.clone(),
            ttl_ms: self.ttl_ms,
            ttl_start_time: self.ttl_start_time.clone(),
            enable_label_index: self.enable_label_index,
            user_data: self.user_data.clone(),
            check_exist: self.check_exist,
            ..NewVertexLabel::new(&self.name)
        }
    }

    fn vertex_label_update(&self) -> UpdateVertexLabel {
        UpdateVertexLabel {
            name: self.name.clone(),
            id_strategy: self.id_strategy,
            primary_keys: self.primary_keys.clone(),
            properties: self.properties.clone(),
            nullable_keys: self.nullable_keys.clone(),
            ttl_ms: self.ttl_ms,
            ttl_start_time: self.ttl_start_time.clone(),
            enable_label_index: self.enable_label_index,
            user_data: self.user_data.clone(),
        }
    }

    fn edge_label(&self) -> NewEdgeLabel {
        NewEdgeLabel {
            id: None,
            name: self.name.clone(),
            kind: EdgeLabelKindName::Normal,
            parent_label: None,
            source_label: self.source.clone(),
            target_label: self.target.clone(),
            links: self.links.clone(),
            frequency: self.frequency,
            properties: self.properties.clone(),
            sort_keys: self.sort_keys.clone(),
            nullable_keys: self.nullable_keys.clone(),
            ttl_ms: self.ttl_ms,
            ttl_start_time: self.ttl_start_time.clone(),
            enable_label_index: self.enable_label_index,
            user_data: self.user_data.clone(),
            check_exist: self.check_exist,
        }
    }

    fn edge_label_update(&self) -> UpdateEdgeLabel {
        UpdateEdgeLabel {
            name: self.name.clone(),
            source_label: self.source.clone(),
            target_label: self.target.clone(),
            links: self.links.clone(),
            frequency: self.frequency,
            sort_keys: self.sort_keys.clone(),
            properties: self.properties.clone(),
            nullable_keys: self.nullable_keys.clone(),
            ttl_ms: self.ttl_ms,
            ttl_start_time: self.ttl_start_time.clone(),
            enable_label_index: self.enable_label_index,
            user_data: self.user_data.clone(),
        }
    }

    fn index_label(&self) -> Result<NewIndexLabel, QueryError> {
        let Some((on_vertices, base)) = self.base.clone() else {
            return Err(QueryError::evaluation(format!("index label '{}' needs onV() or onE()", self.name)));
        };
        Ok(NewIndexLabel {
            id: None,
            name: self.name.clone(),
            on_vertices,
            base,
            index_type: self.index_type,
            fields: self.fields.clone(),
            user_data: self.user_data.clone(),
            rebuild: self.rebuild,
            check_exist: self.check_exist,
        })
    }

    fn index_label_update(&self) -> UpdateIndexLabel {
        UpdateIndexLabel {
            name: self.name.clone(),
            on_vertices: None,
            base: None,
            index_type: None,
            fields: Vec::new(),
            user_data: self.user_data.clone(),
        }
    }
}

fn texts(call: &str, arguments: &[Value]) -> Result<Vec<String>, QueryError> {
    let mut found = Vec::new();
    for argument in arguments {
        match argument {
            Value::String(text) => found.push(text.to_string()),
            Value::List(items) => found.extend(texts(call, items)?),
            other => return Err(QueryError::evaluation(format!("{call}() takes names, but got {}", other.kind()))),
        }
    }
    Ok(found)
}

fn one_text(call: &str, arguments: &[Value]) -> Result<String, QueryError> {
    match texts(call, arguments)?.as_slice() {
        [text] => Ok(text.clone()),
        _ => Err(QueryError::evaluation(format!("{call}() takes one name"))),
    }
}

/// The flag given, true without one.
fn flag(arguments: &[Value]) -> bool {
    !matches!(arguments, [Value::Bool(false)])
}
