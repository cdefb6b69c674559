//! The catalogue: all definitions of one graph at one moment, looked up by number and by name.
//!
//! It is immutable and cheap to clone. [`crate::Change`] makes the next one; this file only holds, checks and finds.
//! Index labels by the labels they are over are in [`indexes`].

mod analytical;
mod auto;
mod indexes;

use std::sync::Arc;

use graph_model::{LabelId, PropertyKeyId};
use imbl::shared_ptr::DefaultSharedPtr;
use imbl::{GenericHashMap, Vector};
use rustc_hash::FxBuildHasher;

use self::indexes::{IndexedLabels, IndexesByBase};
use crate::change::{SchemaElement, SchemaKey, SchemaKind};
use crate::definition::{EdgeLabel, EdgeLabelKind, IndexLabel, PropertyKey, SchemaMode, VertexLabel};
use crate::error::SchemaError;
use crate::limits;

/// The numbers the next created elements get. Numbers are never used twice within a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextIds {
    /// Of the next property key.
    pub property_key: u32,
    /// Of the next vertex label.
    pub vertex_label: u32,
    /// Of the next edge label.
    pub edge_label: u32,
    /// Of the next index label.
    pub index_label: u32,
}

impl Default for NextIds {
    fn default() -> Self {
        Self { property_key: 1, vertex_label: 1, edge_label: 1, index_label: 1 }
    }
}

impl NextIds {
    /// The next number of a kind.
    #[must_use]
    pub fn of(self, kind: SchemaKind) -> u32 {
        match kind {
            SchemaKind::PropertyKey => self.property_key,
            SchemaKind::VertexLabel => self.vertex_label,
            SchemaKind::EdgeLabel => self.edge_label,
            SchemaKind::IndexLabel => self.index_label,
        }
    }

    /// Notes that a number is taken.
    fn pass(&mut self, kind: SchemaKind, number: u32) {
        let next = match kind {
            SchemaKind::PropertyKey => &mut self.property_key,
            SchemaKind::VertexLabel => &mut self.vertex_label,
            SchemaKind::EdgeLabel => &mut self.edge_label,
            SchemaKind::IndexLabel => &mut self.index_label,
        };
        *next = (*next).max(number.saturating_add(1));
    }
}

/// What every kind of definition has.
trait Definition {
    const KIND: SchemaKind;
    fn number(&self) -> u32;
    fn name(&self) -> &str;
}

macro_rules! definition {
    ($type:ty, $kind:expr) => {
        impl Definition for $type {
            const KIND: SchemaKind = $kind;
            fn number(&self) -> u32 {
                self.id.0
            }
            fn name(&self) -> &str {
                &self.name
            }
        }
    };
}

definition!(PropertyKey, SchemaKind::PropertyKey);
definition!(VertexLabel, SchemaKind::VertexLabel);
definition!(EdgeLabel, SchemaKind::EdgeLabel);
definition!(IndexLabel, SchemaKind::IndexLabel);

/// Numbers by name; a clone shares nearly all of it, so that a change costs the same however many definitions there
/// are.
type Numbers = GenericHashMap<Arc<str>, u32, FxBuildHasher, DefaultSharedPtr>;

/// The definitions of one kind. `slots` has a place for each number up to the largest in use.
#[derive(Clone, Debug, PartialEq)]
struct Table<T> {
    slots: Vector<Option<Arc<T>>>,
    numbers: Numbers,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { slots: Vector::new(), numbers: Numbers::default() }
    }
}

impl<T: Definition> Table<T> {
    fn get(&self, number: u32) -> Option<&Arc<T>> {
        self.slots.get(usize::try_from(number).ok()?)?.as_ref()
    }

    fn named(&self, name: &str) -> Option<&Arc<T>> {
        self.get(*self.numbers.get(name)?)
    }

    fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.slots.iter().flatten()
    }

    /// Puts a definition in the place of its number, which is free or held by an older form of it.
    fn put(&mut self, definition: T) -> Result<(), SchemaError> {
        let (number, name) = (definition.number(), definition.name());
        let invalid = |reason: String| SchemaError::Invalid { kind: T::KIND.name(), name: name.to_owned(), reason };
        if number == 0 || number > limits::NUMBER_MAX {
            return Err(invalid(format!(
                "its kind is numbered from 1 to {}, and it would get number {number}; numbers of deleted ones are not \
                 used again before the graph is cleared",
                limits::NUMBER_MAX
            )));
        }
        if self.numbers.len() >= limits::ELEMENTS_PER_KIND_MAX && self.get(number).is_none() {
            return Err(invalid(format!("a graph can have {} of its kind at most", limits::ELEMENTS_PER_KIND_MAX)));
        }
        match self.numbers.get(name) {
            Some(&other) if other != number => {
                return Err(SchemaError::Exists { kind: T::KIND.name(), name: name.to_owned() });
            }
            _ => {}
        }
        if let Some(holder) = self.get(number).filter(|holder| holder.name() != name) {
            return Err(invalid(format!("its number {number} is used by '{}'", holder.name())));
        }
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        while self.slots.len() <= at {
            self.slots.push_back(None);
        }
        self.numbers.insert(name.into(), number);
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = Some(Arc::new(definition));
        }
        Ok(())
    }

    fn remove(&mut self, number: u32) {
        let slot = usize::try_from(number).ok().and_then(|at| self.slots.get_mut(at));
        if let Some(removed) = slot.and_then(Option::take) {
            self.numbers.remove(removed.name());
        }
        while self.slots.back().is_some_and(Option::is_none) {
            self.slots.pop_back();
        }
    }
}

/// The schema of a graph at one moment: see the crate's documentation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    property_keys: Arc<Table<PropertyKey>>,
    vertex_labels: Arc<Table<VertexLabel>>,
    edge_labels: Arc<Table<EdgeLabel>>,
    index_labels: Arc<Table<IndexLabel>>,
    indexes: IndexesByBase,
    indexed: IndexedLabels,
    /// In an auto graph: the index over all edges.
    edge_ids: Option<Arc<[Arc<IndexLabel>]>>,
    next_ids: NextIds,
    /// Whether values of analytical property keys are shown. Not stored.
    reads_analytical: bool,
}

impl Catalogue {
    /// A catalogue of stored elements. Every number they hold must resolve, or the error names the one that does not.
    /// Where `next_ids` are behind the elements' numbers they are moved on.
    pub fn from_elements(
        mode: SchemaMode,
        mut elements: Vec<SchemaElement>,
        next_ids: NextIds,
    ) -> Result<Self, SchemaError> {
        // Index labels come last: they are counted by their labels.
        elements.sort_by_key(|element| element.key().kind());
        let mut catalogue = Self::blank(mode, next_ids);
        for element in elements {
            catalogue.put(element)?;
        }
        catalogue.verify()?;
        Ok(catalogue)
    }

    /// All elements: property keys, vertex labels, edge labels, index labels, each in the order of their numbers.
    #[must_use]
    pub fn elements(&self) -> Vec<SchemaElement> {
        let mut elements = Vec::new();
        elements.extend(self.property_keys().map(|key| SchemaElement::PropertyKey(PropertyKey::clone(key))));
        elements.extend(self.vertex_labels().map(|label| SchemaElement::VertexLabel(VertexLabel::clone(label))));
        elements.extend(self.edge_labels().map(|label| SchemaElement::EdgeLabel(EdgeLabel::clone(label))));
        elements.extend(self.index_labels().map(|label| SchemaElement::IndexLabel(IndexLabel::clone(label))));
        elements
    }

    /// The numbers the next created elements get. To be stored with every change.
    #[must_use]
    pub fn next_ids(&self) -> NextIds {
        self.next_ids
    }

    /// The property key of a number.
    #[must_use]
    pub fn property_key(&self, id: PropertyKeyId) -> Option<&Arc<PropertyKey>> {
        self.property_keys.get(id.0)
    }

    /// The property key of a name.
    #[must_use]
    pub fn property_key_named(&self, name: &str) -> Option<&Arc<PropertyKey>> {
        self.property_keys.named(name)
    }

    /// All property keys in the order of their numbers.
    pub fn property_keys(&self) -> impl Iterator<Item = &Arc<PropertyKey>> {
        self.property_keys.iter()
    }

    /// The vertex label of a number.
    #[must_use]
    pub fn vertex_label(&self, id: LabelId) -> Option<&Arc<VertexLabel>> {
        self.vertex_labels.get(id.0)
    }

    /// The vertex label of a name.
    #[must_use]
    pub fn vertex_label_named(&self, name: &str) -> Option<&Arc<VertexLabel>> {
        self.vertex_labels.named(name)
    }

    /// All vertex labels in the order of their numbers.
    pub fn vertex_labels(&self) -> impl Iterator<Item = &Arc<VertexLabel>> {
        self.vertex_labels.iter()
    }

    /// The edge label of a number.
    #[must_use]
    pub fn edge_label(&self, id: LabelId) -> Option<&Arc<EdgeLabel>> {
        self.edge_labels.get(id.0)
    }

