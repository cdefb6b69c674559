//! Changes of index labels: which definitions are possible, which one makes another one superfluous.

use graph_model::{Cardinality, DataType, IdStrategy, LabelId, PropertyKeyId};

use crate::change::life::absent;
use crate::change::subject::{Subject, remove_user_data};
use crate::change::{Change, ChangeRules, Created, SchemaElement, SchemaKey, SchemaKind};
use crate::definition::{AggregateType, IndexLabel, IndexType, PropertyKey, Status};
use crate::input::{NewIndexLabel, UpdateIndexLabel};
use crate::{Catalogue, SchemaError, limits};

impl Catalogue {
    /// Creates an index label: of status CREATING, to be built, or (with `rebuild` false) of status CREATED and
    /// incomplete. With `check_exist` false an existing one of the same definition is found instead.
    pub fn create_index_label(
        &self,
        new: &NewIndexLabel,
        rules: &ChangeRules<'_>,
    ) -> Result<Created<LabelId>, SchemaError> {
        let subject = Subject { kind: SchemaKind::IndexLabel, name: &new.name };
        subject.check_name()?;
        if let Some(existing) = self.index_label_named(&new.name) {
            if new.check_exist || !self.is_same_index_label(existing, new) {
                return Err(subject.exists());
            }
            return Ok(Created { id: existing.id, change: self.unchanged() });
        }
        if self.is_auto() {
            return self.create_auto_index_label(subject, new, rules);
        }
        let id = LabelId(subject.number(self, new.id, rules.mode)?);
        let base = self.base(subject, new)?;
        let fields = self.index_fields(subject, new, base)?;
        self.check_type(subject, new.index_type, &fields)?;
        self.check_primary_keys(subject, new, base, &fields)?;
        let index = new_index_label(subject, new, rules, id, base, fields)?;
        let over = self.indexes_over(index.on_vertices, base);
        if let Some(old) = over.iter().find(|old| old.is_kept() && self.serves_for(old, &index)) {
            return Err(repeats(subject, old));
        }
        check_room(subject, new, over.len())?;
        Ok(Created { id, change: self.with(SchemaElement::IndexLabel(index))? })
    }

    /// Sets entries of an index label's user data; nothing else can change.
    pub fn append_index_label(&self, update: &UpdateIndexLabel) -> Result<Created<LabelId>, SchemaError> {
        let (subject, mut index) = self.updated_index_label(update)?;
        subject.merge_user_data(&mut index.user_data, &update.user_data)?;
        Ok(Created { id: index.id, change: self.with(SchemaElement::IndexLabel(index))? })
    }

    /// Removes entries of an index label's user data; their values do not matter.
    pub fn eliminate_index_label(&self, update: &UpdateIndexLabel) -> Result<Created<LabelId>, SchemaError> {
        let (_, mut index) = self.updated_index_label(update)?;
        remove_user_data(&mut index.user_data, &update.user_data);
        Ok(Created { id: index.id, change: self.with(SchemaElement::IndexLabel(index))? })
    }

    /// Puts an index label into use once it is built, and begins the deletion of those it serves for (see
    /// [`Self::superseded_by`]), so that there is no moment without either.
    pub fn finish_index_label(&self, id: LabelId) -> Result<Change, SchemaError> {
        let key = SchemaKey::IndexLabel(id);
        let index = self.index_label(id).ok_or_else(|| absent(key))?;
        let mut index = IndexLabel::clone(index);
        index.status = Status::Created;
        index.complete = true;
        let mut change = self.with(SchemaElement::IndexLabel(index))?;
        for old in self.superseded_by(id) {
            let next = change.catalogue.set_status(SchemaKey::IndexLabel(old), Status::Deleting)?;
            change.catalogue = next.catalogue;
            change.put.extend(next.put);
        }
        Ok(change)
    }

    /// Starts rebuilding an index label, with the analyzer of the settings.
    pub fn rebuild_index_label(&self, id: LabelId, rules: &ChangeRules<'_>) -> Result<Change, SchemaError> {
        let index = self.index_label(id).ok_or_else(|| absent(SchemaKey::IndexLabel(id)))?;
        let mut index = IndexLabel::clone(index);
        (index.status, index.complete, index.analyzer) = (Status::Rebuilding, false, rules.analyzer);
        self.with(SchemaElement::IndexLabel(index))
    }

    /// The index labels that this one makes redundant: older ones whose queries it can answer too, or, if it is unique,
    /// unique ones it implies.
    #[must_use]
    pub fn superseded_by(&self, id: LabelId) -> Vec<LabelId> {
        let Some(index) = self.index_label(id) else { return Vec::new() };
        let over = self.indexes_over(index.on_vertices, index.base).iter();
        over.filter(|old| {
            let is_used = matches!(old.status, Status::Created | Status::Deleting);
            // Of an auto graph each stays until it is removed.
            old.id != id && is_used && !self.is_auto() && self.serves_for(index, old)
        })
        .map(|old| old.id)
        .collect()
    }

