//! How elements of one label are found: by ids made of primary keys, or through indexes.
//!
//! Every condition must be covered by an index. One index drives: its entries are walked and give the order. The
//! others, where one does not cover all conditions, narrow what is fetched.

use std::cmp::Reverse;
use std::sync::Arc;

use graph_model::{IdStrategy, LabelId, PropertyKeyId, Value, VertexId, join_primary_key};
use graph_schema::{Catalogue, Condition, Conditions, IndexLabel, IndexType, Predicate, Status, VertexLabel, order};

use super::access::Access;
use crate::{Graph, StoreError, limits};

/// Vertices or edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Vertex,
    Edge,
}

/// How elements of a label are found.
pub(crate) enum Plan {
    /// These are all that can be, in their order, each once.
    Ids(Vec<VertexId>),
    /// Through indexes.
    Indexes { driver: Access, others: Vec<Access> },
}

/// An index and how many of its first fields the conditions use.
#[derive(Clone)]
struct Use {
    index: Arc<IndexLabel>,
    fields: usize,
}

impl Use {
    fn covers(&self, key: PropertyKeyId) -> bool {
        self.index.fields.iter().take(self.fields).any(|field| *field == key)
    }

    fn count(&self, keys: &[PropertyKeyId]) -> usize {
        keys.iter().filter(|key| self.covers(**key)).count()
    }

    /// Better is greater: an index without gaps, one that covers more, one that reads less for it, the older one.
    fn rank(&self, keys: &[PropertyKeyId]) -> impl Ord + use<> {
        let kind = match self.index.index_type {
            IndexType::Secondary => 3,
            IndexType::Shard => 2,
            IndexType::Range => 1,
            IndexType::Search | IndexType::Unique => 0,
        };
        (self.index.complete, self.count(keys), kind, Reverse(self.index.id))
    }
}

/// The labels whose elements can have all the properties.
pub(crate) fn labels_with(
    catalogue: &Catalogue,
    base: Base,
    conditions: &Conditions,
) -> Result<Vec<LabelId>, StoreError> {
    let has_all = |properties: &[PropertyKeyId]| {
        conditions.iter().all(|condition| properties.binary_search(&condition.key).is_ok())
    };
    let labels: Vec<LabelId> = match base {
        Base::Vertex => {
            let live = catalogue.vertex_labels().filter(|label| !label.status.is_being_deleted());
            live.filter(|label| has_all(&label.properties)).map(|label| label.id).collect()
        }
        Base::Edge => {
            let live = catalogue.edge_labels().filter(|label| !label.status.is_being_deleted());
            live.filter(|label| label.link.is_some() && has_all(&label.properties)).map(|label| label.id).collect()
        }
    };
    if labels.is_empty() {
        let keys: Vec<PropertyKeyId> = conditions.iter().map(|condition| condition.key).collect();
        return Err(StoreError::NoIndex {
            query: format!("finding {} by {}", words(base), names(catalogue, &keys)),
            hint: format!(
                "no label of {} has the {}",
                words(base),
                if keys.len() == 1 { "property" } else { "properties" }
            ),
        });
    }
    Ok(labels)
}

/// The plan for a label. `driver`: the index a page token was made from.
pub(crate) fn plan(
    graph: &Graph,
    catalogue: &Catalogue,
    base: Base,
    label: LabelId,
    conditions: &Conditions,
    driver: Option<LabelId>,
) -> Result<Plan, StoreError> {
    if let Some(label) = catalogue.vertex_label(label).filter(|_| base == Base::Vertex)
        && let Some(ids) = primary_key_ids(graph, label, conditions)?
    {
        return Ok(Plan::Ids(ids));
    }
    let uses = choose(catalogue, base, label, conditions, driver)?;
    let mut accesses = Vec::with_capacity(uses.len());
    for chosen in &uses {
        accesses.push(Access::new(graph, &chosen.index, chosen.fields, conditions)?);
    }
    let mut accesses = accesses.into_iter();
    // `choose` covers every condition, and there is at least one.
    let driver = accesses.next().ok_or(StoreError::Page { reason: "it belongs to another query" })?;
    Ok(Plan::Indexes { driver, others: accesses.collect() })
}

