//! Which properties every element of a label must have.

use graph_model::PropertyKeyId;

use crate::change::life::absent;
use crate::change::{Change, SchemaElement, SchemaKey};
use crate::{Catalogue, SchemaError};

impl Catalogue {
    /// Makes a property of a label one that every element must have, or one that may be missing. `note` is an entry of
    /// the label's user data that is set then, or removed. Stored elements are not looked at: whoever requires a
    /// property looks whether all have it afterwards, when writers know of it.
    ///
    /// # Errors
    /// A key of the catalogue that is no label.
    pub fn set_required(
        &self,
        label: SchemaKey,
        key: PropertyKeyId,
        is_required: bool,
        note: (&str, &str),
    ) -> Result<Change, SchemaError> {
        let mut element = self.element(label).ok_or_else(|| absent(label))?;
        let (nullable, user_data) = match &mut element {
            SchemaElement::VertexLabel(own) => (&mut own.nullable_keys, &mut own.user_data),
            SchemaElement::EdgeLabel(own) => (&mut own.nullable_keys, &mut own.user_data),
            SchemaElement::PropertyKey(_) | SchemaElement::IndexLabel(_) => return Err(absent(label)),
        };
        let at = nullable.binary_search(&key);
        match (at, is_required) {
            (Ok(at), true) => drop(nullable.remove(at)),
            (Err(at), false) => nullable.insert(at, key),
            _ => {}
        }
        if is_required {
            user_data.set(note.0, note.1.to_owned());
        } else {
            user_data.remove(note.0);
        }
        self.with(element)
    }
}
