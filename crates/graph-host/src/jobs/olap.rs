//! Analytical (OLAP) property keys: they are defined, cleared and removed, each with a task as in HugeGraph, so that
//! tools find what they expect. No label can have one. Their values are with the vertices, so defining one has no work
//! to do.

/// What is done to an analytical property key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OlapJob {
    /// Making room for its values.
    Create,
    /// Removing its values.
    Clear,
    /// Removing it with its values.
    Remove,
}

impl OlapJob {
    pub(super) const ALL: [Self; 3] = [Self::Create, Self::Clear, Self::Remove];

    pub(super) fn task_type(self) -> &'static str {
        match self {
            Self::Create => "create_olap",
            Self::Clear => "clear_olap",
            Self::Remove => "remove_olap",
        }
    }
}