    /// The edge label of a name.
    #[must_use]
    pub fn edge_label_named(&self, name: &str) -> Option<&Arc<EdgeLabel>> {
        self.edge_labels.named(name)
    }

    /// All edge labels in the order of their numbers.
    pub fn edge_labels(&self) -> impl Iterator<Item = &Arc<EdgeLabel>> {
        self.edge_labels.iter()
    }

    /// The index label of a number; in an auto graph also the index over all edges ([`LabelId::EDGE_IDS`]), which is
    /// not among [`Self::index_labels`].
    #[must_use]
    pub fn index_label(&self, id: LabelId) -> Option<&Arc<IndexLabel>> {
        self.index_labels.get(id.0).or_else(|| self.edge_ids.iter().flat_map(|it| it.iter()).find(|it| it.id == id))
    }

    /// The index label of a name.
    #[must_use]
    pub fn index_label_named(&self, name: &str) -> Option<&Arc<IndexLabel>> {
        self.index_labels.named(name)
    }

    /// All index labels in the order of their numbers.
    pub fn index_labels(&self) -> impl Iterator<Item = &Arc<IndexLabel>> {
        self.index_labels.iter()
    }

    /// The labels edges can have that a query for an edge label covers: the sub labels of a parent, else the label
    /// itself.
    #[must_use]
    pub fn edge_labels_under(&self, label: LabelId) -> Vec<LabelId> {
        match self.edge_label(label).map(|label| label.kind) {
            Some(EdgeLabelKind::Parent) => self.sub_labels(label).map(|sub| sub.id).collect(),
            _ => vec![label],
        }
    }

    /// The pairs of vertex labels an edge label links: of a parent, those of its sub labels, each once.
    #[must_use]
    pub fn edge_label_links(&self, label: LabelId) -> Vec<(LabelId, LabelId)> {
        let mut links = Vec::new();
        for link in self.edge_labels_under(label).into_iter().filter_map(|label| self.edge_label(label)?.link) {
            if !links.contains(&link) {
                links.push(link);
            }
        }
        links
    }

    pub(crate) fn sub_labels(&self, parent: LabelId) -> impl Iterator<Item = &Arc<EdgeLabel>> {
        self.edge_labels().filter(move |label| label.kind == EdgeLabelKind::Sub { parent })
    }

