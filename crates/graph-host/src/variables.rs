//! Variables of a graph: named JSON values that clients keep along with the elements. Few and small; each is one row of
//! `meta`.

use graph_store::{Graph, StoreError};
use key_codec::key::{self, MetaKind};
use key_codec::{CodecError, tables};
use kv::{KeyBuf, RowRange, WriteBatch};

use crate::limits;

/// The variables of a graph. Costs nothing to make.
#[derive(Clone, Copy)]
pub struct Variables<'g> {
    graph: &'g Graph,
}

impl<'g> Variables<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Self {
        Self { graph }
    }

    /// Sets a variable to a value, given as JSON text.
    pub fn set(&self, name: &str, json: &str) -> Result<(), StoreError> {
        let (chars, limit) = (name.chars().count(), limits::VARIABLE_NAME_CHARS_MAX);
        if chars == 0 || chars > limit {
            return Err(StoreError::VariableName { chars, limit });
        }
        if json.len() > limits::VARIABLE_BYTES_MAX {
            return Err(StoreError::VariableTooLarge {
                name: name.to_owned(),
                bytes: json.len(),
                limit_bytes: limits::VARIABLE_BYTES_MAX,
            });
        }
        let _one_at_a_time = self.graph.lock_schema()?;
        if self.get(name)?.is_none() && self.all()?.len() >= limits::VARIABLES_MAX {
            return Err(StoreError::TooManyVariables { limit: limits::VARIABLES_MAX });
        }
        let mut batch = WriteBatch::new();
        batch.put(
            tables::META,
            |b| key::meta_partition(b, self.graph.number(), MetaKind::Variable),
            |b| key::meta_row_name(b, name),
            |v| v.extend_from_slice(json.as_bytes()),
        );
        Ok(self.graph.engine().commit(batch)?)
    }

    /// The value of a variable as JSON text.
    pub fn get(&self, name: &str) -> Result<Option<String>, StoreError> {
        let mut key = KeyBuf::new();
        key::meta_partition(key.bytes_mut(), self.graph.number(), MetaKind::Variable);
        key.end_partition();
        key::meta_row_name(key.bytes_mut(), name);
        let mut found = None;
        self.graph.engine().get(tables::META, key.as_key(), &mut |value| found = Some(text(value)))?;
        self.graph.unless_cleared(found.transpose()?)
    }

    /// All variables with their values as JSON text, by name.
    pub fn all(&self) -> Result<Vec<(String, String)>, StoreError> {
        let mut partition = Vec::new();
        key::meta_partition(&mut partition, self.graph.number(), MetaKind::Variable);
        let mut variables = Vec::new();
        let mut cursor = self.graph.engine().scan(tables::META, RowRange::all(&partition))?;
        while let Some(entry) = cursor.next()? {
            variables.push((key::read_meta_row_name(entry.key.row())?.into(), text(entry.value)?));
        }
        self.graph.unless_cleared(variables)
    }

    /// Deletes a variable; that it does not exist is fine.
    pub fn delete(&self, name: &str) -> Result<(), StoreError> {
        let _one_at_a_time = self.graph.lock_schema()?;
        let mut batch = WriteBatch::new();
        batch.delete(
            tables::META,
            |b| key::meta_partition(b, self.graph.number(), MetaKind::Variable),
            |b| key::meta_row_name(b, name),
        );
        Ok(self.graph.engine().commit(batch)?)
    }
}

fn text(bytes: &[u8]) -> Result<String, CodecError> {
    String::from_utf8(bytes.to_vec()).map_err(|error| CodecError {
        what: "variable",
        problem: "not UTF-8",
        at: error.utf8_error().valid_up_to(),
    })
}
