//! Places in unique indexes: who holds one, who may have it.
//!
//! A place is free when it has no entry, or one whose holder has expired, is gone or has other values now. Such a holder's stripes are
//! locked before its place is taken, so that it is not at work on it.

use graph_model::{ElementId, ElementRef, LabelId, Properties, Value};
use graph_schema::{Catalogue, IndexLabel};
use key_codec::{CodecError, GraphNumber, index_key, tables};
use kv::{Keys, WriteBatch};
use rustc_hash::FxHashMap;

use super::changes::{IndexChanges, Refusal};
use super::entries::{Entry, add_entries, values};
use super::stored::Stored;
use crate::core::clock::{is_expired, now_ms};
use crate::core::stripes::{Held, Mask};
use crate::core::texts::element_id_text;
use crate::{Graph, StoreError};

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
    /// The place of an element with these properties; `None` where it has none of the fields.
    pub(super) fn new(
        graph: GraphNumber,
        index: &IndexLabel,
        element: ElementRef<'_>,
        properties: &Properties,
        at: Option<usize>,
        group: u32,
    ) -> Option<Self> {
        let mut entries = std::collections::BTreeSet::new();
        add_entries(&mut entries, graph, index, element, properties);
        Some(Self {
            entry: entries.pop_first()?,
            element: element.to_owned(),
            index: index.id,
            is_kept: false,
            at,
            group,
            values: values(index, properties).into_iter().map(Option::<&Value>::cloned).collect(),
        })
    }

    pub(super) fn stripe(&self) -> Mask {
        Mask::of_bytes(self.entry.key().as_bytes())
    }

    /// That somebody else has the place.
    pub(super) fn conflict(&self, catalogue: &Catalogue, holder: &ElementId) -> StoreError {
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
    let items = value.items().iter().map(|item| graph_model::value_text(item, false).unwrap_or_else(|_| "?".into()));
    let text = items.collect::<Vec<_>>().join(",");
    text.chars().take(graph_schema::limits::SHOWN_CHARS_MAX).collect()
}

impl Graph {
    /// Appends what changes in unique indexes, or says who has a place already.
    pub(super) fn put_unique_changes(
        &self,
        batch: &mut WriteBatch,
        catalogue: &Catalogue,
        held: &Held,
        changes: &IndexChanges,
    ) -> Result<(), Refusal> {
        let mut places: FxHashMap<&Entry, &Claim> = FxHashMap::default();
        for claim in &changes.claimed {
            match places.insert(&claim.entry, claim) {
                Some(other) if other.element != claim.element => {
                    return Err(claim.conflict(catalogue, &other.element).into());
                }
                _ => {}
            }
        }
        let asked = || changes.claimed.iter().filter(|claim| !claim.is_kept);
        let stripes = asked().fold(Mask::default(), |mask, claim| mask.union(claim.stripe()));
        if !held.has_exclusively(stripes) {
            return Err(Refusal::Locks(stripes));
        }
        self.put_releases(batch, changes.released.iter().filter(|claim| !places.contains_key(&claim.entry)))?;
        let given_up = |entry: &Entry, by: &ElementId| {
            changes.released.iter().any(|claim| claim.entry == *entry && claim.element == *by)
        };
        for (claim, holder) in asked().zip(self.holders(asked())?) {
            match holder {
                // In another process it may be giving it up.
                Some(holder) if holder == claim.element && !self.shared.is_shared() => continue,
                Some(holder) if holder == claim.element => {}
                Some(holder) if !given_up(&claim.entry, &holder) => {
                    self.check_free(catalogue, held, claim, &holder)?;
                }
                _ => {}
            }
            let mut element = Vec::new();
            index_key::put_element(&mut element, claim.element.as_ref());
            batch.set_group(claim.group);
            batch.put_key(claim.entry.table, claim.entry.key(), &element);
        }
        Ok(())
    }

    /// Appends the removal of entries that are given up, where the one who gives up holds the place: having expired, it may have lost it.
    pub(super) fn put_releases<'a>(
        &self,
        batch: &mut WriteBatch,
        released: impl Iterator<Item = &'a Claim> + Clone,
    ) -> Result<(), StoreError> {
        for (claim, holder) in released.clone().zip(self.holders(released)?) {
            if holder.as_ref() == Some(&claim.element) {
                batch.set_group(claim.group);
                batch.delete_key(claim.entry.table, claim.entry.key());
            }
        }
        Ok(())
    }

    /// Who holds the places now, in one round.
    fn holders<'a>(&self, claims: impl Iterator<Item = &'a Claim>) -> Result<Vec<Option<ElementId>>, StoreError> {
        let mut keys = Keys::new();
        for claim in claims {
            let key = claim.entry.key();
            keys.push(|b| b.extend_from_slice(key.partition()), |b| b.extend_from_slice(key.row()));
        }
        let mut holders: Vec<Option<ElementId>> = Vec::with_capacity(keys.len());
        let mut damaged: Option<CodecError> = None;
        if !keys.is_empty() {
            self.engine().multi_get(tables::INDEX_UNIQUE, &keys, &mut |_, found| {
                holders.push(found.map(index_key::read_element).transpose().unwrap_or_else(|error| {
                    damaged = Some(error);
                    None
                }));
            })?;
        }
        damaged.map_or(Ok(holders), |error| Err(error.into()))
    }

    /// Whether an entry is there; where it is one of a unique index, also who holds the place.
    pub(super) fn holder_of(&self, entry: &Entry) -> Result<Option<Option<ElementId>>, StoreError> {
        let mut found = None;
        self.engine().get(entry.table, entry.key(), &mut |value| found = Some(index_key::read_element(value).ok()))?;
        Ok(found)
    }

    /// Whether a place can be taken from its holder: it cannot while the holder lives and has these values.
    fn check_free(&self, catalogue: &Catalogue, held: &Held, claim: &Claim, holder: &ElementId) -> Result<(), Refusal> {
        if self.stored_element(holder)?.is_some_and(|stored| self.has_place(catalogue, claim, &stored)) {
            return Err(claim.conflict(catalogue, holder).into());
        }
        let stripes = Mask::of_element(holder);
        if held.has_exclusively(stripes) { Ok(()) } else { Err(Refusal::Locks(stripes)) }
    }

    fn has_place(&self, catalogue: &Catalogue, claim: &Claim, stored: &Stored) -> bool {
        if is_expired(stored.expires_at_ms(), now_ms()) {
            return false;
        }
        let Some(index) = catalogue.index_label(claim.index) else { return false };
        stored.base() == (index.on_vertices, index.base)
            && Claim::new(self.number, index, stored.element(), stored.properties(), None, 0)
                .is_some_and(|has| has.entry == claim.entry)
    }
}
