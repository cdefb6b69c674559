//! Traversals as names of operations with arguments: what drivers send, and what the parser makes of text.

use crate::error::Span;
use crate::value::{Text, Value};

/// A traversal before lowering.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bytecode {
    /// Calls on the traversal source, such as `withSack(1)`.
    pub source: Vec<Instruction>,
    /// Calls that add steps.
    pub steps: Vec<Instruction>,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The method's name.
    pub name: Text,
    /// Its arguments.
    pub arguments: Vec<Value>,
    /// Where it stands in the script; none if it came as bytecode.
    pub span: Option<Span>,
}

impl PartialEq for Instruction {
    /// Two calls are equal wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.arguments == other.arguments
    }
}

impl Instruction {
    /// A call that is not part of a script.
    #[must_use]
    pub fn new(name: &str, arguments: Vec<Value>) -> Self {
        Self { name: name.into(), arguments, span: None }
    }
}