/// The indexes that together cover all conditions, the driver first.
fn choose(
    catalogue: &Catalogue,
    base: Base,
    label: LabelId,
    conditions: &Conditions,
    driver: Option<LabelId>,
) -> Result<Vec<Use>, StoreError> {
    let mut open: Vec<PropertyKeyId> = conditions.iter().map(|condition| condition.key).collect();
    let usable = usable(catalogue, base, label, conditions);
    if catalogue.is_auto() {
        // What it leads to is compared by who asks.
        let best = usable.into_iter().filter(|one| driver.is_none_or(|driver| one.index.id == driver));
        let best = best.max_by_key(|one| one.rank(&open));
        return best.map(|best| vec![best]).ok_or_else(|| no_candidates(catalogue, base, Some(label)));
    }
    let mut chosen: Vec<Use> = Vec::new();
    while !open.is_empty() {
        let forced = driver.filter(|_| chosen.is_empty());
        let best = usable
            .iter()
            .filter(|one| one.count(&open) > 0 && forced.is_none_or(|forced| one.index.id == forced))
            .max_by_key(|one| one.rank(&open));
        let Some(best) = best else {
            if forced.is_some() {
                return Err(StoreError::Page { reason: "the index it was made from has been removed" });
            }
            return Err(no_index(catalogue, base, label, conditions, &open));
        };
        open.retain(|key| !best.covers(*key));
        chosen.push(best.clone());
    }
    Ok(chosen)
}

/// The indexes over a label that serve for some of the conditions.
fn usable(catalogue: &Catalogue, base: Base, label: LabelId, conditions: &Conditions) -> Vec<Use> {
    let over = catalogue.indexes_over(base == Base::Vertex, label).iter();
    // Of an auto graph none may be missed.
    let ready = over.filter(|index| index.status == Status::Created && (index.complete || !catalogue.is_auto()));
    let uses = ready.map(|index| Use { index: Arc::clone(index), fields: fields_used(index, conditions) });
    uses.filter(|chosen| chosen.fields > 0).collect()
}

/// Whether an index of an auto graph leads to candidates; [`StoreError::NoIndex`] where not.
pub(crate) fn check_candidates(
    catalogue: &Catalogue,
    base: Base,
    labels: Option<&[LabelId]>,
    conditions: &Conditions,
) -> Result<(), StoreError> {
    let Some(labels) = labels else { return Err(no_candidates(catalogue, base, None)) };
    match labels.iter().find(|label| usable(catalogue, base, **label, conditions).is_empty()) {
        Some(label) => Err(no_candidates(catalogue, base, Some(*label))),
        None => Ok(()),
    }
}

/// That nothing of an auto graph leads to elements by their properties.
fn no_candidates(catalogue: &Catalogue, base: Base, label: Option<LabelId>) -> StoreError {
    let name = label.and_then(|label| match base {
        Base::Vertex => catalogue.vertex_label(label).map(|label| label.name.as_str()),
        Base::Edge => catalogue.edge_label(label).map(|label| label.name.as_str()),
    });
    let query = format!("finding {} of {} by properties", words(base), name.unwrap_or("any label"));
    StoreError::NoIndex { query, hint: "no index that is built leads to them".to_owned() }
}

/// How many of an index's first fields the conditions use.
fn fields_used(index: &IndexLabel, conditions: &Conditions) -> usize {
    let on = |field: &PropertyKeyId| conditions.get(*field);
    let fixed = index.fields.iter().take_while(|field| on(field).is_some_and(is_fixed)).count();
    let next_is_ranged = index.fields.get(fixed).and_then(on).is_some_and(is_ranged);
    match index.index_type {
        IndexType::Secondary => fixed,
        IndexType::Range | IndexType::Shard => fixed + usize::from(next_is_ranged),
        IndexType::Search => {
            let searched = index.fields.first().and_then(on);
            usize::from(searched.is_some_and(|it| matches!(it.predicate, Predicate::TextContains(_))))
        }
        IndexType::Unique => 0,
    }
}

/// Whether a condition names the values it accepts.
fn is_fixed(condition: &Condition) -> bool {
    match &condition.predicate {
        // An empty collection has no entry.
        Predicate::Equal(Value::List(items) | Value::Set(items)) => !items.is_empty(),
        Predicate::Equal(_) | Predicate::OneOf(_) | Predicate::ContainsAny(_) => true,
        _ => false,
    }
}

/// Whether a condition accepts intervals of values that have an order.
fn is_ranged(condition: &Condition) -> bool {
    match &condition.predicate {
        // Of an auto graph the two halves may meet.
        Predicate::Outside(Value::Any(_), _) => false,
        Predicate::Range(_) | Predicate::Outside(..) => true,
        Predicate::NotEqual(value) => order(value, value).is_some(),
        _ => false,
    }
}

