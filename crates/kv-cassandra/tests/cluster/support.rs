//! Where the cluster is, and a keyspace that tests share one after the other.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kv::TableSpec;
use kv::conformance::TABLES;
use kv_cassandra::{CassandraEngine, CassandraOptions};
use parking_lot::{Mutex, MutexGuard};
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::response::query_result::QueryResult;

/// Making keyspaces is slow, so there is one, emptied before each use.
const KEYSPACE: &str = "kv_tests";

/// Longer than the nodes need to agree on their tables.
const PATIENCE: Duration = Duration::from_secs(60);

static IN_USE: Mutex<()> = Mutex::new(());

/// The contact points.
pub(crate) fn contact_points() -> Vec<String> {
    let points = std::env::var("RHIZOME_TEST_CASSANDRA").expect(
        "RHIZOME_TEST_CASSANDRA names no nodes (host:port, ...); scripts/test-cassandra.sh starts some and sets it",
    );
    points.split(',').map(|point| point.trim().to_owned()).collect()
}

pub(crate) fn options() -> CassandraOptions {
    CassandraOptions {
        contact_points: contact_points(),
        keyspace: KEYSPACE.to_owned(),
        replication_factor: std::env::var("RHIZOME_TEST_CASSANDRA_REPLICAS").map_or(1, |text| text.parse().unwrap()),
        // Machines that run tests are busy.
        connect_timeout: Duration::from_secs(60),
        request_timeout: Duration::from_secs(60),
        ..CassandraOptions::default()
    }
}

/// The use of a keyspace, by one test at a time.
pub(crate) struct Store {
    _turn: MutexGuard<'static, ()>,
    keyspace: &'static str,
    tables: &'static [TableSpec],
}

impl Store {
    pub(crate) fn take() -> Self {
        Self::with_tables(KEYSPACE, TABLES)
    }

    /// A store with other tables, which need a keyspace of their own.
    pub(crate) fn with_tables(keyspace: &'static str, tables: &'static [TableSpec]) -> Self {
        Self { _turn: IN_USE.lock(), keyspace, tables }
    }

    /// An engine without content.
    pub(crate) fn fresh(&self) -> CassandraEngine {
        let engine = self.open();
        let names = self.tables.iter().map(|table| table.name).chain(["kv_intents"]);
        for name in names {
            let (text, since) = (format!("TRUNCATE {}.\"{name}\"", self.keyspace), Instant::now());
            // A node that the engine had no connection to when it made the tables learns of them a little later.
            while let Err(error) = try_run(&text) {
                assert!(error.contains("does not exist") && since.elapsed() < PATIENCE, "{text}: {error}");
                std::thread::sleep(Duration::from_millis(200));
            }
        }
        engine
    }

    pub(crate) fn open(&self) -> CassandraEngine {
        let options = CassandraOptions { keyspace: self.keyspace.to_owned(), ..options() };
        CassandraEngine::open(&options, self.tables).unwrap()
    }
}

/// Runs a statement as an administrator would.
pub(crate) fn cql(text: &str) {
    drop(run(text));
}

/// Rows of a table.
pub(crate) fn count(table: &str) -> i64 {
    let rows = run(&format!("SELECT count(*) FROM {table}")).into_rows_result().unwrap();
    rows.single_row::<(i64,)>().unwrap().0
}

fn run(text: &str) -> QueryResult {
    try_run(text).unwrap()
}

fn try_run(text: &str) -> Result<QueryResult, String> {
    static SESSION: OnceLock<(tokio::runtime::Runtime, Session)> = OnceLock::new();
    let (runtime, session) = SESSION.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let builder = SessionBuilder::new()
            .known_nodes(contact_points())
            .connection_timeout(Duration::from_secs(60))
            .keyspaces_to_fetch([KEYSPACE]);
        let session = runtime.block_on(builder.build()).unwrap();
        (runtime, session)
    });
    runtime.block_on(session.query_unpaged(text, ())).map_err(|error| error.to_string())
}
