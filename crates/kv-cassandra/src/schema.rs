//! The first contact: connecting, and the keyspace with its tables.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use kv::{KvError, TableId, TableSpec};
use scylla::client::PoolSize;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::errors::{DbError, ExecutionError, RequestAttemptError};
use scylla::policies::load_balancing::{DefaultPolicy, LoadBalancingPolicy};
use scylla::policies::speculative_execution::SimpleSpeculativeExecutionPolicy;
use scylla::response::query_result::QueryRowsResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::Statement;
use tokio::time::{Instant, timeout};

use crate::client::Client;
use crate::clock::now_micros;
use crate::coordinators::Coordinators;
use crate::error::unexpected;
use crate::limits::{
    CLOCK_SKEW_WARNED, INTENT_GC_GRACE_SECONDS, KEEPALIVE, NODES_LOOK_EVERY, SCHEMA_TIMEOUT, SPECULATIVE_READ_AFTER,
};
use crate::options::CassandraOptions;
use crate::refusal::{broken, not_connected};
use crate::{intent, tls};

/// Version of how tables are laid out; another one is refused.
const FORMAT: &[u8] = b"1";

/// The table that says so.
const SETTINGS: &str = "kv_settings";

/// Connects, and makes what is missing.
pub(crate) async fn open(options: &CassandraOptions, tables: &'static [TableSpec]) -> Result<Client, KvError> {
    let policy = Arc::new(Coordinators::new(policy(options)));
    let session = connect(options, Arc::clone(&policy) as _).await?;
    check_datacenters(&session, options)?;
    let client = Client::new(session, policy, options.clone(), tables);
    match timeout(SCHEMA_TIMEOUT, prepare_keyspace(&client)).await {
        Ok(outcome) => outcome?,
        Err(_) => {
            let limit_ms = u64::try_from(SCHEMA_TIMEOUT.as_millis()).unwrap_or(u64::MAX);
            return Err(KvError::Timeout { limit_ms });
        }
    }
    compare_clocks(&client).await?;
    Ok(client)
}

/// Requests go to replicas of what they are about, in the local datacenter where one is named.
fn policy(options: &CassandraOptions) -> Arc<dyn LoadBalancingPolicy> {
    let mut policy = DefaultPolicy::builder().token_aware(true).permit_dc_failover(false);
    if let Some(datacenter) = &options.local_datacenter {
        policy = policy.prefer_datacenter(datacenter.clone());
    }
    policy.build()
}

async fn connect(options: &CassandraOptions, policy: Arc<dyn LoadBalancingPolicy>) -> Result<Session, KvError> {
    let speculative = SimpleSpeculativeExecutionPolicy { max_retry_count: 1, retry_interval: SPECULATIVE_READ_AFTER };
    let profile = ExecutionProfile::builder()
        .consistency(options.consistency.of_requests())
        .serial_consistency(Some(options.consistency.of_swaps()))
        .load_balancing_policy(policy)
        .speculative_execution_policy(Some(Arc::new(speculative)))
        // Attempts are timed here, so that they can be repeated.
        .request_timeout(None)
        .build();
    let mut builder = SessionBuilder::new()
        .known_nodes(&options.contact_points)
        .connection_timeout(options.connect_timeout)
        .pool_size(PoolSize::PerHost(NonZeroUsize::new(options.connections_per_node).unwrap_or(NonZeroUsize::MIN)))
        .keepalive_interval(KEEPALIVE)
        .keepalive_timeout(KEEPALIVE)
        .schema_agreement_timeout(SCHEMA_TIMEOUT)
        .keyspaces_to_fetch([options.keyspace.clone()])
        .default_execution_profile_handle(profile.into_handle());
    if let Some(credentials) = &options.credentials {
        builder = builder.user(&credentials.user, &credentials.password);
    }
    if let Some(tls) = &options.tls {
        builder = builder.tls_context(Some(tls::client_config(tls)?));
    }
    match timeout(options.connect_timeout, builder.build()).await {
        Ok(Ok(session)) => Ok(session),
        Ok(Err(error)) => Err(not_connected(options, &error)),
        Err(_) => Err(KvError::Unavailable {
            detail: format!(
                "no Cassandra node answered at {} within {} ms; check the contact points and that the cluster runs; {}",
                options.contacts(),
                options.connect_timeout.as_millis(),
                broken(options)
            ),
        }),
    }
}

/// Nodes by datacenter.
fn nodes(session: &Session) -> BTreeMap<String, usize> {
    let mut nodes = BTreeMap::new();
    for node in session.get_cluster_state().get_nodes_info() {
        *nodes.entry(node.datacenter.clone().unwrap_or_default()).or_default() += 1;
    }
    nodes
}

