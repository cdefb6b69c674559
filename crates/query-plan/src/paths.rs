//! What is kept of paths.

/// What is kept of the way a traverser came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paths {
    /// Nothing.
    #[default]
    None,
    /// Values that have a label.
    Labels,
    /// Everything.
    Full,
}