    fn updated_index_label<'a>(&self, update: &'a UpdateIndexLabel) -> Result<(Subject<'a>, IndexLabel), SchemaError> {
        let subject = Subject { kind: SchemaKind::IndexLabel, name: &update.name };
        let index = self.index_label_named(&update.name).ok_or_else(|| subject.not_found(self))?;
        for (given, field) in [
            (update.on_vertices.is_some(), "base_type"),
            (update.base.is_some(), "base_value"),
            (update.index_type.is_some(), "index_type"),
            (!update.fields.is_empty(), "fields"),
        ] {
            if given {
                return Err(subject.not_allowed(format!("its {field} cannot be changed: leave it out")));
            }
        }
        Ok((subject, IndexLabel::clone(index)))
    }

    fn base(&self, subject: Subject<'_>, new: &NewIndexLabel) -> Result<LabelId, SchemaError> {
        let (kind, found) = if new.on_vertices {
            let label = self.vertex_label_named(&new.base);
            (SchemaKind::VertexLabel, label.map(|label| (label.id, label.status)))
        } else {
            let label = self.edge_label_named(&new.base);
            (SchemaKind::EdgeLabel, label.map(|label| (label.id, label.status)))
        };
        let found = found.filter(|(_, status)| !status.is_being_deleted());
        found.map(|(id, _)| id).ok_or_else(|| {
            let hint = self.suggestion(kind, &new.base);
            subject.invalid(format!("undefined {} '{}'{hint}", kind.name(), new.base))
        })
    }

    /// The fields in the order given: properties of the label, each once.
    fn index_fields(
        &self,
        subject: Subject<'_>,
        new: &NewIndexLabel,
        base: LabelId,
    ) -> Result<Vec<PropertyKeyId>, SchemaError> {
        check_field_count(subject, new)?;
        let properties = if new.on_vertices {
            self.vertex_label(base).map(|label| &label.properties)
        } else {
            self.edge_label(base).map(|label| &label.properties)
        };
        let ids = self.key_ids(subject, &new.fields)?;
        let mut fields = Vec::with_capacity(ids.len());
        for (id, name) in ids.into_iter().zip(&new.fields) {
            if properties.is_none_or(|properties| !properties.contains(&id)) {
                return Err(subject.invalid(format!("'{name}' is no property of '{}'", new.base)));
            }
            if fields.contains(&id) {
                return Err(subject.invalid(format!("the field '{name}' is named twice")));
            }
            fields.push(id);
        }
        Ok(fields)
    }

    fn check_type(
        &self,
        subject: Subject<'_>,
        index_type: IndexType,
        fields: &[PropertyKeyId],
    ) -> Result<(), SchemaError> {
        let keys: Vec<&PropertyKey> = fields.iter().filter_map(|id| self.property_key(*id)).map(|key| &**key).collect();
        for key in &keys {
            if matches!(key.aggregate_type, AggregateType::Sum | AggregateType::Set | AggregateType::List) {
                return Err(
                    subject.invalid(format!("'{}' combines what is written to it and cannot be indexed", key.name))
                );
            }
            if key.cardinality != Cardinality::Single && keys.len() > 1 {
                let cardinality = key.cardinality.name();
                return Err(subject.invalid(format!("'{}' is a {cardinality}: it must be the only field", key.name)));
            }
        }
        let one = |what: &str| match keys.as_slice() {
            [key] => Ok(*key),
            _ => Err(subject.invalid(format!("a {what} index has exactly one field, but got {}", keys.len()))),
        };
        match index_type {
            IndexType::Range => {
                let key = one("RANGE")?;
                let ordered = key.data_type.is_number() || key.data_type == DataType::Date;
                if !ordered || key.cardinality != Cardinality::Single {
                    let got = (key.data_type.name(), key.cardinality.name());
                    let reason = "a RANGE index needs a number or DATE of cardinality SINGLE";
                    return Err(subject.invalid(format!("{reason}, but '{}' is {} {}", key.name, got.1, got.0)));
                }
            }
            IndexType::Search => {
                let key = one("SEARCH")?;
                if key.data_type != DataType::Text {
                    let got = key.data_type.name();
                    return Err(subject.invalid(format!("a SEARCH index needs a TEXT, but '{}' is {got}", key.name)));
                }
            }
            // One entry for each item would give an element out once for each.
            IndexType::Shard => {
                if let Some(key) = keys.iter().find(|key| key.cardinality != Cardinality::Single) {
                    let got = (&key.name, key.cardinality.name());
                    let reason = "a SHARD index needs fields of cardinality SINGLE";
                    return Err(subject.invalid(format!("{reason}, but '{}' is a {}", got.0, got.1)));
                }
            }
            IndexType::Secondary | IndexType::Unique => {}
        }
        Ok(())
    }

    /// Vertices whose primary keys are all given are found by their id, and are unique.
    fn check_primary_keys(
        &self,
        subject: Subject<'_>,
        new: &NewIndexLabel,
        base: LabelId,
        fields: &[PropertyKeyId],
    ) -> Result<(), SchemaError> {
        let Some(label) = self.vertex_label(base).filter(|_| new.on_vertices) else { return Ok(()) };
        let is_text = |id: &PropertyKeyId| self.property_key(*id).is_some_and(|key| key.data_type == DataType::Text);
        let equality = match new.index_type {
            IndexType::Secondary | IndexType::Unique => true,
            IndexType::Shard => fields.iter().all(is_text),
            IndexType::Range | IndexType::Search => false,
        };
        let all =
            label.id_strategy == IdStrategy::PrimaryKey && label.primary_keys.iter().all(|key| fields.contains(key));
        if equality && all {
            return Err(subject.invalid(format!(
                "its fields hold all primary keys of '{}', by which vertices are found without an index",
                new.base
            )));
        }
        Ok(())
    }

    /// HugeGraph's test: what it is over, its type and its fields, in any order.
    fn is_same_index_label(&self, existing: &IndexLabel, new: &NewIndexLabel) -> bool {
        let subject = Subject { kind: SchemaKind::IndexLabel, name: &new.name };
        existing.on_vertices == new.on_vertices
            && self.base(subject, new) == Ok(existing.base)
            && existing.index_type == new.index_type
            && self.same_keys(&new.fields, &existing.fields)
    }

    /// Whether every question to `other` can be asked to `index`, and what a unique `other` forbids a unique `index`
    /// forbids: both are over the same label.
    fn serves_for(&self, index: &IndexLabel, other: &IndexLabel) -> bool {
        use IndexType::{Range, Search, Secondary, Shard, Unique};
        match (index.index_type, other.index_type) {
            (Unique, Unique) => {
                let implied = index.fields.iter().all(|field| other.fields.contains(field));
                // Elements without any of its fields are free of a unique index, but not of one over more fields.
                implied && (index.fields.len() == other.fields.len() || self.is_in_every_element(index))
            }
            (Secondary | Shard | Range, Secondary) | (Shard, Shard) | (Range, Range) | (Search, Search) => {
                index.fields.starts_with(&other.fields)
            }
            _ => false,
        }
    }

    /// Whether every element of its label has a field of an index label.
    fn is_in_every_element(&self, index: &IndexLabel) -> bool {
        let nullable = if index.on_vertices {
            self.vertex_label(index.base).map(|label| &label.nullable_keys)
        } else {
            self.edge_label(index.base).map(|label| &label.nullable_keys)
        };
        nullable.is_some_and(|nullable| index.fields.iter().any(|field| !nullable.contains(field)))
    }
}