fn check_datacenters(session: &Session, options: &CassandraOptions) -> Result<(), KvError> {
    let nodes = nodes(session);
    let asked = options.local_datacenter.iter().chain(options.datacenters.iter().map(|(name, _)| name));
    for name in asked {
        if !nodes.contains_key(name) {
            let known: Vec<&str> = nodes.keys().map(String::as_str).collect();
            let detail = format!("the cluster has no datacenter '{name}'; it has: {}", known.join(", "));
            return Err(KvError::Other { detail });
        }
    }
    Ok(())
}

async fn prepare_keyspace(client: &Client) -> Result<(), KvError> {
    let (session, options) = (&client.session, &client.options);
    let keyspace = &options.keyspace;
    const REPLICATION: &str = "SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?";
    let found = select(client, REPLICATION, (keyspace,)).await?;
    let replication: Option<(BTreeMap<String, String>,)> =
        found.maybe_first_row().map_err(|error| unexpected("the replication of a keyspace", &error))?;
    match replication {
        Some((replication,)) => check_replication(client, &wanted(&replication, session)).await?,
        None => {
            let wanted = match options.datacenters.is_empty() {
                true => nodes(session).into_keys().map(|name| (name, options.replication_factor)).collect(),
                false => options.datacenters.clone(),
            };
            check_replication(client, &wanted).await?;
            let text = format!("CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = {}", options.replication());
            tracing::info!(%keyspace, replication = options.replication(), "making the keyspace");
            define(client, &text).await?;
        }
    }
    prepare_tables(client).await
}

/// Replicas by datacenter (or of all, under an empty name) that a keyspace has.
fn wanted(replication: &BTreeMap<String, String>, session: &Session) -> Vec<(String, usize)> {
    let class = replication.get("class").map_or("", String::as_str);
    let factor = |text: &String| text.split('/').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    if class.ends_with("SimpleStrategy") {
        return replication.get("replication_factor").map(|text| (String::new(), factor(text))).into_iter().collect();
    }
    let known = nodes(session);
    replication
        .iter()
        .filter(|(name, _)| known.contains_key(*name))
        .map(|(name, text)| (name.clone(), factor(text)))
        .collect()
}

/// More replicas than nodes: no majority might ever answer. Nodes learn of each other by gossip, so those of a cluster
/// that has just been started may not know all others yet: the answer counts once the time for connecting is over.
async fn check_replication(client: &Client, wanted: &[(String, usize)]) -> Result<(), KvError> {
    let deadline = Instant::now() + client.options.connect_timeout;
    loop {
        let Err(error) = enough_nodes(client, wanted) else { return Ok(()) };
        if Instant::now() + NODES_LOOK_EVERY >= deadline {
            return Err(error);
        }
        tokio::time::sleep(NODES_LOOK_EVERY).await;
        if let Err(error) = client.session.refresh_metadata().await {
            tracing::warn!(%error, "looking for the nodes of the cluster again");
        }
    }
}

fn enough_nodes(client: &Client, wanted: &[(String, usize)]) -> Result<(), KvError> {
    let keyspace = &client.options.keyspace;
    let nodes = nodes(&client.session);
    for (datacenter, factor) in wanted {
        let (place, count) = match datacenter.as_str() {
            "" => ("the cluster".to_owned(), nodes.values().sum()),
            name => (format!("datacenter {name}"), nodes.get(name).copied().unwrap_or(0)),
        };
        if *factor > count {
            let detail = format!(
                "keyspace {keyspace} is to have {factor} replicas, but {place} has {count} node(s): start more nodes \
                 or choose a smaller replication factor"
            );
            return Err(KvError::Other { detail });
        }
    }
    Ok(())
}

