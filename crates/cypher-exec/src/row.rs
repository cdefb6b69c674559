//! Rows of slots.

use cypher_value::Value;

use cypher_plan::Slot;

/// Values by their slots; what was never set is null.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row(Vec<Value>);

const NULL: &Value = &Value::Null;

impl Row {
    /// A row of nulls.
    pub(crate) fn empty(width: usize) -> Self {
        Self(vec![Value::Null; width])
    }

    pub(crate) fn get(&self, slot: Slot) -> &Value {
        self.0.get(slot).unwrap_or(NULL)
    }

    pub(crate) fn set(&mut self, slot: Slot, value: Value) {
        if slot >= self.0.len() {
            self.0.resize(slot + 1, Value::Null);
        }
        if let Some(own) = self.0.get_mut(slot) {
            *own = value;
        }
    }

    /// Takes a value out.
    pub(crate) fn take(&mut self, slot: Slot) -> Value {
        self.0.get_mut(slot).map(std::mem::take).unwrap_or_default()
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        u64::try_from(self.0.len()).unwrap_or(u64::MAX).saturating_mul(crate::limits::VALUE_BYTES)
    }
}
