//! The connected cluster: requests with their deadlines, retries and permits.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use kv::{KvError, TableId, TableSpec};
use scylla::client::session::Session;
use scylla::cluster::ClusterState;
use scylla::errors::ExecutionError;
use scylla::routing::Token;
use scylla::statement::prepared::PreparedStatement;
use tokio::time::timeout_at;

use crate::breaker::Breaker;
use crate::clock::Clock;
use crate::coordinators::Coordinators;
use crate::error::{Failure, failure, is_timeout, refused};
use crate::figures::Figures;
use crate::limits::{ATTEMPTS_PER_TIMEOUT, PRIORITY_LANE_REQUESTS, RETRY_PAUSE, RETRY_PAUSE_MAX, TRIED_AGAIN_EVERY};
use crate::options::CassandraOptions;
use crate::plan::{Planner, Unit};
use crate::ranges::{ToReplicas, token_of};
use crate::statements::{Ask, Statements};
use crate::window::{Permit, Window};

pub(crate) struct Client {
    pub(crate) session: Arc<Session>,
    pub(crate) options: CassandraOptions,
    pub(crate) tables: &'static [TableSpec],
    pub(crate) clock: Arc<Clock>,
    pub(crate) figures: Arc<Figures>,
    /// Whether the cluster's log of batches works.
    pub(crate) batch_log: Arc<Breaker>,
    /// Chooses the node for a request.
    pub(crate) policy: Arc<Coordinators>,
    statements: Arc<Vec<Statements>>,
    /// Slots for parts of batches, of which one call can have hundreds.
    pub(crate) batches: Window,
    /// Slots for everything else, which would otherwise have to wait behind those.
    pub(crate) others: Window,
}

/// Which queue a request waits in for a slot.
#[derive(Clone, Copy)]
pub(crate) enum Queue {
    Batches,
    Others,
}

impl Client {
    pub(crate) fn new(
        session: Session,
        policy: Arc<Coordinators>,
        options: CassandraOptions,
        tables: &'static [TableSpec],
    ) -> Self {
        let statements = tables.iter().map(|spec| Statements::new(&options.keyspace, spec)).collect();
        Self {
            session: Arc::new(session),
            batches: Window::new(options.requests_in_flight_max),
            others: Window::new(options.requests_in_flight_max),
            options,
            tables,
            clock: Arc::default(),
            figures: Arc::default(),
            batch_log: Arc::new(Breaker::new(TRIED_AGAIN_EVERY)),
            policy,
            statements: Arc::new(statements),
        }
    }

    /// The same client with slots of its own.
    pub(crate) fn priority_lane(&self) -> Self {
        Self {
            session: Arc::clone(&self.session),
            options: CassandraOptions { requests_in_flight_max: PRIORITY_LANE_REQUESTS, ..self.options.clone() },
            tables: self.tables,
            clock: Arc::clone(&self.clock),
            figures: Arc::clone(&self.figures),
            batch_log: Arc::clone(&self.batch_log),
            policy: Arc::clone(&self.policy),
            statements: Arc::clone(&self.statements),
            batches: Window::new(PRIORITY_LANE_REQUESTS),
            others: Window::new(PRIORITY_LANE_REQUESTS),
        }
    }

    /// A statement of a table.
    pub(crate) async fn statement(&self, table: TableId, ask: Ask) -> Result<&PreparedStatement, KvError> {
        TableSpec::find(self.tables, table)?;
        let unknown = || KvError::UnknownTable { index: table.index(), tables: self.tables.len() };
        let statements = self.statements.get(table.index()).ok_or_else(unknown)?;
        if let Some(prepared) = statements.prepared(ask) {
            return Ok(prepared);
        }
        self.request("preparing a statement", || statements.get(&self.session, ask, self.options.consistency)).await
    }

    /// The requests that a planner makes, which knows where partitions are now.
    pub(crate) fn planned<'a>(&self, plan: impl FnOnce(&Planner<'_>) -> Vec<Unit<'a>>) -> Vec<Unit<'a>> {
        let state = self.session.get_cluster_state();
        let place = |table: TableId, partition: &[u8]| self.place(&state, table, partition);
        plan(&Planner { batch_bytes_max: self.options.batch_bytes, place: &place })
    }

    /// Which node is the first that holds a partition; 0 where any node will do, since each has every row, or it is not
    /// known.
    pub(crate) fn place(&self, state: &ClusterState, table: TableId, partition: &[u8]) -> u128 {
        let nodes = state.get_nodes_info().len();
        let Some(spec) = self.tables.get(table.index()).filter(|_| nodes > 1) else { return 0 };
        let replicas = state.get_token_endpoints(&self.options.keyspace, spec.name, token_of(partition));
        replicas.first().filter(|_| replicas.len() < nodes).map_or(0, |(node, _)| node.host_id.as_u128())
    }

    /// The way to the nodes that hold a token, for a statement that does not say which it is about.
    pub(crate) fn to_replicas(&self, of: Token) -> ToReplicas {
        ToReplicas { of, policy: Arc::clone(&self.policy) as _ }
    }

    /// Sends a repeatable request that is not part of a batch, with retries until it succeeds, fails for good or times
    /// out.
    pub(crate) async fn request<T, F>(&self, what: &'static str, attempt: impl FnMut() -> F) -> Result<T, KvError>
    where
        F: Future<Output = Result<T, ExecutionError>>,
    {
        self.request_in(Queue::Others, what, attempt).await
    }

    /// [`Client::request`] in one of the queues.
    pub(crate) async fn request_in<T, F>(
        &self,
        queue: Queue,
        what: &'static str,
        attempt: impl FnMut() -> F,
    ) -> Result<T, KvError>
    where
        F: Future<Output = Result<T, ExecutionError>>,
    {
        let mut tries = Tries::new(self, what);
        let _permit = tries.permit(queue).await?;
        let mut attempt = attempt;
        loop {
            match tries.run(attempt()).await {
                Ok(answer) => return Ok(answer),
                Err(error) if failure(&error) == Failure::Final => return Err(tries.refused(&error)),
                Err(error) => tries.pause(&error).await?,
            }
        }
    }

    /// For calls that must not be retried blindly: they run their own loop around single attempts.
    pub(crate) fn tries(&self, what: &'static str) -> Tries<'_> {
        Tries::new(self, what)
    }
}

/// The attempts of one request.
pub(crate) struct Tries<'a> {
    client: &'a Client,
    what: &'static str,
    started: Instant,
    deadline: tokio::time::Instant,
    pause: std::time::Duration,
    attempts: u32,
    /// Whether an attempt that takes too long is held against its node.
    blames_nodes: bool,
}

