//! Operations by name and arguments.

use super::argument::{Argument, Arguments};
use super::{Op, SourceOp, Value};
use crate::error::ErrorKind;
use crate::operations::operations;

macro_rules! implementation {
    ($(#[$doc:meta])* $type:ident { $($variant:ident $name:literal { $($field:ident: $argument:ty),* })* }) => {
        impl $type {
            /// The names of all operations.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The operation's name in scripts and bytecode.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $name),* }
            }

            /// Makes the operation of a call; none if the name is none of them.
            pub(crate) fn from_call(name: &str, mut arguments: Arguments<'_>) -> Result<Option<Self>, ErrorKind> {
                let operation = match name {
                    $($name => Self::$variant { $($field: Argument::take(&mut arguments)?),* },)*
                    _ => return Ok(None),
                };
                arguments.finish()?;
                Ok(Some(operation))
            }

            /// The arguments of the call that makes this operation.
            #[must_use]
            pub fn arguments(&self) -> Vec<Value> {
                #[allow(unused_mut, clippy::allow_attributes, reason = "most operations have arguments")]
                let mut out = Vec::new();
                match self { $(Self::$variant { $($field),* } => { $($field.put(&mut out);)* }),* }
                out
            }
        }
    };
}

operations!(implementation);

impl Op {
    /// Whether `by()` may follow.
    #[must_use]
    pub fn takes_by(&self) -> bool {
        matches!(
            self,
            Self::Order { .. }
                | Self::Group { .. }
                | Self::GroupCount { .. }
                | Self::Dedup { .. }
                | Self::Sample { .. }
                | Self::Aggregate { .. }
                | Self::CyclicPath {}
                | Self::SimplePath {}
                | Self::Path {}
                | Self::Tree { .. }
                | Self::Project { .. }
                | Self::Select { .. }
                | Self::Where { .. }
                | Self::Sack { .. }
                | Self::Math { .. }
                | Self::PropertyMap { .. }
                | Self::ValueMap { .. }
                | Self::Format { .. }
        )
    }

    /// Whether `option()` may follow.
    #[must_use]
    pub fn takes_option(&self) -> bool {
        matches!(self, Self::Branch { .. } | Self::Choose { .. } | Self::MergeV { .. } | Self::MergeE { .. })
    }

    /// Whether `from()` and `to()` may follow.
    #[must_use]
    pub fn takes_ends(&self) -> bool {
        matches!(self, Self::AddE { .. } | Self::Path {} | Self::SimplePath {} | Self::CyclicPath {})
    }

    /// Whether the step writes to the graph or to a file.
    #[must_use]
    pub fn is_write(&self) -> bool {
        matches!(
            self,
            Self::AddV { .. }
                | Self::AddE { .. }
                | Self::MergeV { .. }
                | Self::MergeE { .. }
                | Self::Property { .. }
                | Self::Drop {}
                | Self::Io { .. }
        )
    }
}

/// Whether a name is that of a step, a modulator or another spelling of one.
#[must_use]
pub fn is_step(name: &str) -> bool {
    !name.is_empty() && (Op::NAMES.contains(&name) || crate::names::is_modulator(name) || crate::names::is_alias(name))
}
