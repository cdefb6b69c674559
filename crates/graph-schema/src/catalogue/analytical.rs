//! Analytical (OLAP) property keys: their values are results of analyses. No label has such a key; any vertex of a
//! strict graph can have a value of one, which is shown while the read mode of the graph is `ALL`.

use std::sync::Arc;

use graph_model::{Properties, PropertyKeyId, VertexId};
use jiff::tz::TimeZone;

use crate::coerce::coerce;
use crate::definition::{PropertyKey, WriteType};
use crate::input::{Literal, NewVertex};
use crate::{Catalogue, ElementError};

impl Catalogue {
    /// Whether values of analytical property keys are shown: those of a graph whose read mode is `ALL`.
    #[must_use]
    pub fn reads_analytical(&self) -> bool {
        self.reads_analytical
    }

    /// Sets [`Self::reads_analytical`].
    pub fn set_reads_analytical(&mut self, reads: bool) {
        self.reads_analytical = reads;
    }

    /// The property key of a number, unless its values are hidden.
    #[must_use]
    pub fn shown_key(&self, id: PropertyKeyId) -> Option<&Arc<PropertyKey>> {
        self.property_key(id).filter(|key| self.reads_analytical || key.write_type == WriteType::Oltp)
    }

    /// The property key of a name, unless its values are hidden.
    #[must_use]
    pub fn shown_key_named(&self, name: &str) -> Option<&Arc<PropertyKey>> {
        self.property_key_named(name).filter(|key| self.reads_analytical || key.write_type == WriteType::Oltp)
    }

    /// Whether a property key is there and analytical.
    #[must_use]
    pub fn is_analytical(&self, id: PropertyKeyId) -> bool {
        self.property_key(id).is_some_and(|key| key.write_type != WriteType::Oltp)
    }

    /// Checks a vertex that was sent without a label: its id, and values of analytical property keys for the stored
    /// vertex of that id. Dates without a zone are of `zone`.
    ///
    /// # Errors
    /// [`ElementError::LabelMissing`] unless it has an id and properties of such keys alone; values that are not of
    /// their key's type.
    pub fn check_analysis(&self, new: &NewVertex<'_>, zone: &TimeZone) -> Result<(VertexId, Properties), ElementError> {
        let missing = || ElementError::LabelMissing { element: "vertex" };
        let id = new.id.as_ref().filter(|id| **id != Literal::Null).ok_or_else(missing)?;
        let mut properties = Properties::with_capacity(new.properties.len());
        for (name, literal) in &new.properties {
            let key = self.property_key_named(name).filter(|key| key.write_type != WriteType::Oltp);
            let key = key.ok_or_else(missing)?;
            properties.insert(key.id, coerce(key, literal, zone)?);
        }
        if properties.is_empty() || new.label.is_some() || self.is_auto() {
            return Err(missing());
        }
        Ok((self.parse_vertex_id_literal(None, id)?, properties))
    }
}
