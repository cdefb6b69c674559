//! The fast way from a row to an element: texts of a line become what the schema checks, without JSON in between.
//!
//! It does for plain rows exactly what [`crate::builder::Builder`] does, and nothing else: where a mapping, a value or
//! a rule is not plain it gives `None`, and the row goes the way every row of an online load goes. So only speed
//! depends on what is known here, never an outcome.

use std::borrow::Cow;

use api_client::{Cardinality, DataType, IdStrategy};
use graph_model::limits::VERTEX_ID_BYTES_MAX;
use graph_schema::{Literal, NewEdge, NewVertex};

use crate::builder::{Builder, Plan};
use crate::builder_plan::{EdgePlan, EndPlan, PropertySlot, VertexPlan};
use crate::coerce::Coercion;
use crate::mapping::Fields;

/// Begins of texts that ids made of primary keys may not have.
const RESERVED_MAX: u8 = 3;

/// How plain rows of one mapping become elements.
pub(crate) enum FastPlan {
    Vertex(FastVertex),
    Edge(FastEdge),
}

pub(crate) struct FastVertex {
    label: String,
    id: Option<(usize, IdStrategy)>,
    properties: Vec<FastProperty>,
}

pub(crate) struct FastEdge {
    label: String,
    source: FastEnd,
    target: FastEnd,
    properties: Vec<FastProperty>,
}

struct FastEnd {
    label: String,
    column: usize,
    strategy: IdStrategy,
    /// `number:`, for ids made of a primary key.
    prefix: String,
}

struct FastProperty {
    column: usize,
    name: String,
    data_type: DataType,
    collection: bool,
    /// Texts that mean there is no value.
    absent: Vec<String>,
    /// An empty text is refused.
    is_key: bool,
}

impl FastPlan {
    /// The plan of a prepared builder, if its mapping is plain.
    pub(crate) fn of(builder: &Builder) -> Option<Self> {
        let (plan, fields) = builder.plan()?;
        match plan {
            Plan::Vertex(plan) => vertex_plan(plan, fields).map(Self::Vertex),
            Plan::Edge(plan) => edge_plan(plan, fields).map(Self::Edge),
        }
    }
}

fn vertex_plan(plan: &VertexPlan, fields: &Fields) -> Option<FastVertex> {
    let id = match &plan.key {
        None => None,
        Some(key) if key.is_id && !key.unfold && key.property.is_none() && key.column.is_plain() => {
            Some((key.column.index, plan.label.id_strategy))
        }
        Some(_) => return None,
    };
    let keys = &plan.label.primary_keys;
    let properties = properties(&plan.properties, fields, &plan.required, keys)?;
    let has = |name: &String| properties.iter().any(|property| property.name == *name);
    (plan.label.id_strategy != IdStrategy::PrimaryKey || keys.iter().all(has)).then(|| FastVertex {
        label: plan.label.name.clone(),
        id,
        properties,
    })
}

fn edge_plan(plan: &EdgePlan, fields: &Fields) -> Option<FastEdge> {
    Some(FastEdge {
        label: plan.label.clone(),
        source: end_plan(&plan.source)?,
        target: end_plan(&plan.target)?,
        properties: properties(&plan.properties, fields, &plan.required, &[])?,
    })
}

fn end_plan(end: &EndPlan) -> Option<FastEnd> {
    let [(column, key)] = end.columns.as_slice() else { return None };
    let plain_key = key.as_ref().is_none_or(|key| key.data_type == DataType::Text);
    (plain_key && !end.unfold && column.is_plain()).then(|| FastEnd {
        label: end.label.name.clone(),
        column: column.index,
        strategy: end.label.id_strategy,
        prefix: format!("{}:", end.label.id),
    })
}

fn properties(
    slots: &[PropertySlot],
    fields: &Fields,
    required: &[String],
    keys: &[String],
) -> Option<Vec<FastProperty>> {
    let absent: Vec<String> = fields.null_values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect();
    let mut properties = Vec::with_capacity(slots.len());
    for slot in slots {
        let collection = slot.key.cardinality != Cardinality::Single;
        let plain_type = match slot.key.data_type {
            DataType::Text => true,
            DataType::Byte | DataType::Int | DataType::Long | DataType::Date | DataType::Double | DataType::Float => {
                !collection
            }
            _ => false,
        };
        if !plain_type || !slot.column.is_plain() || properties.iter().any(|p: &FastProperty| p.name == slot.key.name) {
            return None;
        }
        properties.push(FastProperty {
            column: slot.column.index,
            name: slot.key.name.clone(),
            data_type: slot.key.data_type,
            collection,
            absent: if slot.nullable { absent.clone() } else { Vec::new() },
            is_key: keys.contains(&slot.key.name),
        });
    }
    required.iter().all(|name| properties.iter().any(|property| property.name == *name)).then_some(properties)
}