impl<'a> Tries<'a> {
    fn new(client: &'a Client, what: &'static str) -> Self {
        let deadline = tokio::time::Instant::now() + client.options.request_timeout;
        Self { client, what, started: Instant::now(), deadline, pause: RETRY_PAUSE, attempts: 0, blames_nodes: true }
    }

    /// The same for logged batches, which take too long when a third node is away.
    pub(crate) fn without_blame(self) -> Self {
        Self { blames_nodes: false, ..self }
    }

    /// Whether there was an attempt.
    pub(crate) fn any(&self) -> bool {
        self.attempts > 0
    }

    /// Does something else in the time that is left.
    pub(crate) async fn in_time<T>(&self, call: impl Future<Output = Result<T, KvError>>) -> Result<T, KvError> {
        match timeout_at(self.deadline, call).await {
            Ok(outcome) => outcome,
            Err(_) => Err(self.timed_out()),
        }
    }

    /// Waits for a slot.
    pub(crate) async fn permit(&self, queue: Queue) -> Result<Permit<'a>, KvError> {
        let window = match queue {
            Queue::Batches => &self.client.batches,
            Queue::Others => &self.client.others,
        };
        match timeout_at(self.deadline, window.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) => Err(KvError::Closed),
            Err(_) => {
                self.client.figures.failed();
                let detail = format!(
                    "{} did not start within {} ms: {} requests to Cassandra are in flight without an answer",
                    self.what,
                    self.client.options.request_timeout.as_millis(),
                    window.limit()
                );
                Err(KvError::Unavailable { detail })
            }
        }
    }

    /// Runs one attempt, with a timeout that leaves time for others.
    pub(crate) async fn run<T>(
        &mut self,
        attempt: impl Future<Output = Result<T, ExecutionError>>,
    ) -> Result<T, ExecutionError> {
        self.attempts += 1;
        let share = self.client.options.request_timeout / ATTEMPTS_PER_TIMEOUT;
        let end = self.deadline.min(tokio::time::Instant::now() + share);
        let under_way = self.client.figures.begin();
        let attempt = async { timeout_at(end, attempt).await.ok() };
        let outcome = match self.blames_nodes {
            true => self.client.policy.watch(attempt).await,
            false => attempt.await,
        };
        let outcome = outcome.unwrap_or(Err(ExecutionError::RequestTimeout(share)));
        under_way.end(outcome.is_ok());
        outcome
    }

    /// Waits before the next attempt, or says that there is none.
    pub(crate) async fn pause(&mut self, error: &ExecutionError) -> Result<(), KvError> {
        if tokio::time::Instant::now() + self.pause >= self.deadline {
            return Err(self.gave_up(error));
        }
        self.client.figures.retried();
        tracing::debug!(what = self.what, attempt = self.attempts, %error, "trying again");
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(RETRY_PAUSE_MAX);
        Ok(())
    }

    pub(crate) fn refused(&self, error: &ExecutionError) -> KvError {
        self.client.figures.failed();
        refused(self.what, error)
    }

    /// The error after the last attempt.
    pub(crate) fn gave_up(&self, error: &ExecutionError) -> KvError {
        if is_timeout(error) {
            tracing::warn!(what = self.what, attempts = self.attempts, %error, "Cassandra did not answer in time");
            return self.timed_out();
        }
        self.client.figures.failed();
        let detail = format!(
            "{} failed {} times within {} ms, last with: {error}; the cluster was reached by {}",
            self.what,
            self.attempts,
            self.started.elapsed().as_millis(),
            self.client.options.contacts()
        );
        KvError::Unavailable { detail }
    }

    fn timed_out(&self) -> KvError {
        self.client.figures.failed();
        let limit = self.client.options.request_timeout.as_millis();
        KvError::Timeout { limit_ms: u64::try_from(limit).unwrap_or(u64::MAX) }
    }
}