/// The only ids vertices can have that meet the conditions, where these name all primary keys' values.
fn primary_key_ids(
    graph: &Graph,
    label: &VertexLabel,
    conditions: &Conditions,
) -> Result<Option<Vec<VertexId>>, StoreError> {
    if label.id_strategy != IdStrategy::PrimaryKey {
        return Ok(None);
    }
    let mut tuples: Vec<Vec<&Value>> = vec![Vec::new()];
    for key in &label.primary_keys {
        let values = match conditions.get(*key).map(|condition| &condition.predicate) {
            Some(Predicate::Equal(value)) => std::slice::from_ref(value),
            Some(Predicate::OneOf(values)) => values,
            _ => return Ok(None),
        };
        if tuples.len().saturating_mul(values.len()) > limits::INDEX_RANGES_MAX {
            return Err(StoreError::TooManyRanges { limit: limits::INDEX_RANGES_MAX });
        }
        tuples = tuples
            .iter()
            .flat_map(|tuple| values.iter().map(move |value| tuple.iter().copied().chain([value]).collect()))
            .collect();
    }
    let encode = graph.options().encode_primary_key_number;
    let mut ids = tuples
        .into_iter()
        .map(|values| join_primary_key(label.id, values, encode))
        .collect::<Result<Vec<VertexId>, _>>()?;
    ids.sort_unstable();
    ids.dedup();
    Ok(Some(ids))
}

fn words(base: Base) -> &'static str {
    match base {
        Base::Vertex => "vertices",
        Base::Edge => "edges",
    }
}

fn names(catalogue: &Catalogue, keys: &[PropertyKeyId]) -> String {
    let name = |key: &PropertyKeyId| catalogue.property_key(*key).map_or("?", |key| key.name.as_str()).to_owned();
    let names: Vec<String> = keys.iter().map(|key| format!("'{}'", name(key))).collect();
    names.join(", ")
}

/// That conditions are not covered: which, and what would cover them.
fn no_index(
    catalogue: &Catalogue,
    base: Base,
    label: LabelId,
    conditions: &Conditions,
    open: &[PropertyKeyId],
) -> StoreError {
    let (name, properties) = match base {
        Base::Vertex => catalogue.vertex_label(label).map(|label| (label.name.clone(), label.properties.clone())),
        Base::Edge => catalogue.edge_label(label).map(|label| (label.name.clone(), label.properties.clone())),
    }
    .unwrap_or_default();
    let query = format!("finding {} of label '{name}' by {}", words(base), names(catalogue, open));
    let absent: Vec<PropertyKeyId> = open.iter().filter(|key| !properties.contains(key)).copied().collect();
    if !absent.is_empty() {
        return StoreError::NoIndex { query, hint: format!("the label does not have {}", names(catalogue, &absent)) };
    }
    let kind = |key: &PropertyKeyId| match conditions.get(*key).map(|condition| &condition.predicate) {
        Some(Predicate::TextContains(_)) => "a search index",
        Some(predicate) if !matches!(predicate, Predicate::NotEqual(_)) => match predicate {
            Predicate::Range(_) | Predicate::Outside(..) => "a range index",
            _ => "a secondary index",
        },
        _ => "a range index",
    };
    let missing: Vec<String> =
        open.iter().map(|key| format!("{} on {}", kind(key), names(catalogue, std::slice::from_ref(key)))).collect();
    let mut hint = format!("it lacks {}", missing.join(" and "));
    let over = catalogue.indexes_over(base == Base::Vertex, label);
    let not_ready = |index: &&Arc<IndexLabel>| {
        index.status != Status::Created && index.fields.first().is_some_and(|field| open.contains(field))
    };
    if let Some(index) = over.iter().find(not_ready) {
        let name = &index.name;
        hint = match index.status {
            Status::Creating | Status::Rebuilding => {
                format!("{hint}; index label '{name}' is being built: ask again when its task has ended")
            }
            Status::Deleting | Status::Undeleted => format!("{hint}; index label '{name}' is being deleted"),
            Status::Created | Status::Invalid => {
                format!("{hint}; index label '{name}' could not be built: see its task, then rebuild it")
            }
        };
    }
    StoreError::NoIndex { query, hint }
}

#[cfg(test)]
mod tests;
