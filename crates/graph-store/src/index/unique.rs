//! Places in unique indexes: who holds one, who may have it.
//!
//! A place is free when it has no entry, or one whose holder has expired, is gone or has other values now. Such a
//! holder's stripes are locked before its place is taken, so that it is not at work on it.

use std::collections::BTreeSet;

use graph_model::{ElementId, ElementRef, LabelId, Properties, Value};
use graph_schema::{Catalogue, IndexLabel};
use key_codec::index_entries::{Entry, add_entries, values};
use key_codec::{GraphNumber, index_key, tables, tagged_key};
use kv::{Keys, WriteBatch};
use rustc_hash::FxHashMap;

use super::write_unit::{Refusal, WriteUnit};
use crate::core::clock::{is_expired, now_ms};
use crate::core::fetch::fetch;
use crate::core::graph::Graph;
use crate::core::stored::{Stored, stored_element};
use crate::core::texts::element_id_text;
use store_error::StoreError;
use stripe_locks::Mask;

/// A place in a unique index and the element that wants it, holds it or gives it up.
pub(crate) struct Claim {
    pub(super) entry: Entry,
    pub(super) element: ElementId,
    pub(super) index: LabelId,
    /// The element holds it already, and its values do not change.
    pub(super) is_kept: bool,
    /// Position of the element in the request.
    at: Option<usize>,
    /// The group of the batch that the element is written in.
    group: u32,
    /// For an error.
    values: Vec<Option<Value>>,
}

impl Claim {
    /// The places of an element with these properties: none where it has none of the fields, one, and in an auto graph
    /// one for each of its values.
    pub(super) fn all(
        graph: GraphNumber,
        index: &IndexLabel,
        element: ElementRef<'_>,
        properties: &Properties,
        at: Option<usize>,
        group: u32,
    ) -> impl Iterator<Item = Self> {
        let mut entries = BTreeSet::new();
        add_entries(&mut entries, graph, index, element, properties);
        let (element, index) = (element.to_owned(), (index.id, values(index, properties)));
        let values: Vec<Option<Value>> = index.1.into_iter().map(Option::<&Value>::cloned).collect();
        entries.into_iter().map(move |entry| Self {
            entry,
            element: element.clone(),
            index: index.0,
            is_kept: false,
            at,
            group,
            values: values.clone(),
        })
    }

    pub(super) fn stripe(&self) -> Mask {
        Mask::of_bytes(self.entry.key().as_bytes())
    }

    /// That somebody else has the place.
    pub(super) fn conflict(&self, catalogue: &Catalogue, holder: &ElementId) -> StoreError {
        if self.index == LabelId::EDGE_IDS {
            return StoreError::EdgeIdTaken { index: self.at, holder: element_id_text(catalogue, holder.as_ref()) };
        }
        let index = catalogue.index_label(self.index);
        let fields = index.map(|index| index.fields.as_slice()).unwrap_or_default();
        let value = |(field, value): (_, &Option<Value>)| {
            let name = catalogue.property_key(field).map_or("?", |key| key.name.as_str());
            match value {
                Some(value) => format!("{name}={}", shown(value)),
                None => format!("no {name}"),
            }
        };
        StoreError::UniqueConflict {
            index: self.at,
            index_label: index.map(|index| index.name.clone()).unwrap_or_default(),
            values: fields.iter().copied().zip(&self.values).map(value).collect::<Vec<_>>().join(", "),
            element: element_id_text(catalogue, self.element.as_ref()),
            holder: element_id_text(catalogue, holder.as_ref()),
        }
    }
}

/// The beginning of a value, for an error.
fn shown(value: &Value) -> String {
    if let Value::Any(cell) = value {
        let text = tagged_key::shown(cell).unwrap_or_else(|| "?".to_owned());
        return text.chars().take(graph_schema::limits::SHOWN_CHARS_MAX).collect();
    }
    let items = value.items().iter().map(|item| graph_model::value_text(item, false).unwrap_or_else(|_| "?".into()));
    let text = items.collect::<Vec<_>>().join(",");
    text.chars().take(graph_schema::limits::SHOWN_CHARS_MAX).collect()
}

