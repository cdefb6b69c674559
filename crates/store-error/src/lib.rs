//! What can go wrong with a store, and with a graph in it?
//!
//! What it is: [`StoreError`], the one error of everything between the storage engines and the protocols, with the kind
//! that says what it means to the caller. What it is not: it knows no protocol; statuses and classes are made of it at
//! the edge.

use edge_rows::RowsError;
use graph_access::{AccessError, Interrupted};
use graph_model::{ErrorKind, IdError};
use graph_schema::{ElementError, SchemaError};
use key_codec::CodecError;
use kv::KvError;

/// An end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where it starts (`outV`).
    Source,
    /// Where it ends (`inV`).
    Target,
}

impl End {
    /// The field of the edge that names it.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::Source => "outV",
            Self::Target => "inV",
        }
    }
}

/// A failed operation on a store or a graph.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// No graph of this name.
    #[error("graph '{name}' does not exist")]
    GraphNotFound {
        /// The name given.
        name: String,
    },
    /// A name no graph can have.
    #[error(
        "'{name}' is no name for a graph: use letters, digits and '_', beginning with a letter, at most {limit_chars} \
         characters"
    )]
    GraphName {
        /// The name given, cut off after the longest allowed.
        name: String,
        /// The most characters of a name.
        limit_chars: usize,
    },
    /// There is a graph of this name.
    #[error("graph '{name}' exists already; choose another name, or drop it first")]
    GraphExists {
        /// Its name.
        name: String,
    },
    /// The graph that is always there.
    #[error("graph '{name}' is the default graph (graph.default) and cannot be dropped; clear it instead")]
    DefaultGraph {
        /// Its name.
        name: String,
    },
    /// As many graphs as there may be.
    #[error("there are {limit} graphs already, which is the limit (graph.graphs_max); drop one, or raise the limit")]
    TooManyGraphs {
        /// `graph_host::StoreOptions::graphs_max`.
        limit: usize,
    },
    /// A configuration that is too large to keep.
    #[error(
        "the configuration of a graph may have {limit_bytes} bytes, but this one has {bytes}; \
        leave out what is not needed"
    )]
    ConfTooLarge {
        /// Bytes of all keys and values.
        bytes: usize,
        /// `GRAPH_CONF_BYTES_MAX`.
        limit_bytes: usize,
    },
    /// The schema cannot be kept while a task changes it.
    #[error("a task is at work on '{name}' of graph '{graph}'; wait for its end, or clear the schema too")]
    SchemaInMotion {
        /// The graph.
        graph: String,
        /// The schema element.
        name: String,
    },
    /// No snapshot to resume.
    #[error("graph '{graph}' has no snapshot; make one first with snapshot_create")]
    NoSnapshot {
        /// The graph.
        graph: String,
    },
    /// Only one of these is done at a time.
    #[error("{what} is at work already; try again when it is done")]
    Busy {
        /// What.
        what: &'static str,
    },
    /// The engine as configured cannot show one moment in time.
    #[error("snapshots need an engine that can show one moment in time; this one cannot as it is configured")]
    NoSnapshotReads,
    /// The graph was cleared, dropped or replaced by its snapshot while the request was at work.
    #[error("graph '{name}' was cleared, dropped or replaced by its snapshot meanwhile; send the request again")]
    GraphCleared {
        /// Its name.
        name: String,
    },
    /// A definition or change of the schema that is refused.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// An element that breaks the schema's rules.
    #[error("{}{error}", at(*.index))]
    Element {
        /// Position in the batch, from 0; `None` for a single element.
        index: Option<usize>,
        /// What is wrong. Boxed, since it is large and rare.
        #[source]
        error: Box<ElementError>,
    },
    /// A malformed id.
    #[error(transparent)]
    Id(#[from] IdError),
    /// No vertex with this id.
    #[error("vertex {id} does not exist")]
    VertexNotFound {
        /// The id as a literal.
        id: String,
    },
    /// No edge with this id.
    #[error("edge '{id}' does not exist")]
    EdgeNotFound {
        /// The id as text.
        id: String,
    },
    /// An edge to or from a vertex that does not exist.
    #[error(
        "{}the vertex {id} named by '{}' does not exist; insert it first, or write with check_vertex=false",
        at(*.index),
        .end.field()
    )]
    EndNotFound {
        /// Position in the batch, from 0; `None` for a single edge.
        index: Option<usize>,
        /// Which end.
        end: End,
        /// The id as a literal.
        id: String,
    },
    /// An edge whose end has another label than the edge says.
    #[error(
        "{}the vertex {id} named by '{}' has label '{actual}', not '{expected}'",
        at(*.index),
        .end.field()
    )]
    EndLabel {
        /// Position in the batch, from 0; `None` for a single edge.
        index: Option<usize>,
        /// Which end.
        end: End,
        /// The id as a literal.
        id: String,
        /// The vertex label stored.
        actual: String,
        /// The vertex label the edge needs.
        expected: String,
    },
    /// An element with the same values as another one, where a unique index forbids that.
    #[error(
        "{}unique index label '{index_label}' forbids {element} with {values}, which {holder} has already",
        at(*.index)
    )]
    UniqueConflict {
        /// Position in the batch, from 0; `None` for a single element.
        index: Option<usize>,
        /// Name of the index label.
        index_label: String,
        /// Fields and values, for people.
        values: String,
        /// The element refused, for people.
        element: String,
        /// The element that has the values, for people.
        holder: String,
    },
    /// A text of too many words, a collection of too many items or a number of too many digits for an index.
    #[error(
        "{}the value for index label '{index_label}' has {count} words, items or bytes of digits, the limit is {limit}",
        at(*.index)
    )]
    TooManyTokens {
        /// Position in the batch, from 0; `None` for a single element.
        index: Option<usize>,
        /// Name of the index label.
        index_label: String,
        /// How many there are.
        count: usize,
        /// `INDEX_ENTRIES_PER_ELEMENT_MAX`, [`key_codec::tagged_key::NUMBER_BYTES_MAX`].
        limit: usize,
    },
    /// Too many index entries in one batch.
    #[error("the batch changes more than {limit} index entries; send fewer elements at a time")]
    TooManyIndexEntries {
        /// `INDEX_ENTRIES_PER_BATCH_MAX`.
        limit: usize,
    },
    /// A query that needs an index.
    #[error("{query} needs an index that does not exist: {hint}")]
    NoIndex {
        /// What was asked for.
        query: String,
        /// What to do.
        hint: String,
    },
    /// A query over more values than can be looked up one by one.
    #[error("the query asks for more than {limit} values or combinations of values; ask for fewer at once")]
    TooManyRanges {
        /// `INDEX_RANGES_MAX`.
        limit: usize,
    },
    /// A traversal without a start.
    #[error("no vertex has these ids, or this label and these properties: there is nothing to start at")]
    NothingSelected,
    /// A traversal with too many starts.
    #[error("more than {limit} vertices are selected to start at; select fewer")]
    TooManySelected {
        /// `SELECTED_VERTICES_MAX`.
        limit: usize,
    },
    /// A scan of more elements than one answer may hold.
    #[error(
        "Too many records: the scan has more than {limit}; read it page by page with 'page' and 'page_limit', \
        or in smaller shards"
    )]
    TooManyRecords {
        /// `SCAN_RECORDS_MAX`.
        limit: u64,
    },
    /// A bound of a scan that no shard of this graph has.
    #[error("'{name}' is no bound of a shard of this graph; take 'start' and 'end' from its shards")]
    ShardBound {
        /// Which one.
        name: &'static str,
    },
    /// A page token that is damaged or belongs to another query.
    #[error("the page token is not valid for this query: {reason}; start again with an empty 'page'")]
    Page {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No task of this number.
    #[error("task {id} does not exist")]
    TaskNotFound {
        /// The number given.
        id: u64,
    },
    /// A task that has not ended cannot be deleted; one that has cannot be cancelled.
    #[error("task {id} is {status}: {hint}")]
    TaskState {
        /// Its number.
        id: u64,
        /// Its status.
        status: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// What a task ran has failed; the message is its own.
    #[error("{message}")]
    JobFailed {
        /// What the failure means.
        kind: ErrorKind,
        /// What happened.
        message: String,
    },
    /// Refused by who looks at what is written ([`graph_access::WriteCheck`]).
    #[error(transparent)]
    Refused(#[from] AccessError),
    /// A task is of a kind this server has no job for.
    #[error("no job of this server is called '{kind}'")]
    UnknownJob {
        /// The type of the task.
        kind: String,
    },
    /// Too many tasks wait.
    #[error("{limit} tasks are waiting already; try again when some have ended")]
    TooManyTasks {
        /// How many may wait.
        limit: usize,
    },
    /// An index label could not be built.
    #[error("the index label '{name}' could not be built: {reason}; its index is not used until it is rebuilt")]
    IndexNotBuilt {
        /// Its name.
        name: String,
        /// What its task says.
        reason: String,
    },
    /// A variable without a name, or with too long a one.
    #[error("a variable's name must have 1 to {limit} characters, but has {chars}")]
    VariableName {
        /// Its length.
        chars: usize,
        /// `graph_host::limits::VARIABLE_NAME_CHARS_MAX`.
        limit: usize,
    },
    /// A variable with too large a value.
    #[error("the value of variable '{name}' has {bytes} bytes, the limit is {limit_bytes}")]
    VariableTooLarge {
        /// Its name.
        name: String,
        /// Its length as JSON text.
        bytes: usize,
        /// `graph_host::limits::VARIABLE_BYTES_MAX`.
        limit_bytes: usize,
    },
    /// Too many variables.
    #[error("the graph has {limit} variables already, which is the limit; delete some")]
    TooManyVariables {
        /// `graph_host::limits::VARIABLES_MAX`.
        limit: usize,
    },
    /// A transaction that writes more than fits a batch.
    #[error(
        "the transaction writes more than {limit_rows} rows or {limit_bytes} bytes; nothing of it is stored; \
         write in several smaller ones"
    )]
    TransactionTooLarge {
        /// `TRANSACTION_ROWS_MAX`.
        limit_rows: usize,
        /// `TRANSACTION_BYTES_MAX`.
        limit_bytes: usize,
    },
    /// A transaction that was open for too long.
    #[error("the transaction was open for more than {limit_ms} ms; nothing of it is stored; do it again, faster")]
    TransactionTooOld {
        /// `EXPIRY_WRITE_MS_MAX`.
        limit_ms: i64,
    },
    /// The schema is not the one a transaction began with.
    #[error("the schema has changed since the transaction began; nothing of it is stored; do it again")]
    SchemaChanged,
    /// The deadline passed.
    #[error(
        "the request took longer than {limit_ms} ms and was stopped; ask for less, or raise server.request_timeout_ms \
         (for drivers: bolt.query_timeout_ms, gremlin.evaluation_timeout_ms)"
    )]
    Timeout {
        /// The limit.
        limit_ms: u64,
    },
    /// The caller went away.
    #[error("the request was cancelled")]
    Cancelled,
    /// The store is being closed.
    #[error("the server is stopping; what was begun goes on after the next start")]
    Closing,
    /// The id a client gave a new edge of an auto graph is another edge's.
    #[error("{}the id of the edge is taken: edge {holder} has it; choose another, or leave it out", at(*.index))]
    EdgeIdTaken {
        /// Position in the request, where that is a list.
        index: Option<usize>,
        /// The edge that has it.
        holder: String,
    },
    /// A value of the setting `schema.mode` that there is not, or a change of it.
    #[error("schema.mode {reason}")]
    SchemaMode {
        /// What is wrong, what to do.
        reason: String,
    },
    /// What is not done with a graph whose schema is made by its writes.
    #[error("graph '{graph}' has schema.mode={mode}: {reason}")]
    WrongSchemaMode {
        /// Its name.
        graph: String,
        /// Its mode.
        mode: &'static str,
        /// What is not done, what to do instead.
        reason: &'static str,
    },
    /// A write would have to wait for another one; asked not to, it did nothing.
    #[error("another write to the same elements is at work")]
    Contended,
    /// A walk has met more vertices than there are numbers for.
    #[error("the walk meets more than {} vertices; ask for fewer steps or edges", adjacency::limits::NUMBERS_MAX)]
    TooManyVertices,
    /// The schema kept changing.
    #[error("the schema changed too often while the request was at work; send it again")]
    SchemaBusy,
    /// What this server has in memory may be out of date: it has not been able to look for too long.
    #[error(
        "this server has not been able to see for {since_ms} ms what other servers changed (cluster.stale_ms), \
        so it does not write; \
         try again in a moment, or another server"
    )]
    Stale {
        /// Since when.
        since_ms: u64,
    },
    /// Nothing is written while files of the store are copied.
    #[error("writes are stopped for a backup, for {for_ms} ms at most (rhizome backup freeze); try again after it")]
    Frozen {
        /// How much longer, at most.
        for_ms: u64,
    },
    /// Another server is changing schema or graphs.
    #[error(
        "server {server} has been changing the schema or the graphs for {waited_ms} ms (cluster.change_wait_ms); \
        try again in a moment"
    )]
    ChangeBusy {
        /// Which one.
        server: String,
        /// How long this one waited.
        waited_ms: u64,
    },
    /// Writers of other servers have the same elements, or those near them.
    #[error(
        "other servers have been writing the same elements for {waited_ms} ms, or do not know of this one yet; \
        try again in a moment"
    )]
    StripesBusy {
        /// How long this one waited.
        waited_ms: u64,
    },
    /// A server that lives has not come to see a change.
    #[error(
        "server {server} has not taken over a change for {waited_ms} ms: \
        writes that began before it are still at work there"
    )]
    ServerBehind {
        /// Which one.
        server: String,
        /// How long this one waited.
        waited_ms: u64,
    },
    /// What this server wrote about itself is not there.
    #[error(
        "server {server} does not find its own row in the store: \
        another one deleted it, or the clocks of the storage nodes differ"
    )]
    NotListed {
        /// Which one.
        server: String,
    },
    /// A copy of a graph is not what was copied.
    #[error(
        "the copy differs: {written} rows of table {table} were written and {found} are there, \
        or their contents differ; \
         see that nothing writes the source, and copy again"
    )]
    CopyDiffers {
        /// Which table.
        table: &'static str,
        /// Rows read from the source.
        written: u64,
        /// Rows found in the target.
        found: u64,
    },
    /// The store was written by another version of this program.
    #[error(
        "the data has format version {found}, this program reads version {supported}; \
         use the program that wrote it, or export and load the data"
    )]
    FormatVersion {
        /// The version found.
        found: u64,
        /// The version this program writes.
        supported: u32,
    },
    /// The storage engine failed.
    #[error(transparent)]
    Kv(#[from] KvError),
    /// Stored bytes are damaged.
    #[error("stored data is damaged ({0}); restore from a backup")]
    Corrupt(#[from] CodecError),
    /// Stored schema elements contradict each other.
    #[error("the stored schema is damaged: {0}")]
    CorruptSchema(SchemaError),
}

fn at(index: Option<usize>) -> String {
    index.map_or_else(String::new, |index| format!("[{index}]: "))
}

impl From<Interrupted> for StoreError {
    fn from(interrupted: Interrupted) -> Self {
        match interrupted {
            Interrupted::Cancelled => Self::Cancelled,
            Interrupted::Timeout { limit_ms } => Self::Timeout { limit_ms },
        }
    }
}

impl From<RowsError> for StoreError {
    fn from(error: RowsError) -> Self {
        match error {
            RowsError::Kv(error) => error.into(),
            RowsError::Codec(error) => error.into(),
            RowsError::Interrupted(interrupted) => interrupted.into(),
            RowsError::TooManyVertices => Self::TooManyVertices,
        }
    }
}

impl From<StoreError> for AccessError {
    fn from(error: StoreError) -> Self {
        // To who sends a request its content is wrong, as in HugeGraph; to a query a rule of the schema is.
        let is_taken = matches!(error, StoreError::UniqueConflict { .. });
        Self::new(if is_taken { ErrorKind::NotAllowed } else { error.kind() }, error.to_string())
    }
}

impl StoreError {
    /// An element error at a position.
    #[must_use]
    pub fn element(index: Option<usize>, error: ElementError) -> Self {
        Self::Element { index, error: Box::new(error) }
    }

    /// The error of an edge's end without its position in the request, and the position apart.
    #[must_use]
    pub fn without_index(self) -> (Option<usize>, Self) {
        match self {
            Self::EndNotFound { index, end, id } => (index, Self::EndNotFound { index: None, end, id }),
            Self::EndLabel { index, end, id, actual, expected } => {
                (index, Self::EndLabel { index: None, end, id, actual, expected })
            }
            other => (None, other),
        }
    }

    /// The kind of the error: what it means to the caller.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::GraphNotFound { .. }
            | Self::VertexNotFound { .. }
            | Self::EdgeNotFound { .. }
            | Self::TaskNotFound { .. } => ErrorKind::NotFound,
            Self::Schema(error) => error.kind(),
            Self::JobFailed { kind, .. } => *kind,
            Self::Refused(error) => error.kind,
            Self::GraphExists { .. } => ErrorKind::AlreadyExists,
            Self::TooManyGraphs { .. } => ErrorKind::LimitExceeded,
            Self::DefaultGraph { .. } | Self::SchemaInMotion { .. } => ErrorKind::NotAllowed,
            Self::NoSnapshotReads | Self::UnknownJob { .. } | Self::WrongSchemaMode { .. } => ErrorKind::NotSupported,
            Self::GraphName { .. }
            | Self::ConfTooLarge { .. }
            | Self::SchemaMode { .. }
            | Self::NoSnapshot { .. }
            | Self::Element { .. }
            | Self::Id(_)
            | Self::EndNotFound { .. }
            | Self::EndLabel { .. }
            | Self::UniqueConflict { .. }
            | Self::EdgeIdTaken { .. }
            | Self::IndexNotBuilt { .. }
            | Self::TooManyTokens { .. }
            | Self::TooManyIndexEntries { .. }
            | Self::Page { .. }
            | Self::ShardBound { .. }
            | Self::NothingSelected
            | Self::TaskState { .. }
            | Self::VariableName { .. } => ErrorKind::BadInput,
            Self::VariableTooLarge { .. } | Self::TooManyVariables { .. } | Self::TransactionTooLarge { .. } => {
                ErrorKind::LimitExceeded
            }
            Self::NoIndex { .. } => ErrorKind::NoIndex,
            Self::TooManyVertices
            | Self::TooManyRanges { .. }
            | Self::TooManySelected { .. }
            | Self::TooManyRecords { .. } => ErrorKind::LimitExceeded,
            Self::TooManyTasks { .. }
            | Self::Busy { .. }
            | Self::GraphCleared { .. }
            | Self::Contended
            | Self::Stale { .. }
            | Self::Frozen { .. }
            | Self::ChangeBusy { .. }
            | Self::StripesBusy { .. }
            | Self::ServerBehind { .. }
            | Self::NotListed { .. }
            | Self::SchemaChanged
            | Self::SchemaBusy => ErrorKind::Overloaded,
            Self::Timeout { .. } | Self::TransactionTooOld { .. } => ErrorKind::Timeout,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::Closing => ErrorKind::Unavailable,
            Self::FormatVersion { .. } => ErrorKind::Unavailable,
            Self::CopyDiffers { .. } => ErrorKind::Internal,
            Self::Corrupt(_) | Self::CorruptSchema(_) => ErrorKind::Corrupt,
            Self::Kv(error) => match error {
                KvError::Corrupt { .. } => ErrorKind::Corrupt,
                // Too long an id or a value, or too many entries of indexes: what a client sent.
                KvError::KeyTooLong { .. } | KvError::ValueTooLong { .. } | KvError::BatchTooLarge { .. } => {
                    ErrorKind::BadInput
                }
                KvError::Unsupported { .. } => ErrorKind::NotSupported,
                KvError::Timeout { .. }
                | KvError::SnapshotTooOld { .. }
                | KvError::DiskFull { .. }
                | KvError::Locked { .. }
                | KvError::Unavailable { .. }
                | KvError::Closed => ErrorKind::Unavailable,
                _ => ErrorKind::Internal,
            },
        }
    }
}