impl FastVertex {
    /// The vertex of a row.
    pub(crate) fn make<'r>(&'r self, cells: &[&'r str], coercion: &Coercion) -> Option<NewVertex<'r>> {
        let id = match self.id {
            None => None,
            Some((column, strategy)) => Some(given_id(strategy, cells.get(column)?)?),
        };
        let properties = make_properties(&self.properties, cells, coercion)?;
        Some(NewVertex { label: Some(Cow::Borrowed(&self.label)), id, properties })
    }
}

impl FastEdge {
    /// The edge of a row. `scratch` holds the ids of its ends as long as it lives.
    pub(crate) fn make<'r>(
        &'r self,
        cells: &[&'r str],
        coercion: &Coercion,
        scratch: &'r mut String,
    ) -> Option<NewEdge<'r>> {
        let properties = make_properties(&self.properties, cells, coercion)?;
        let source_cell = *cells.get(self.source.column)?;
        let target_cell = *cells.get(self.target.column)?;
        scratch.clear();
        self.source.write(source_cell, scratch)?;
        let source_len = scratch.len();
        self.target.write(target_cell, scratch)?;
        let (source, target) = scratch.split_at_checked(source_len)?;
        Some(NewEdge {
            label: Some(Cow::Borrowed(&self.label)),
            source: Some(self.source.id(source_cell, source)?),
            source_label: Some(Cow::Borrowed(&self.source.label)),
            target: Some(self.target.id(target_cell, target)?),
            target_label: Some(Cow::Borrowed(&self.target.label)),
            properties,
        })
    }
}

impl FastEnd {
    /// Appends the id made of a primary key, where ids are.
    fn write(&self, cell: &str, scratch: &mut String) -> Option<()> {
        if self.strategy != IdStrategy::PrimaryKey {
            return Some(());
        }
        let first = cell.bytes().next()?;
        if first <= RESERVED_MAX || cell.bytes().any(|byte| matches!(byte, b'!' | b':')) {
            return None;
        }
        scratch.push_str(&self.prefix);
        scratch.push_str(cell);
        Some(())
    }

    fn id<'r>(&self, cell: &'r str, written: &'r str) -> Option<Literal<'r>> {
        if self.strategy == IdStrategy::PrimaryKey {
            return Some(Literal::Text(Cow::Borrowed(written)));
        }
        given_id(self.strategy, cell)
    }
}

fn given_id(strategy: IdStrategy, cell: &str) -> Option<Literal<'_>> {
    if cell.is_empty() {
        return None;
    }
    match strategy {
        IdStrategy::CustomizeNumber | IdStrategy::Automatic | IdStrategy::Default => {
            cell.trim().parse().ok().map(Literal::Integer)
        }
        IdStrategy::CustomizeString => {
            (cell.len() <= VERTEX_ID_BYTES_MAX).then_some(Literal::Text(Cow::Borrowed(cell)))
        }
        IdStrategy::PrimaryKey | IdStrategy::CustomizeUuid => None,
    }
}

fn make_properties<'r>(
    properties: &'r [FastProperty],
    cells: &[&'r str],
    coercion: &Coercion,
) -> Option<Vec<(Cow<'r, str>, Literal<'r>)>> {
    let mut made = Vec::with_capacity(properties.len());
    for property in properties {
        let cell = *cells.get(property.column)?;
        if property.absent.iter().any(|absent| absent == cell) {
            if property.is_key {
                return None;
            }
            continue;
        }
        if property.is_key && cell.is_empty() {
            return None;
        }
        let literal =
            if property.collection { list(cell, coercion)? } else { single(property.data_type, cell, coercion)? };
        made.push((Cow::Borrowed(property.name.as_str()), literal));
    }
    Some(made)
}

fn list<'r>(cell: &'r str, coercion: &Coercion) -> Option<Literal<'r>> {
    if cell.is_empty() {
        return Some(Literal::Array(Vec::new()));
    }
    let format = coercion.list_format()?;
    let inner = cell.strip_prefix(format.start_symbol.as_str())?.strip_suffix(format.end_symbol.as_str())?;
    let items = inner.split(format.elem_delimiter.as_str()).filter(|item| !format.ignored_elems.contains(*item));
    Some(Literal::Array(items.map(|item| Literal::Text(Cow::Borrowed(item))).collect()))
}

fn single<'r>(data_type: DataType, cell: &'r str, coercion: &Coercion) -> Option<Literal<'r>> {
    if data_type == DataType::Text {
        return Some(Literal::Text(Cow::Borrowed(cell)));
    }
    let cell = cell.trim_matches(|c| c <= ' ');
    match data_type {
        DataType::Byte => cell.parse::<i8>().ok().map(|number| Literal::Integer(i64::from(number))),
        DataType::Int => cell.parse::<i32>().ok().map(|number| Literal::Integer(i64::from(number))),
        DataType::Long => cell.parse().ok().map(Literal::Integer),
        DataType::Date => coercion.millis(cell).map(Literal::Integer),
        DataType::Float | DataType::Double => {
            cell.parse::<f64>().ok().filter(|number| number.is_finite()).map(Literal::Float)
        }
        _ => None,
    }
}
