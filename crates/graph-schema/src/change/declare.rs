//! Labels and property keys of auto graphs: made because something is written with them.

use graph_model::{Cardinality, DataType, IdStrategy, LabelId, PropertyKeyId};

use crate::change::subject::Subject;
use crate::change::{Change, ChangeRules, SchemaElement, SchemaKind};
use crate::definition::{
    AggregateType, EdgeLabel, EdgeLabelKind, Frequency, PropertyKey, Status, UserData, VertexLabel, WriteType,
};
use crate::input::Declaration;
use crate::{Catalogue, SchemaError, limits};

impl Catalogue {
    /// Makes the labels and keys of an auto graph that are not there yet.
    ///
    /// # Errors
    /// A graph with a strict schema that lacks one; a name that cannot be: empty, of more than
    /// [`limits::NAME_CHARS_MAX`] characters, or beginning with `~`; more than [`limits::DECLARED_MAX`] of a kind.
    pub fn declare(&self, names: &Declaration<'_>, rules: &ChangeRules<'_>) -> Result<Change, SchemaError> {
        let mut change = self.unchanged();
        let Declaration { vertex_labels, edge_labels, property_keys } = *names;
        for (kind, names) in [
            (SchemaKind::PropertyKey, property_keys),
            (SchemaKind::VertexLabel, vertex_labels),
            (SchemaKind::EdgeLabel, edge_labels),
        ] {
            for name in names {
                if change.catalogue.number_of(kind, name).is_none() {
                    let subject = Subject { kind, name };
                    let element = change.catalogue.declared(subject, rules)?;
                    change.catalogue.put(element.clone())?;
                    change.put.push(element);
                }
            }
        }
        Ok(change)
    }

    fn number_of(&self, kind: SchemaKind, name: &str) -> Option<u32> {
        match kind {
            SchemaKind::PropertyKey => self.property_key_named(name).map(|key| key.id.0),
            SchemaKind::VertexLabel => self.vertex_label_named(name).map(|label| label.id.0),
            SchemaKind::EdgeLabel => self.edge_label_named(name).map(|label| label.id.0),
            SchemaKind::IndexLabel => self.index_label_named(name).map(|label| label.id.0),
        }
    }

    fn declared(&self, subject: Subject<'_>, rules: &ChangeRules<'_>) -> Result<SchemaElement, SchemaError> {
        if !self.is_auto() {
            return Err(subject.not_allowed(
                "it does not exist, and the graph has a strict schema: create it first, or use a graph that was \
                 created with schema.mode=auto",
            ));
        }
        subject.check_declared_name()?;
        let number = self.next_ids().of(subject.kind);
        if number > limits::DECLARED_MAX {
            return Err(subject.not_allowed(format!(
                "an auto graph can have at most {} of its kind; put what varies into values instead of names",
                limits::DECLARED_MAX
            )));
        }
        let name = subject.name.to_owned();
        let (status, user_data) = (Status::Created, subject.new_user_data(&UserData::default(), rules)?);
        Ok(match subject.kind {
            SchemaKind::PropertyKey => SchemaElement::PropertyKey(PropertyKey {
                id: PropertyKeyId(number),
                name,
                data_type: DataType::Any,
                cardinality: Cardinality::Single,
                aggregate_type: AggregateType::None,
                write_type: WriteType::Oltp,
                status,
                user_data,
                default_value: None,
            }),
            SchemaKind::VertexLabel => SchemaElement::VertexLabel(VertexLabel {
                id: LabelId(number),
                name,
                id_strategy: IdStrategy::Automatic,
                primary_keys: Vec::new(),
                nullable_keys: Vec::new(),
                properties: Vec::new(),
                ttl_ms: 0,
                ttl_start_time: None,
                enable_label_index: true,
                status,
                user_data,
            }),
            SchemaKind::EdgeLabel => SchemaElement::EdgeLabel(EdgeLabel {
                id: LabelId(number),
                name,
                kind: EdgeLabelKind::Normal,
                link: None,
                frequency: Frequency::Multiple,
                sort_keys: Vec::new(),
                nullable_keys: Vec::new(),
                properties: Vec::new(),
                ttl_ms: 0,
                ttl_start_time: None,
                enable_label_index: true,
                status,
                user_data,
            }),
            SchemaKind::IndexLabel => return Err(subject.made_on_write()),
        })
    }
}
