//! Tasks: work the server does after it has answered.

/// Where a task is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskStatus {
    /// Waiting for its turn.
    Queued,
    /// At work.
    Running,
    /// Done.
    Success,
    /// Stopped on request.
    Cancelled,
    /// Given up; the result says why.
    Failed,
    /// At work, and told to stop.
    Cancelling,
}

impl TaskStatus {
    /// Every status; the position is the code in storage.
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Running, Self::Success, Self::Cancelled, Self::Failed, Self::Cancelling];

    /// The name in HugeGraph's answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Success => "success",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::Cancelling => "cancelling",
        }
    }

    /// Whether the task has ended.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Success | Self::Cancelled | Self::Failed)
    }
}

/// A task as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its number within the graph, from 1.
    pub id: u64,
    /// The kind of job: `remove_schema`.
    pub task_type: String,
    /// Its name: `VERTEX_LABEL:3:person`.
    pub name: String,
    /// The class a HugeGraph server would run, for clients that show it; only in tasks of earlier versions, else empty.
    pub callable: String,
    /// Where it is in its life.
    pub status: TaskStatus,
    /// How far it is, in a unit of its own.
    pub progress: u64,
    /// When it was made, in milliseconds since 1970 UTC.
    pub created_ms: i64,
    /// When it last changed, in milliseconds since 1970 UTC.
    pub updated_ms: i64,
    /// How often it was started again.
    pub retries: u32,
    /// Its result as JSON text, or the error of a failed one.
    pub result: Option<String>,
    /// What it works on, in the encoding of its job; empty where the job needs nothing, and in tasks of earlier
    /// versions.
    pub input: Vec<u8>,
}