/// The definition of a new index label, of status CREATING if it is to be built.
pub(super) fn new_index_label(
    subject: Subject<'_>,
    new: &NewIndexLabel,
    rules: &ChangeRules<'_>,
    id: LabelId,
    base: LabelId,
    fields: Vec<PropertyKeyId>,
) -> Result<IndexLabel, SchemaError> {
    Ok(IndexLabel {
        id,
        name: new.name.clone(),
        on_vertices: new.on_vertices,
        base,
        index_type: new.index_type,
        fields,
        complete: false,
        analyzer: rules.analyzer,
        status: if new.rebuild { Status::Creating } else { Status::Created },
        user_data: subject.new_user_data(&new.user_data, rules)?,
    })
}

pub(super) fn check_field_count(subject: Subject<'_>, new: &NewIndexLabel) -> Result<(), SchemaError> {
    let limit = limits::FIELDS_PER_INDEX_MAX;
    match new.fields.len() {
        0 => Err(subject.invalid("fields must name at least one property")),
        count if count > limit => Err(subject.invalid(format!("it has {count} fields, the limit is {limit}"))),
        _ => Ok(()),
    }
}

/// Whether a label with so many index labels can have one more.
pub(super) fn check_room(subject: Subject<'_>, new: &NewIndexLabel, count: usize) -> Result<(), SchemaError> {
    let limit = limits::INDEXES_PER_LABEL_MAX;
    if count < limit {
        return Ok(());
    }
    Err(subject.invalid(format!("'{}' has {limit} index labels already, the limit", new.base)))
}

pub(super) fn repeats(subject: Subject<'_>, old: &IndexLabel) -> SchemaError {
    subject.invalid(format!("it repeats the index label '{}', which serves for it", old.name))
}
