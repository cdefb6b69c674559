//! Steps that write.

use gremlin::{
    End, MapArgument, Modulator, NewLabel, Op as Call, PropertyContent, PropertyWrite, Step, Value as Given,
};
use query_plan::{AddEdge, AddVertex, Argument, Merge, MergeMap, Node, Op, PlanError, PropertyChange};
use query_value::{Cardinality, Enum, Merge as Part, T, Value};

use crate::by::argument;
use crate::translator::Translator;
use crate::value;

/// The key of a property or a part of the element, as far as it is known.
fn part(key: &Given) -> Option<T> {
    if let Given::Enum(Enum::T(part)) = key { Some(*part) } else { None }
}

/// Appends what a writing step is. Answers how many properties after it are part of it.
pub(crate) fn write(
    t: &Translator<'_>,
    step: &Step,
    after: &[Step],
    is_start: bool,
    nodes: &mut Vec<Node>,
) -> Result<usize, PlanError> {
    let name = step.op.name();
    match &step.op {
        Call::AddV { label } => {
            let mut add = AddVertex { is_start, ..AddVertex::default() };
            add.label = label.as_ref().map(|label| new_label(t, label)).transpose()?;
            let used = own_properties(t, after, &mut add.label, &mut add.id, &mut add.properties)?;
            add.properties.extend(t.strategies.added());
            nodes.push(Node::new(Op::AddVertex(Box::new(add)), name));
            labels_of(after, used, nodes);
            Ok(used)
        }
        Call::AddE { label } => {
            let mut add = AddEdge {
                label: new_label(t, label)?,
                id: None,
                from: None,
                to: None,
                properties: Vec::new(),
                is_start,
            };
            for modulator in &step.modulators {
                match modulator {
                    Modulator::From(end) => add.from = Some(edge_end(t, end)?),
                    Modulator::To(end) => add.to = Some(edge_end(t, end)?),
                    _ => {}
                }
            }
            let mut label = Some(add.label.clone());
            let used = own_properties(t, after, &mut label, &mut add.id, &mut add.properties)?;
            add.label = label.unwrap_or(add.label);
            add.properties.extend(t.strategies.added());
            nodes.push(Node::new(Op::AddEdge(Box::new(add)), name));
            labels_of(after, used, nodes);
            Ok(used)
        }
        Call::Property { property } => {
            for change in changes(t, property)? {
                nodes.push(Node::new(Op::SetProperty(Box::new(change)), name));
            }
            Ok(0)
        }
        Call::MergeV { map } => {
            let merge = merge(t, map.as_ref(), step, is_start)?;
            nodes.push(Node::new(Op::MergeVertex(Box::new(merge)), name));
            t.strategies.filter_vertices(nodes);
            Ok(0)
        }
        Call::MergeE { map } => {
            let merge = merge(t, map.as_ref(), step, is_start)?;
            nodes.push(Node::new(Op::MergeEdge(Box::new(merge)), name));
            t.strategies.filter_edges(nodes);
            Ok(0)
        }
        _ => Ok(0),
    }
}

/// Labels of properties that are part of a new element are the element's.
fn labels_of(after: &[Step], used: usize, nodes: &mut [Node]) {
    if let Some(node) = nodes.last_mut() {
        node.labels.extend(after.iter().take(used).flat_map(|step| step.labels.iter().cloned()));
    }
}

fn new_label(t: &Translator<'_>, label: &NewLabel) -> Result<Argument, PlanError> {
    Ok(match label {
        NewLabel::Text(text) => Argument::Value(Value::String(text.clone())),
        NewLabel::Traversal(traversal) => Argument::Child(t.child(traversal)?),
    })
}

fn edge_end(t: &Translator<'_>, end: &End) -> Result<Argument, PlanError> {
    Ok(match end {
        End::Label(label) => Argument::Value(Value::String(label.clone())),
        End::Traversal(traversal) => Argument::Child(t.child(traversal)?),
        End::Value(given) => Argument::Value(value::plain(given)?),
    })
}