impl WriteUnit<'_> {
    /// Appends what changes in unique indexes, or says who has a place already.
    pub(super) fn put_unique_changes(&mut self) -> Result<(), Refusal> {
        let changes = &self.changes;
        let mut places: FxHashMap<&Entry, &Claim> = FxHashMap::default();
        for claim in &changes.claimed {
            match places.insert(&claim.entry, claim) {
                Some(other) if other.element != claim.element => {
                    return Err(claim.conflict(&self.catalogue, &other.element).into());
                }
                _ => {}
            }
        }
        let asked = || changes.claimed.iter().filter(|claim| !claim.is_kept);
        self.check_held(asked().fold(Mask::default(), |mask, claim| mask.union(claim.stripe())))?;
        let released = changes.released.iter().filter(|claim| !places.contains_key(&claim.entry));
        put_releases(self.graph, &mut self.batch, released)?;
        let given_up = |entry: &Entry, by: &ElementId| {
            changes.released.iter().any(|claim| claim.entry == *entry && claim.element == *by)
        };
        for (claim, holder) in asked().zip(holders(self.graph, asked())?) {
            match holder {
                // In another process it may be giving it up.
                Some(holder) if holder == claim.element && !self.graph.shared.is_shared() => continue,
                Some(holder) if holder == claim.element => {}
                Some(holder) if !given_up(&claim.entry, &holder) => self.check_free(claim, &holder)?,
                _ => {}
            }
            let mut element = Vec::new();
            index_key::put_element(&mut element, claim.element.as_ref());
            self.batch.set_group(claim.group);
            self.batch.put_key(claim.entry.table, claim.entry.key(), &element);
        }
        Ok(())
    }

    /// Whether a place can be taken from its holder: it cannot while the holder lives and has these values.
    fn check_free(&self, claim: &Claim, holder: &ElementId) -> Result<(), Refusal> {
        let stored = stored_element(self.graph, holder)?;
        if stored.is_some_and(|stored| has_place(self.graph, &self.catalogue, claim, &stored)) {
            return Err(claim.conflict(&self.catalogue, holder).into());
        }
        self.check_held(Mask::of_element(holder))
    }
}

fn has_place(graph: &Graph, catalogue: &Catalogue, claim: &Claim, stored: &Stored) -> bool {
    if is_expired(stored.expires_at_ms(), now_ms()) {
        return false;
    }
    let Some(index) = catalogue.index_label(claim.index) else { return false };
    catalogue.is_over(index, stored.base())
        && Claim::all(graph.number, index, stored.element(), stored.properties(), None, 0)
            .any(|has| has.entry == claim.entry)
}

/// Appends the removal of entries that are given up, where the one that gives up holds the place: having expired, it
/// may have lost it.
pub(super) fn put_releases<'a>(
    graph: &Graph,
    batch: &mut WriteBatch,
    released: impl Iterator<Item = &'a Claim> + Clone,
) -> Result<(), StoreError> {
    for (claim, holder) in released.clone().zip(holders(graph, released)?) {
        if holder.as_ref() == Some(&claim.element) {
            batch.set_group(claim.group);
            batch.delete_key(claim.entry.table, claim.entry.key());
        }
    }
    Ok(())
}

/// Which elements hold the places now, in one round.
fn holders<'a>(graph: &Graph, claims: impl Iterator<Item = &'a Claim>) -> Result<Vec<Option<ElementId>>, StoreError> {
    let mut keys = Keys::new();
    for claim in claims {
        let key = claim.entry.key();
        keys.push(|b| b.extend_from_slice(key.partition()), |b| b.extend_from_slice(key.row()));
    }
    fetch(graph.engine(), tables::INDEX_UNIQUE, &keys, |_, found| index_key::read_element(found).map(Some))
}
