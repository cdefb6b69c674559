//! What vertex labels and edge labels have in common: properties, keys among them, lifetimes.

use graph_model::{Cardinality, DataType, PropertyKeyId};

use crate::change::subject::Subject;
use crate::definition::WriteType;
use crate::{Catalogue, SchemaError, SchemaKind, limits};

/// The part of a label that appending changes.
pub(super) struct Growth<'a> {
    pub(super) properties: &'a mut Vec<PropertyKeyId>,
    pub(super) nullable_keys: &'a mut Vec<PropertyKeyId>,
    /// Primary keys or sort keys.
    pub(super) identifying: &'a [PropertyKeyId],
    pub(super) ttl_ms: &'a mut u64,
    pub(super) ttl_start_time: &'a mut Option<PropertyKeyId>,
}

/// What a client wants appended.
#[derive(Clone, Copy)]
pub(super) struct Additions<'a> {
    pub(super) properties: &'a [String],
    pub(super) nullable_keys: &'a [String],
    pub(super) ttl_ms: i64,
    pub(super) ttl_start_time: Option<&'a str>,
}

impl Additions<'_> {
    /// Refuses what cannot be taken away from a label.
    pub(super) fn check_none(self, subject: Subject<'_>) -> Result<(), SchemaError> {
        let given = if !self.properties.is_empty() {
            "properties"
        } else if !self.nullable_keys.is_empty() {
            "nullable_keys"
        } else if self.ttl_ms != 0 || self.ttl_start_time.is_some() {
            "ttl and ttl_start_time"
        } else {
            return Ok(());
        };
        Err(subject.not_allowed(format!("{given} cannot be eliminated: only user_data can")))
    }
}

impl Catalogue {
    /// The numbers of property keys, in the order given, or the error that names the unknown one.
    pub(super) fn key_ids(&self, subject: Subject<'_>, names: &[String]) -> Result<Vec<PropertyKeyId>, SchemaError> {
        let id = |name: &String| {
            let key = self.property_key_named(name).filter(|key| !key.status.is_being_deleted());
            match key {
                Some(key) if key.write_type != WriteType::Oltp => Err(subject
                    .not_supported(format!("property key '{name}' is analytical (OLAP): a label cannot have it"))),
                Some(key) => Ok(key.id),
                None => {
                    let hint = self.suggestion(SchemaKind::PropertyKey, name);
                    Err(subject.invalid(format!("undefined property key '{name}'{hint}")))
                }
            }
        };
        names.iter().map(id).collect()
    }

    /// A label's properties: each once, in the order of their numbers.
    pub(super) fn property_set(
        &self,
        subject: Subject<'_>,
        names: &[String],
    ) -> Result<Vec<PropertyKeyId>, SchemaError> {
        let mut ids = self.key_ids(subject, names)?;
        ids.sort_unstable();
        ids.dedup();
        check_property_count(subject, ids.len())?;
        Ok(ids)
    }

    /// Primary keys or sort keys: in the order given, among the properties, none twice.
    pub(super) fn identifying_keys(
        &self,
        subject: Subject<'_>,
        role: &str,
        names: &[String],
        properties: &[PropertyKeyId],
    ) -> Result<Vec<PropertyKeyId>, SchemaError> {
        let mut ids = Vec::with_capacity(names.len());
        for name in names {
            let id = self.property_key_named(name).map(|key| key.id).filter(|id| properties.contains(id));
            let id = id.ok_or_else(|| subject.invalid(format!("the {role} '{name}' must be one of its properties")))?;
            if ids.contains(&id) {
                return Err(subject.invalid(format!("the {role} '{name}' is named twice")));
            }
            ids.push(id);
        }
        Ok(ids)
    }