/// Properties right after a new element that are written with it.
fn own_properties(
    t: &Translator<'_>,
    after: &[Step],
    label: &mut Option<Argument>,
    id: &mut Option<Argument>,
    properties: &mut Vec<PropertyChange>,
) -> Result<usize, PlanError> {
    let mut used = 0;
    for step in after {
        let Call::Property { property } = &step.op else { break };
        match &property.content {
            PropertyContent::One { key, value, .. } if part(key).is_some() => match part(key) {
                Some(T::Id) => *id = Some(argument(t, value)?),
                Some(T::Label) => *label = Some(argument(t, value)?),
                _ => break,
            },
            PropertyContent::One { key, meta, .. }
                if meta.is_empty() && (property.cardinality.is_none() || is_first(key, properties)) =>
            {
                properties.extend(changes(t, property)?);
            }
            PropertyContent::Map(pairs) if property.cardinality.is_none() => {
                if pairs.iter().any(|(_, value)| matches!(value, Given::WithCardinality(..))) {
                    break;
                }
                for (key, given) in pairs {
                    match part(key) {
                        Some(T::Id) => *id = Some(argument(t, given)?),
                        Some(T::Label) => *label = Some(argument(t, given)?),
                        _ => properties.push(change(t, property.cardinality, key, given, &[])?),
                    }
                }
            }
            _ => break,
        }
        used += 1;
    }
    Ok(used)
}

/// Whether none of the properties has the key yet: how a value joins others does not matter then.
fn is_first(key: &Given, properties: &[PropertyChange]) -> bool {
    let Ok(key) = value::plain(key) else { return false };
    !properties.iter().any(|change| matches!(&change.key, Argument::Value(other) if *other == key))
}

fn changes(t: &Translator<'_>, property: &PropertyWrite) -> Result<Vec<PropertyChange>, PlanError> {
    let PropertyWrite { cardinality, content } = property;
    match content {
        PropertyContent::One { key, value, meta } => Ok(vec![change(t, *cardinality, key, value, meta)?]),
        PropertyContent::Map(pairs) => {
            pairs.iter().map(|(key, value)| change(t, *cardinality, key, value, &[])).collect()
        }
        PropertyContent::Null => Ok(Vec::new()),
    }
}

fn change(
    t: &Translator<'_>,
    cardinality: Option<Cardinality>,
    key: &Given,
    given: &Given,
    meta: &[(Given, Given)],
) -> Result<PropertyChange, PlanError> {
    let (cardinality, given) = match given {
        Given::WithCardinality(own, given) => (Some(*own), &**given),
        other => (cardinality, other),
    };
    t.strategies.check_key(key)?;
    let pair = |(key, given): &(Given, Given)| Ok((argument(t, key)?, argument(t, given)?));
    let mut meta = meta.iter().map(pair).collect::<Result<Vec<_>, PlanError>>()?;
    meta.extend(t.strategies.added_meta());
    Ok(PropertyChange { cardinality, key: argument(t, key)?, value: Some(argument(t, given)?), meta })
}

fn map_argument(t: &Translator<'_>, map: &MapArgument) -> Result<Argument, PlanError> {
    Ok(match map {
        MapArgument::Map(pairs) => Argument::Value(Value::map(value::pairs_of(pairs)?)),
        MapArgument::Null => Argument::Value(Value::Null),
        MapArgument::Traversal(traversal) => Argument::Child(t.child(traversal)?),
    })
}

fn merge(t: &Translator<'_>, map: Option<&MapArgument>, step: &Step, is_start: bool) -> Result<Merge, PlanError> {
    let mut merge = Merge { is_start, added: t.strategies.added_pairs(), ..Merge::default() };
    let of = |map: &MapArgument, cardinality: Option<Cardinality>| {
        Ok::<_, PlanError>(Some(MergeMap { map: map_argument(t, map)?, cardinality }))
    };
    if let Some(map) = map {
        merge.search = of(map, None)?;
    }
    for modulator in &step.modulators {
        if let Modulator::Merge { part, map, cardinality } = modulator {
            let map = of(map, *cardinality)?;
            match part {
                Part::OnCreate => merge.on_create = map,
                Part::OnMatch => merge.on_match = map,
                Part::OutV => merge.out_vertex = map,
                Part::InV => merge.in_vertex = map,
            }
        }
    }
    Ok(merge)
}
