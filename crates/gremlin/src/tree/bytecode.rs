//! Calls: what drivers send, and what the parser makes of text.

use super::{Instruction, Value};

impl Instruction {
    /// A call that is not part of a script.
    #[must_use]
    pub fn new(name: &str, arguments: Vec<Value>) -> Self {
        Self { name: name.into(), arguments, span: None }
    }
}
