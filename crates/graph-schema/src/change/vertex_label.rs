//! Changes of vertex labels.

use graph_model::{IdStrategy, LabelId};

use crate::change::label_parts::{Additions, Growth};
use crate::change::subject::{Subject, remove_user_data};
use crate::change::{ChangeRules, Created, SchemaElement, SchemaKind};
use crate::definition::{Status, VertexLabel};
use crate::input::{NewVertexLabel, UpdateVertexLabel};
use crate::{Catalogue, SchemaError};

impl Catalogue {
    /// Creates a vertex label. With `check_exist` false an existing one of the same definition is found instead.
    pub fn create_vertex_label(
        &self,
        new: &NewVertexLabel,
        rules: &ChangeRules<'_>,
    ) -> Result<Created<LabelId>, SchemaError> {
        let subject = Subject { kind: SchemaKind::VertexLabel, name: &new.name };
        subject.check_name()?;
        if let Some(existing) = self.vertex_label_named(&new.name) {
            if new.check_exist || !self.is_same_vertex_label(existing, new) {
                return Err(subject.exists());
            }
            return Ok(Created { id: existing.id, change: self.unchanged() });
        }
        let id = LabelId(subject.number(self, new.id, rules.mode)?);
        let properties = self.property_set(subject, &new.properties)?;
        let primary_keys = self.identifying_keys(subject, "primary key", &new.primary_keys, &properties)?;
        let id_strategy = id_strategy(subject, new)?;
        let nullable_keys = self.nullable_keys(subject, &new.nullable_keys, &properties, &primary_keys)?;
        let (ttl_ms, ttl_start_time) = self.lifetime(subject, new.ttl_ms, start(&new.ttl_start_time), &properties)?;
        let label = VertexLabel {
            id,
            name: new.name.clone(),
            id_strategy,
            primary_keys,
            nullable_keys,
            properties,
            ttl_ms,
            ttl_start_time,
            enable_label_index: new.enable_label_index.unwrap_or(true),
            status: Status::Created,
            user_data: subject.new_user_data(&new.user_data, rules)?,
        };
        Ok(Created { id, change: self.with(SchemaElement::VertexLabel(label))? })
    }

    /// Adds properties (each of them nullable), nullable keys and user data; sets the lifetime.
    pub fn append_vertex_label(&self, update: &UpdateVertexLabel) -> Result<Created<LabelId>, SchemaError> {
        let (subject, mut label) = self.updated_vertex_label(update)?;
        let mut growth = Growth {
            properties: &mut label.properties,
            nullable_keys: &mut label.nullable_keys,
            identifying: &label.primary_keys,
            ttl_ms: &mut label.ttl_ms,
            ttl_start_time: &mut label.ttl_start_time,
        };
        self.grow(subject, &mut growth, additions(update))?;
        subject.merge_user_data(&mut label.user_data, &update.user_data)?;
        Ok(Created { id: label.id, change: self.with(SchemaElement::VertexLabel(label))? })
    }

    /// Removes entries of the user data; nothing else can be taken from a label.
    pub fn eliminate_vertex_label(&self, update: &UpdateVertexLabel) -> Result<Created<LabelId>, SchemaError> {
        let (subject, mut label) = self.updated_vertex_label(update)?;
        additions(update).check_none(subject)?;
        remove_user_data(&mut label.user_data, &update.user_data);
        Ok(Created { id: label.id, change: self.with(SchemaElement::VertexLabel(label))? })
    }

    fn updated_vertex_label<'a>(
        &self,
        update: &'a UpdateVertexLabel,
    ) -> Result<(Subject<'a>, VertexLabel), SchemaError> {
        let subject = Subject { kind: SchemaKind::VertexLabel, name: &update.name };
        let label = self.vertex_label_named(&update.name).ok_or_else(|| subject.not_found(self))?;
        for (given, field) in [
            (update.id_strategy.is_some(), "id_strategy"),
            (!update.primary_keys.is_empty(), "primary_keys"),
            (update.enable_label_index.is_some(), "enable_label_index"),
        ] {
            if given {
                return Err(subject.not_allowed(format!("its {field} cannot be changed: leave it out")));
            }
        }
        Ok((subject, VertexLabel::clone(label)))
    }

    /// HugeGraph's test: id strategy and lifetime are not compared.
    fn is_same_vertex_label(&self, existing: &VertexLabel, new: &NewVertexLabel) -> bool {
        self.same_keys(&new.properties, &existing.properties)
            && self.same_keys(&new.primary_keys, &existing.primary_keys)
            && self.same_keys(&new.nullable_keys, &existing.nullable_keys)
            && new.enable_label_index.unwrap_or(true) == existing.enable_label_index
    }
}

fn id_strategy(subject: Subject<'_>, new: &NewVertexLabel) -> Result<IdStrategy, SchemaError> {
    match (new.id_strategy, new.primary_keys.is_empty()) {
        (None | Some(IdStrategy::PrimaryKey), false) => Ok(IdStrategy::PrimaryKey),
        (Some(IdStrategy::PrimaryKey), true) => {
            Err(subject.invalid("id strategy PRIMARY_KEY needs at least one primary key"))
        }
        (None, true) => Ok(IdStrategy::Automatic),
        (Some(other), true) => Ok(other),
        (Some(other), false) => {
            Err(subject.invalid(format!("id strategy {} must not have primary keys", other.name())))
        }
    }
}

fn additions(update: &UpdateVertexLabel) -> Additions<'_> {
    Additions {
        properties: &update.properties,
        nullable_keys: &update.nullable_keys,
        ttl_ms: update.ttl_ms,
        ttl_start_time: start(&update.ttl_start_time),
    }
}

/// The name of the date a lifetime starts at; clients also send an empty text for none.
pub(super) fn start(name: &Option<String>) -> Option<&str> {
    name.as_deref().filter(|name| !name.is_empty())
}