    /// Nullable keys: among the properties, none of them identifying; each once, in the order of their numbers.
    pub(super) fn nullable_keys(
        &self,
        subject: Subject<'_>,
        names: &[String],
        properties: &[PropertyKeyId],
        identifying: &[PropertyKeyId],
    ) -> Result<Vec<PropertyKeyId>, SchemaError> {
        let mut ids = Vec::with_capacity(names.len());
        for name in names {
            let id = self.property_key_named(name).map(|key| key.id).filter(|id| properties.contains(id));
            let id =
                id.ok_or_else(|| subject.invalid(format!("the nullable key '{name}' must be one of its properties")))?;
            if identifying.contains(&id) {
                return Err(subject.invalid(format!("'{name}' identifies its elements and cannot be nullable")));
            }
            ids.push(id);
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    /// A lifetime and the date it starts at.
    pub(super) fn lifetime(
        &self,
        subject: Subject<'_>,
        ttl_ms: i64,
        start: Option<&str>,
        properties: &[PropertyKeyId],
    ) -> Result<(u64, Option<PropertyKeyId>), SchemaError> {
        let ttl_ms =
            u64::try_from(ttl_ms).map_err(|_| subject.invalid(format!("ttl must not be negative, but is {ttl_ms}")))?;
        let Some(name) = start else { return Ok((ttl_ms, None)) };
        if ttl_ms == 0 {
            return Err(subject.invalid("ttl_start_time needs a ttl above 0"));
        }
        let key = self.property_key_named(name).filter(|key| properties.contains(&key.id));
        let key =
            key.ok_or_else(|| subject.invalid(format!("ttl_start_time '{name}' must be one of its properties")))?;
        if key.data_type != DataType::Date || key.cardinality != Cardinality::Single {
            return Err(subject.invalid(format!("ttl_start_time '{name}' must be a property of type DATE, one value")));
        }
        Ok((ttl_ms, Some(key.id)))
    }

    /// Adds properties and nullable keys to a label and sets its lifetime (0: as it was).
    pub(super) fn grow(
        &self,
        subject: Subject<'_>,
        label: &mut Growth<'_>,
        additions: Additions<'_>,
    ) -> Result<(), SchemaError> {
        let before = label.properties.clone();
        label.properties.extend(self.key_ids(subject, additions.properties)?);
        label.properties.sort_unstable();
        label.properties.dedup();
        check_property_count(subject, label.properties.len())?;
        let nullable = self.nullable_keys(subject, additions.nullable_keys, label.properties, label.identifying)?;
        let strict = label.properties.iter().find(|key| !before.contains(key) && !nullable.contains(key));
        if let Some(key) = strict {
            let name = self.key_name(*key);
            return Err(subject.invalid(format!("the added property '{name}' must be among nullable_keys")));
        }
        label.nullable_keys.extend(nullable);
        label.nullable_keys.sort_unstable();
        label.nullable_keys.dedup();
        let ttl_ms = if additions.ttl_ms == 0 { label.ttl_ms.cast_signed() } else { additions.ttl_ms };
        let (ttl_ms, start) = self.lifetime(subject, ttl_ms, additions.ttl_start_time, label.properties)?;
        *label.ttl_ms = ttl_ms;
        if start.is_some() {
            *label.ttl_start_time = start;
        }
        Ok(())
    }

    /// Whether names are those of a list of property keys, whatever the order.
    pub(super) fn same_keys(&self, names: &[String], ids: &[PropertyKeyId]) -> bool {
        let named: Option<Vec<_>> = names.iter().map(|name| Some(self.property_key_named(name)?.id)).collect();
        named.is_some_and(|named| named.iter().all(|id| ids.contains(id)) && ids.iter().all(|id| named.contains(id)))
    }
}

fn check_property_count(subject: Subject<'_>, count: usize) -> Result<(), SchemaError> {
    let limit = limits::PROPERTIES_PER_LABEL_MAX;
    if count > limit {
        return Err(subject.invalid(format!("it has {count} properties, the limit is {limit}")));
    }
    Ok(())
}