    /// A hint for an error about an unknown name: `; did you mean 'x'?`, or nothing where no name is similar.
    #[must_use]
    pub fn suggestion(&self, kind: SchemaKind, name: &str) -> String {
        fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
            names
                .map(|known| (strsim::damerau_levenshtein(&name.to_lowercase(), &known.to_lowercase()), known))
                .filter(|(distance, known)| *distance <= limits::SUGGESTION_EDITS_MAX && *distance * 2 < known.len())
                .min()
                .map_or_else(String::new, |(_, known)| format!("; did you mean '{known}'?"))
        }
        if name.len() > limits::NAME_CHARS_MAX {
            return String::new();
        }
        match kind {
            SchemaKind::PropertyKey => nearest(name, self.property_keys().map(|key| key.name.as_str())),
            SchemaKind::VertexLabel => nearest(name, self.vertex_labels().map(|label| label.name.as_str())),
            SchemaKind::EdgeLabel => nearest(name, self.edge_labels().map(|label| label.name.as_str())),
            SchemaKind::IndexLabel => nearest(name, self.index_labels().map(|label| label.name.as_str())),
        }
    }

    /// The name of a property key for a message.
    pub(crate) fn key_name(&self, id: PropertyKeyId) -> &str {
        self.property_key(id).map_or("?", |key| key.name.as_str())
    }

    /// Whether a number of a kind is in use.
    pub(crate) fn is_used(&self, kind: SchemaKind, number: u32) -> bool {
        match kind {
            SchemaKind::PropertyKey => self.property_keys.get(number).is_some(),
            SchemaKind::VertexLabel => self.vertex_labels.get(number).is_some(),
            SchemaKind::EdgeLabel => self.edge_labels.get(number).is_some(),
            SchemaKind::IndexLabel => self.index_labels.get(number).is_some(),
        }
    }

    /// Puts an element in, or in place of its older form, without looking at what it refers to.
    pub(crate) fn put(&mut self, element: SchemaElement) -> Result<(), SchemaError> {
        let key = element.key();
        match element {
            SchemaElement::PropertyKey(key) => Arc::make_mut(&mut self.property_keys).put(key)?,
            SchemaElement::VertexLabel(label) => {
                let id = label.id;
                Arc::make_mut(&mut self.vertex_labels).put(label)?;
                if self.is_auto() {
                    self.index_new_label(true, id);
                }
            }
            SchemaElement::EdgeLabel(label) => {
                let id = label.id;
                Arc::make_mut(&mut self.edge_labels).put(label)?;
                if self.is_auto() {
                    self.index_new_label(false, id);
                }
            }
            SchemaElement::IndexLabel(label) => {
                let old = self.index_label(label.id).cloned();
                let id = label.id;
                Arc::make_mut(&mut self.index_labels).put(label)?;
                let new = self.index_label(id).cloned();
                self.set_index(old.as_ref(), new.as_ref());
            }
        }
        self.next_ids.pass(key.kind(), key.number());
        Ok(())
    }

    /// Takes an element out, without looking at what refers to it.
    pub(crate) fn take(&mut self, key: SchemaKey) {
        match key {
            SchemaKey::PropertyKey(id) => Arc::make_mut(&mut self.property_keys).remove(id.0),
            SchemaKey::VertexLabel(id) => Arc::make_mut(&mut self.vertex_labels).remove(id.0),
            SchemaKey::EdgeLabel(id) => Arc::make_mut(&mut self.edge_labels).remove(id.0),
            SchemaKey::IndexLabel(id) => {
                let old = self.index_label(id).cloned();
                Arc::make_mut(&mut self.index_labels).remove(id.0);
                self.set_index(old.as_ref(), None);
            }
        }
    }

    fn verify(&self) -> Result<(), SchemaError> {
        for label in self.vertex_labels() {
            let keys = [&label.primary_keys, &label.nullable_keys, &label.properties];
            let keys = keys.into_iter().flatten().chain(&label.ttl_start_time);
            self.verify_keys(SchemaKind::VertexLabel, &label.name, keys)?;
            verify_order(SchemaKind::VertexLabel, &label.name, [&label.properties, &label.nullable_keys])?;
        }
        for label in self.edge_labels() {
            let keys = [&label.sort_keys, &label.nullable_keys, &label.properties];
            let keys = keys.into_iter().flatten().chain(&label.ttl_start_time);
            self.verify_keys(SchemaKind::EdgeLabel, &label.name, keys)?;
            verify_order(SchemaKind::EdgeLabel, &label.name, [&label.properties, &label.nullable_keys])?;
            let (source, target) = label.link.unzip();
            for end in [source, target].into_iter().flatten() {
                if self.vertex_label(end).is_none() {
                    return Err(dangling(SchemaKind::EdgeLabel, &label.name, SchemaKind::VertexLabel, end.0));
                }
            }
            let parent = label.parent_or_self();
            if parent != label.id && self.edge_label(parent).is_none_or(|it| it.kind != EdgeLabelKind::Parent) {
                return Err(dangling(SchemaKind::EdgeLabel, &label.name, SchemaKind::EdgeLabel, parent.0));
            }
        }
        for label in self.index_labels() {
            self.verify_keys(SchemaKind::IndexLabel, &label.name, label.fields.iter())?;
            let base = if label.on_vertices { SchemaKind::VertexLabel } else { SchemaKind::EdgeLabel };
            if !self.is_used(base, label.base.0) {
                return Err(dangling(SchemaKind::IndexLabel, &label.name, base, label.base.0));
            }
        }
        Ok(())
    }

    fn verify_keys<'a>(
        &self,
        kind: SchemaKind,
        name: &str,
        keys: impl Iterator<Item = &'a PropertyKeyId>,
    ) -> Result<(), SchemaError> {
        for key in keys {
            if self.property_key(*key).is_none() {
                return Err(dangling(kind, name, SchemaKind::PropertyKey, key.0));
            }
        }
        Ok(())
    }
}

/// Properties and nullable keys are searched by halving: they must be in the order of their numbers.
fn verify_order(kind: SchemaKind, name: &str, lists: [&Vec<PropertyKeyId>; 2]) -> Result<(), SchemaError> {
    if lists.into_iter().all(|list| list.is_sorted_by(|a, b| a < b)) {
        return Ok(());
    }
    let reason = "its properties or nullable keys are not in the order of their numbers".to_owned();
    Err(SchemaError::Invalid { kind: kind.name(), name: name.to_owned(), reason })
}

fn dangling(kind: SchemaKind, name: &str, wanted: SchemaKind, number: u32) -> SchemaError {
    let reason = format!("it refers to the {} number {number}, which does not exist", wanted.name());
    SchemaError::Invalid { kind: kind.name(), name: name.to_owned(), reason }
}