async fn prepare_tables(client: &Client) -> Result<(), KvError> {
    let keyspace = &client.options.keyspace;
    let known = table_names(client).await?;
    let not_a_store =
        |reason: String| KvError::NotAStore { path: PathBuf::from(format!("keyspace {keyspace}")), reason };
    if !known.is_empty() && !known.contains(SETTINGS) {
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(not_a_store(format!("it holds tables of something else: {}", names.join(", "))));
    }
    // This one first: what it is missing from is not ours.
    if !known.contains(SETTINGS) {
        define(client, &format!("CREATE TABLE IF NOT EXISTS {keyspace}.{SETTINGS} (key text PRIMARY KEY, value blob)"))
            .await?;
    }
    if !known.contains(intent::TABLE) {
        let text = format!(
            "CREATE TABLE IF NOT EXISTS {keyspace}.{} (id blob, part int, parts int, ts bigint, body blob, PRIMARY KEY \
             (id, part)) WITH gc_grace_seconds = {INTENT_GC_GRACE_SECONDS}",
            intent::TABLE
        );
        define(client, &text).await?;
    }
    for table in client.tables.iter().filter(|table| !known.contains(table.name)) {
        let text = format!(
            "CREATE TABLE IF NOT EXISTS {keyspace}.\"{}\" (p blob, r blob, v blob, w blob, PRIMARY KEY (p, r))",
            table.name
        );
        define(client, &text).await?;
    }
    // Now the driver knows where partitions of the keyspace are.
    client
        .session
        .refresh_metadata()
        .await
        .map_err(|error| KvError::Unavailable { detail: format!("the keyspace cannot be read back: {error}") })?;
    let text = format!("SELECT value FROM {keyspace}.{SETTINGS} WHERE key = 'format'");
    let found = select(client, &text, ()).await?;
    match found.maybe_first_row::<(&[u8],)>().map_err(|error| unexpected("the format of the keyspace", &error))? {
        Some((FORMAT,)) => Ok(()),
        Some((other,)) => Err(not_a_store(format!(
            "its format is {}, this program knows {}",
            String::from_utf8_lossy(other),
            String::from_utf8_lossy(FORMAT)
        ))),
        None => {
            let mut text =
                Statement::new(format!("INSERT INTO {keyspace}.{SETTINGS} (key, value) VALUES ('format', ?)"));
            text.set_is_idempotent(true);
            let attempt = || client.session.query_unpaged(text.clone(), (FORMAT,));
            client.request("writing the format", attempt).await.map(drop)
        }
    }
}

async fn table_names(client: &Client) -> Result<BTreeSet<String>, KvError> {
    const TABLES: &str = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?";
    let found = select(client, TABLES, (&client.options.keyspace,)).await?;
    let rows = found.rows::<(String,)>().map_err(|error| unexpected("the list of tables", &error))?;
    rows.map(|row| row.map(|(name,)| name).map_err(|error| unexpected("the list of tables", &error))).collect()
}

/// A change of the schema, agreed upon by all nodes that are up when it returns.
async fn define(client: &Client, text: &str) -> Result<(), KvError> {
    // Others may be doing the same: all of them say IF NOT EXISTS.
    match client.session.query_unpaged(text, ()).await {
        Ok(_) => Ok(()),
        Err(ExecutionError::LastAttemptError(RequestAttemptError::DbError(DbError::Unauthorized, words))) => {
            Err(KvError::Other {
                detail: format!("this user may not change the schema ({words}); have an administrator run: {text}"),
            })
        }
        Err(error) => Err(KvError::Unavailable { detail: format!("'{text}' failed: {error}") }),
    }
}

async fn select(client: &Client, text: &str, values: impl SerializeRow + Clone) -> Result<QueryRowsResult, KvError> {
    const WHAT: &str = "reading the schema";
    let mut statement = Statement::new(text);
    statement.set_is_idempotent(true);
    let attempt = || client.session.query_unpaged(statement.clone(), values.clone());
    let answer = client.request(WHAT, attempt).await?;
    answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))
}

/// Of two servers that write one key, the one with the later clock wins: so clocks must agree.
async fn compare_clocks(client: &Client) -> Result<(), KvError> {
    let before = now_micros();
    let found = select(client, "SELECT toUnixTimestamp(now()) FROM system.local", ()).await?;
    let (millis,): (i64,) = found.first_row().map_err(|error| unexpected("the time of day", &error))?;
    let after = now_micros();
    // The answer was made at some moment between the two.
    let cluster = millis.saturating_mul(1000);
    let skew = if cluster < before.saturating_sub(1000) { cluster - before } else { (cluster - after).max(0) };
    client.figures.clock_skew_micros.store(skew, Ordering::Relaxed);
    if Duration::from_micros(skew.unsigned_abs()) > CLOCK_SKEW_WARNED {
        tracing::warn!(
            skew_ms = skew / 1000,
            "this machine's clock and the cluster's differ; where two servers write one element the later clock wins: \
             use a time server"
        );
    }
    Ok(())
}

/// About how many bytes a table has, from what a node knows of itself; 0 before it has counted.
pub(crate) async fn table_bytes(client: &Client, table: TableId) -> Result<u64, KvError> {
    const WHAT: &str = "the size of a table";
    const TEXT: &str = "SELECT mean_partition_size, partitions_count FROM system.size_estimates \
        WHERE keyspace_name = ? AND table_name = ?";
    let name = TableSpec::find(client.tables, table)?.name;
    let found = select(client, TEXT, (&client.options.keyspace, name)).await?;
    let mut bytes: u64 = 0;
    for row in found.rows::<(i64, i64)>().map_err(|error| unexpected(WHAT, &error))? {
        let (size, count) = row.map_err(|error| unexpected(WHAT, &error))?;
        bytes = bytes.saturating_add(u64::try_from(size.saturating_mul(count)).unwrap_or(0));
    }
    Ok(bytes)
}
