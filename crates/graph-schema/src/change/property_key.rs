//! Changes of property keys.

use graph_model::{Cardinality, PropertyKeyId};

use crate::change::subject::{Subject, remove_user_data};
use crate::change::{Change, ChangeRules, Created, SchemaElement, SchemaKey, SchemaKind};
use crate::definition::{AggregateType, DEFAULT_VALUE, PropertyKey, Status, WriteType};
use crate::input::{NewPropertyKey, UpdatePropertyKey};
use crate::{Catalogue, Literal, SchemaError, coerce};

impl Catalogue {
    /// Creates a property key. With `check_exist` false an existing one of the same definition is found instead.
    pub fn create_property_key(
        &self,
        new: &NewPropertyKey,
        rules: &ChangeRules<'_>,
    ) -> Result<Created<PropertyKeyId>, SchemaError> {
        let subject = Subject { kind: SchemaKind::PropertyKey, name: &new.name };
        subject.check_name()?;
        if let Some(existing) = self.property_key_named(&new.name) {
            if new.check_exist || !is_same(existing, new) {
                return Err(subject.exists());
            }
            return Ok(Created { id: existing.id, change: self.unchanged() });
        }
        let id = PropertyKeyId(subject.number(self, new.id, rules.mode)?);
        if !new.properties.is_empty() {
            return Err(subject.invalid("a property key cannot have properties"));
        }
        check_aggregate(subject, new)?;
        check_write_type(subject, new)?;
        let mut key = PropertyKey {
            id,
            name: new.name.clone(),
            data_type: new.data_type,
            cardinality: new.cardinality,
            aggregate_type: new.aggregate_type,
            write_type: new.write_type,
            status: Status::Created,
            user_data: subject.new_user_data(&new.user_data, rules)?,
            default_value: None,
        };
        set_default(subject, &mut key, new.default_value.as_ref(), rules)?;
        Ok(Created { id, change: self.with(SchemaElement::PropertyKey(key))? })
    }

    /// Sets entries of a property key's user data.
    pub fn append_property_key(
        &self,
        update: &UpdatePropertyKey,
        rules: &ChangeRules<'_>,
    ) -> Result<Created<PropertyKeyId>, SchemaError> {
        let (subject, mut key) = self.updated_key(update)?;
        subject.merge_user_data(&mut key.user_data, &update.user_data)?;
        set_default(subject, &mut key, update.default_value.as_ref(), rules)?;
        Ok(Created { id: key.id, change: self.with(SchemaElement::PropertyKey(key))? })
    }

    /// Removes entries of a property key's user data; their values do not matter.
    pub fn eliminate_property_key(&self, update: &UpdatePropertyKey) -> Result<Created<PropertyKeyId>, SchemaError> {
        let (_, mut key) = self.updated_key(update)?;
        remove_user_data(&mut key.user_data, &update.user_data);
        if key.user_data.get(DEFAULT_VALUE).is_none() {
            key.default_value = None;
        }
        Ok(Created { id: key.id, change: self.with(SchemaElement::PropertyKey(key))? })
    }

    /// Deletes a property key that no label uses.
    pub fn delete_property_key(&self, name: &str) -> Result<Change, SchemaError> {
        let subject = Subject { kind: SchemaKind::PropertyKey, name };
        let id = self.property_key_named(name).ok_or_else(|| subject.not_found(self))?.id;
        if self.is_auto() {
            return Err(subject.made_on_write());
        }
        let vertex_label = self.vertex_labels().find(|label| label.properties.contains(&id));
        if let Some(label) = vertex_label {
            return Err(
                subject.not_allowed(format!("it cannot be removed because vertex label '{}' uses it", label.name))
            );
        }
        let edge_label = self.edge_labels().find(|label| label.properties.contains(&id));
        if let Some(label) = edge_label {
            return Err(
                subject.not_allowed(format!("it cannot be removed because edge label '{}' uses it", label.name))
            );
        }
        Ok(self.without(vec![SchemaKey::PropertyKey(id)]))
    }

    fn updated_key<'a>(&self, update: &'a UpdatePropertyKey) -> Result<(Subject<'a>, PropertyKey), SchemaError> {
        let subject = Subject { kind: SchemaKind::PropertyKey, name: &update.name };
        let key = self.property_key_named(&update.name).ok_or_else(|| subject.not_found(self))?;
        if update.data_type != graph_model::DataType::Text {
            return Err(subject.not_allowed("its data type cannot be changed: leave data_type out"));
        }
        if update.cardinality != Cardinality::Single {
            return Err(subject.not_allowed("its cardinality cannot be changed: leave cardinality out"));
        }
        Ok((subject, PropertyKey::clone(key)))
    }
}

fn is_same(existing: &PropertyKey, new: &NewPropertyKey) -> bool {
    existing.data_type == new.data_type
        && existing.cardinality == new.cardinality
        && existing.aggregate_type == new.aggregate_type
        && existing.write_type == new.write_type
}

fn check_aggregate(subject: Subject<'_>, new: &NewPropertyKey) -> Result<(), SchemaError> {
    let is_number = new.data_type.is_number();
    let is_ordered = is_number || new.data_type == graph_model::DataType::Date;
    let (cardinality, type_fits, types) = match new.aggregate_type {
        AggregateType::None => return Ok(()),
        AggregateType::Set => (Cardinality::Set, true, ""),
        AggregateType::List => (Cardinality::List, true, ""),
        AggregateType::Old => (Cardinality::Single, true, ""),
        AggregateType::Max | AggregateType::Min => (Cardinality::Single, is_ordered, "a number or DATE"),
        AggregateType::Sum => (Cardinality::Single, is_number, "a number"),
    };
    if new.cardinality != cardinality {
        return Err(subject.not_allowed(format!("its aggregate type needs cardinality {}", cardinality.name())));
    }
    if !type_fits {
        let got = new.data_type.name();
        return Err(subject.not_allowed(format!("its aggregate type needs {types} as data type, not {got}")));
    }
    Ok(())
}

fn check_write_type(subject: Subject<'_>, new: &NewPropertyKey) -> Result<(), SchemaError> {
    if new.write_type == WriteType::Oltp {
        return Ok(());
    }
    if new.aggregate_type != AggregateType::None {
        return Err(subject.not_allowed("an analytical (OLAP) property key cannot have an aggregate type"));
    }
    let is_ordered = new.data_type.is_number() || new.data_type == graph_model::DataType::Date;
    if new.write_type == WriteType::OlapRange && !is_ordered {
        let got = new.data_type.name();
        return Err(
            subject.not_allowed(format!("write type OLAP_RANGE needs a number or DATE as data type, not {got}"))
        );
    }
    Ok(())
}

fn set_default(
    subject: Subject<'_>,
    key: &mut PropertyKey,
    literal: Option<&Literal<'_>>,
    rules: &ChangeRules<'_>,
) -> Result<(), SchemaError> {
    if let Some(literal) = literal {
        let value = coerce(key, literal, rules.zone);
        key.default_value = Some(value.map_err(|error| subject.invalid(format!("its default value: {error}")))?);
    }
    Ok(())
}
