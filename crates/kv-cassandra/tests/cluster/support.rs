//! Where the cluster is, and a keyspace that tests share one after the other.

use std::sync::OnceLock;
use std::time::Duration;

use kv::conformance::TABLES;
use kv_cassandra::{CassandraEngine, CassandraOptions};
use parking_lot::{Mutex, MutexGuard};
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::response::query_result::QueryResult;

/// Making keyspaces is slow, so there is one, emptied before each use.
const KEYSPACE: &str = "kv_tests";

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

/// The use of the shared keyspace, by one test at a time.
pub(crate) struct Store {
    _turn: MutexGuard<'static, ()>,
}

impl Store {
    pub(crate) fn take() -> Self {
        Self { _turn: IN_USE.lock() }
    }

    /// An engine without content.
    pub(crate) fn fresh(&self) -> CassandraEngine {
        let engine = CassandraEngine::open(&options(), TABLES).unwrap();
        let names = TABLES.iter().map(|table| table.name).chain(["kv_intents"]);
        for name in names {
            cql(&format!("TRUNCATE {KEYSPACE}.\"{name}\""));
        }
        engine
    }

    pub(crate) fn open(&self) -> CassandraEngine {
        CassandraEngine::open(&options(), TABLES).unwrap()
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
    runtime.block_on(session.query_unpaged(text, ())).unwrap()
}
