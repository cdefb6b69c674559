//! What a task has to say in the end.

/// What a task found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// What must change; each starts with the file, and the line where there is one.
    pub(crate) problems: Vec<String>,
    /// Worth knowing, no failure.
    pub(crate) notes: Vec<String>,
}
