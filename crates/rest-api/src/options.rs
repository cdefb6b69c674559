//! How the server is run.

use serving::Worker;

/// What the server admits and gives out. The names are those of the settings.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open connections; one beyond it is answered 503 and closed (`server.connections_max`).
    pub connections_max: usize,
    /// Requests being worked on at one time; beyond it the answer is 503 (`server.requests_in_flight_max`).
    pub requests_in_flight_max: usize,
    /// Bytes of request bodies held at one time; beyond it the answer is 503 (`server.bytes_in_flight_max`).
    pub bytes_in_flight_max: usize,
    /// Largest request body after decompression; beyond it the answer is 413 (`server.request_body_bytes_max`).
    pub request_body_bytes_max: usize,
    /// Largest list; beyond it the answer is 400 (`graph.response_bytes_max`).
    pub response_bytes_max: usize,
    /// Time from the last byte of a request to its answer; beyond it the answer is 503 (`server.request_timeout_ms`).
    pub request_timeout_ms: u64,
    /// Time from the first byte of a request's head to its last (`server.header_read_timeout_ms`).
    pub header_read_timeout_ms: u64,
    /// Time an idle connection is kept (`server.keep_alive_idle_timeout_ms`).
    pub keep_alive_idle_timeout_ms: u64,
    /// Vertices in one batch (`graph.batch_vertices_max`).
    pub batch_vertices_max: usize,
    /// Edges in one batch (`graph.batch_edges_max`).
    pub batch_edges_max: usize,
    /// Elements in a list that does not say `limit` (`graph.list_limit_default`).
    pub list_limit_default: u64,
    /// Bytes one traversal may hold; beyond it the answer is 400 (`server.traversal_memory_bytes_max`).
    pub traversal_memory_bytes_max: usize,
    /// Threads for reads that can take long, and as many for such writes (`server.blocking_threads`).
    pub blocking_threads: usize,
    /// Reads that wait for such a thread; beyond it the answer is 503 (`server.waiting_queries_max`).
    pub waiting_queries_max: usize,
    /// Writes that wait for a thread, of batches and of others; beyond it the answer is 503
    /// (`server.waiting_writes_max`).
    pub waiting_writes_max: usize,
    /// Time for which a thread that serves connections looks for more before it sleeps, in microseconds; 0: none
    /// (`server.busy_poll_us`).
    pub busy_poll_us: u64,
    /// How far the threads of long reads stand back behind others: 0 not at all; 1 to 19 they run when nobody else
    /// wants to, and with this niceness where that is never (`server.query_niceness`).
    pub query_niceness: u8,
    /// The same on a storage engine over a network, where every request that touches storage waits on one
    /// (`server.remote_threads`).
    pub remote_threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 16_000,
            requests_in_flight_max: 16_000,
            bytes_in_flight_max: 256 * 1024 * 1024,
            request_body_bytes_max: 16 * 1024 * 1024,
            response_bytes_max: 64 * 1024 * 1024,
            request_timeout_ms: 30_000,
            header_read_timeout_ms: 10_000,
            keep_alive_idle_timeout_ms: 75_000,
            batch_vertices_max: 500,
            batch_edges_max: 500,
            list_limit_default: 100,
            traversal_memory_bytes_max: 256 * 1024 * 1024,
            blocking_threads: 8,
            waiting_queries_max: 256,
            waiting_writes_max: 128,
            busy_poll_us: 100,
            query_niceness: 10,
            remote_threads: 64,
        }
    }
}

/// How the server is run.
#[derive(Clone, Debug, Default)]
pub struct ApiOptions {
    /// What it admits and gives out.
    pub limits: Limits,
    /// Where connections are served. Without any, on the runtime that accepts them.
    pub workers: Vec<Worker>,
    /// Adds routes under `/test/` that panic and sleep, for tests of the server itself.
    #[doc(hidden)]
    pub test_routes: bool,
}
