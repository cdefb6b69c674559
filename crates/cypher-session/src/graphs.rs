//! Transactions over the graphs of a store: a database is a graph.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use auth::{Caller, Permission, ResourceType};
use cypher_exec::{Execution, PlanNode, Prepared, Procedures, QueryType, Settings, from_access};
use cypher_value::{Text, Value, memory};
use graph_access::{AccessError, Budget, GraphWrite};
use graph_host::HostedGraph;
use graph_store::StoreError;
use graph_view::Visible;
use parking_lot::Mutex;
use query_service::{Entered, QueryService};
use rustc_hash::FxHashMap;

use crate::failure::Failure;
use crate::limits::{PLAN_TEXT_BYTES_MAX, PLANS_MAX, ROWS_PER_BATCH};
use crate::port::{Begin, Client, Gone, Queries, Statement, Task};
use crate::summary::{Counters, Notification, Plan, QueryKind, Summary};

/// Databases that every server of Neo4j has: tools ask for the first where nothing else is set, and the Java driver for
/// the servers of the second to see whether there are any.
const USUAL_NAMES: [&str; 2] = ["neo4j", "system"];

/// Carries transactions out over the graphs of a store.
pub struct GraphQueries {
    service: Arc<QueryService>,
    memory_max: u64,
    procedures: Arc<Procedures>,
    plans: Mutex<FxHashMap<Text, Arc<Prepared>>>,
    /// Transactions that have committed: the state that a bookmark names.
    commits: AtomicU64,
}

/// Rows that are computed, and what is told after them.
struct Held {
    rows: VecDeque<Vec<Value>>,
    summary: Summary,
}

/// How a result went on.
enum Progress {
    /// It is through.
    Ended(Box<Summary>),
    /// There is more.
    Paused,
    /// Nobody takes it.
    Gone,
}

impl GraphQueries {
    /// Queries over the graphs of a service, in its list of what runs and with its bounds.
    #[must_use]
    pub fn new(service: Arc<QueryService>) -> Self {
        Self {
            memory_max: service.memory_max(),
            service,
            procedures: Arc::default(),
            plans: Mutex::default(),
            commits: AtomicU64::new(0),
        }
    }

    fn prepare(&self, text: &Text) -> Result<Arc<Prepared>, Failure> {
        if let Some(prepared) = self.plans.lock().get(text) {
            return Ok(Arc::clone(prepared));
        }
        let prepared = Arc::new(Prepared::new(text, &self.procedures)?);
        if text.len() <= PLAN_TEXT_BYTES_MAX {
            let mut plans = self.plans.lock();
            if plans.len() >= PLANS_MAX {
                plans.clear();
            }
            plans.insert(text.clone(), Arc::clone(&prepared));
        }
        Ok(prepared)
    }

    /// Reads a query, and checks that it may be run here.
    fn prepare_for(&self, begin: &Begin, graph: &HostedGraph, text: &Text) -> Result<Arc<Prepared>, Failure> {
        check_may_run(&begin.caller, graph.name())?;
        let prepared = self.prepare(text)?;
        if begin.is_read && prepared.is_write() {
            let message = "Writing in read access mode not allowed";
            return Err(Failure::new(Failure::ACCESS_MODE, message));
        }
        if let Some(name) = prepared.graph()
            && self.database(Some(name))? != graph.name()
        {
            let message = format!(
                "the query is about graph '{name}', but its transaction about '{}': ask for that database instead",
                graph.name()
            );
            return Err(Failure::new("Neo.ClientError.Statement.ExecutionFailed", message));
        }
        Ok(prepared)
    }

    fn settings(&self) -> Settings {
        Settings { memory_max: self.memory_max, ..Settings::default() }
    }

    /// The list of what runs has the query until what is given back is dropped.
    fn enter(&self, begin: &Begin, graph: &HostedGraph, text: &str) -> Entered<'_> {
        self.service.enter(graph.name(), text, begin.caller.name(), &begin.interrupt)
    }

    /// A query that stands alone. What it writes is committed before its first row is handed on: a client that takes
    /// its rows slowly holds nothing up.
    fn single(&self, begin: &Begin, graph: &HostedGraph, client: &mut dyn Client) -> Result<(), Failure> {
        let Some(Task::Run(statement)) = client.next() else { return Ok(()) };
        let Statement { text, parameters, timeout } = statement;
        let entered = self.enter(begin, graph, &text);
        let budget = Budget::new(timeout, Arc::clone(&begin.interrupt));
        let prepared = self.prepare_for(begin, graph, &text)?;
        let visible = Visible::new(graph, &budget, begin.caller.rights(graph));
        let outcome = if prepared.is_write() {
            let mut unit = visible.writer();
            prepared.check_parameters(&parameters)?;
            client.opened(prepared.columns());
            let Some(first) = client.next() else { return Ok(()) };
            let execution = Execution::writing(&prepared, parameters, &mut *unit, &self.settings())?;
            let held = self.collect(execution)?;
            unit.commit().map_err(accessed)?;
            self.commits.fetch_add(1, Ordering::Relaxed);
            self.serve_held(begin, held, first, client)
        } else {
            let reader = visible.reader();
            let execution = Execution::reading(&prepared, parameters, &*reader, &self.settings())?;
            client.opened(prepared.columns());
            self.serve_live(begin, execution, client, &entered)
        };
        outcome.map_err(|failure| explained(failure, &entered))
    }

    /// All rows of a query, which are held in memory.
    fn collect(&self, mut execution: Execution<'_>) -> Result<Held, Failure> {
        let (mut rows, mut bytes) = (VecDeque::new(), 0_u64);
        let mut batch = Vec::new();
        loop {
            execution.next_batch(&mut batch, ROWS_PER_BATCH)?;
            if batch.is_empty() {
                break;
            }
            bytes = batch.iter().flatten().fold(bytes, |bytes, value| bytes.saturating_add(memory(value) as u64));
            if bytes > self.memory_max {
                let message = format!("the result holds more than {} bytes (gremlin.memory_max)", self.memory_max);
                return Err(Failure::new(Failure::OUT_OF_MEMORY, message));
            }
            rows.extend(batch.drain(..));
        }
        Ok(Held { rows, summary: summary(execution.finish()?) })
    }

    fn serve_held(&self, begin: &Begin, mut held: Held, first: Task, client: &mut dyn Client) -> Result<(), Failure> {
        let mut next = Some(first);
        while let Some(task) = next.take().or_else(|| client.next()) {
            let (rows, is_pull) = match task {
                Task::Pull { rows, .. } => (rows, true),
                Task::Discard { rows, .. } => (rows, false),
                _ => return Ok(()),
            };
            match take_held(&mut held, rows, is_pull, client) {
                Progress::Ended(summary) => {
                    client.ended(&Summary { bookmark: Some(self.bookmark(&begin.database)), ..*summary });
                    return Ok(());
                }
                Progress::Paused => client.paused(),
                Progress::Gone => return Ok(()),
            }
        }
        Ok(())
    }

    fn serve_live(
        &self,
        begin: &Begin,
        execution: Execution<'_>,
        client: &mut dyn Client,
        entered: &Entered<'_>,
    ) -> Result<(), Failure> {
        let mut live = Live { execution: Some(execution), ahead: VecDeque::new() };
        while let Some(task) = client.next() {
            let (rows, is_pull) = match task {
                Task::Pull { rows, .. } => (rows, true),
                Task::Discard { rows, .. } => (rows, false),
                _ => return Ok(()),
            };
            match live.take(rows, is_pull, client, entered)? {
                Progress::Ended(summary) => {
                    client.ended(&Summary { bookmark: Some(self.bookmark(&begin.database)), ..*summary });
                    return Ok(());
                }
                Progress::Paused => client.paused(),
                Progress::Gone => return Ok(()),
            }
        }
        Ok(())
    }

    /// Queries in one unit of writes. One result is computed as its rows are taken; where another query comes before it
    /// is through, its other rows are held.
    fn several(&self, begin: &Begin, graph: &HostedGraph, client: &mut dyn Client) -> Result<(), Failure> {
        // Each query's time is watched by whoever waits for it, who sets the flag.
        let budget = Budget::new(Duration::MAX, Arc::clone(&begin.interrupt));
        let mut unit: Option<Box<dyn GraphWrite + '_>> = None;
        // Its rights are those at its beginning.
        let visible = Visible::new(graph, &budget, begin.caller.rights(graph));
        let mut held: HashMap<i64, Held> = HashMap::new();
        let (mut next, mut count) = (None, 0);
        loop {
            let Some(task) = next.take().or_else(|| client.next()) else { return Ok(()) };
            match task {
                Task::Run(statement) => {
                    let query = count;
                    count += 1;
                    let Statement { text, parameters, .. } = statement;
                    let entered = self.enter(begin, graph, &text);
                    let prepared = self.prepare_for(begin, graph, &text)?;
                    let settings = self.settings();
                    let outcome = if prepared.is_write() {
                        let unit = unit.get_or_insert_with(|| visible.writer());
                        let execution = Execution::writing(&prepared, parameters, &mut **unit, &settings)?;
                        client.opened(prepared.columns());
                        self.live(execution, query, true, client, &entered)
                    } else if let Some(unit) = &unit {
                        let execution = Execution::reading(&prepared, parameters, &**unit, &settings)?;
                        client.opened(prepared.columns());
                        self.live(execution, query, false, client, &entered)
                    } else {
                        let reader = visible.reader();
                        let execution = Execution::reading(&prepared, parameters, &*reader, &settings)?;
                        client.opened(prepared.columns());
                        self.live(execution, query, false, client, &entered)
                    };
                    let (following, rest) = outcome.map_err(|failure| explained(failure, &entered))?;
                    if let Some(rest) = rest {
                        held.insert(query, rest);
                    }
                    match following {
                        Some(task) => next = Some(task),
                        None => return Ok(()),
                    }
                }
                Task::Pull { rows, query } | Task::Discard { rows, query } => {
                    let is_pull = matches!(task, Task::Pull { .. });
                    let Some(own) = held.get_mut(&query) else {
                        let message = format!("the transaction has no open result {query}");
                        return Err(Failure::new(Failure::INVALID_REQUEST, message));
                    };
                    match take_held(own, rows, is_pull, client) {
                        Progress::Ended(summary) => {
                            held.remove(&query);
                            client.ended(&summary);
                        }
                        Progress::Paused => client.paused(),
                        Progress::Gone => return Ok(()),
                    }
                }
                Task::Commit => {
                    if let Some(unit) = unit.take() {
                        unit.commit().map_err(accessed)?;
                        self.commits.fetch_add(1, Ordering::Relaxed);
                    }
                    client.committed(&self.bookmark(&begin.database));
                    return Ok(());
                }
                Task::Rollback => {
                    drop(unit.take());
                    client.rolled_back();
                    return Ok(());
                }
            }
        }
    }

    /// Serves a result in a transaction until it is through or another task comes: that one, and the rows left.
    fn live(
        &self,
        execution: Execution<'_>,
        query: i64,
        is_write: bool,
        client: &mut dyn Client,
        entered: &Entered<'_>,
    ) -> Result<(Option<Task>, Option<Held>), Failure> {
        let mut live = Live { execution: Some(execution), ahead: VecDeque::new() };
        loop {
            let Some(task) = client.next() else { return Ok((None, None)) };
            let (rows, is_pull) = match task {
                Task::Pull { rows, query: of } if of == query => (rows, true),
                Task::Discard { rows, query: of } if of == query => (rows, false),
                Task::Commit if is_write => {
                    if let Some(execution) = live.execution {
                        execution.finish()?;
                    }
                    return Ok((Some(task), None));
                }
                Task::Commit | Task::Rollback => return Ok((Some(task), None)),
                other => {
                    let Live { execution, mut ahead } = live;
                    let held = execution.map(|execution| self.collect(execution)).transpose()?;
                    let held = held.map(|mut held| {
                        ahead.append(&mut held.rows);
                        Held { rows: ahead, ..held }
                    });
                    return Ok((Some(other), held));
                }
            };
            match live.take(rows, is_pull, client, entered)? {
                Progress::Ended(summary) => {
                    client.ended(&summary);
                    // Nothing is left of it, but another task is needed.
                    return Ok((client.next(), None));
                }
                Progress::Paused => client.paused(),
                Progress::Gone => return Ok((None, None)),
            }
        }
    }
}

/// Queries are run by those who may run Gremlin, which HugeGraph makes of Cypher. What they read and write goes through
/// [`Visible`].
fn check_may_run(caller: &Caller, graph: &str) -> Result<(), Failure> {
    if caller.may(graph, Permission::Execute, ResourceType::Gremlin) {
        return Ok(());
    }
    let message = format!("user '{}' may not run queries on graph '{graph}'", caller.name());
    Err(Failure::new(Failure::FORBIDDEN, message))
}

fn take_held(held: &mut Held, rows: Option<u64>, is_pull: bool, client: &mut dyn Client) -> Progress {
    let mut left = rows.unwrap_or(u64::MAX);
    while left > 0 {
        let Some(row) = held.rows.pop_front() else { break };
        if is_pull && client.row(&row) == Err(Gone) {
            return Progress::Gone;
        }
        left -= 1;
    }
    if held.rows.is_empty() { Progress::Ended(Box::new(std::mem::take(&mut held.summary))) } else { Progress::Paused }
}

/// A result whose rows are computed as they are taken.
struct Live<'g> {
    /// None at its end.
    execution: Option<Execution<'g>>,
    /// Rows that are computed and not taken. One more is computed than is wanted, to know whether there is one.
    ahead: VecDeque<Vec<Value>>,
}

impl Live<'_> {
    fn take(
        &mut self,
        rows: Option<u64>,
        is_pull: bool,
        client: &mut dyn Client,
        entered: &Entered<'_>,
    ) -> Result<Progress, Failure> {
        let mut left = rows.unwrap_or(u64::MAX);
        let mut batch = Vec::new();
        loop {
            while let Some(row) = self.ahead.pop_front() {
                if left == 0 {
                    self.ahead.push_front(row);
                    return Ok(Progress::Paused);
                }
                if is_pull && client.row(&row) == Err(Gone) {
                    return Ok(Progress::Gone);
                }
                left -= 1;
            }
            let Some(execution) = &mut self.execution else { return Ok(Progress::Ended(Box::default())) };
            let wanted = usize::try_from(left.saturating_add(1)).unwrap_or(ROWS_PER_BATCH).min(ROWS_PER_BATCH);
            execution.next_batch(&mut batch, wanted)?;
            if batch.is_empty() {
                let done = self.execution.take().map(Execution::finish).transpose()?;
                return Ok(Progress::Ended(Box::new(done.map(summary).unwrap_or_default())));
            }
            entered.add_rows(batch.len() as u64);
            self.ahead.extend(batch.drain(..));
        }
    }
}

fn accessed(error: AccessError) -> Failure {
    from_access(error).into()
}

fn stored(error: &StoreError) -> Failure {
    accessed(AccessError { kind: error.kind(), message: error.to_string() })
}

/// The failure of a query that was ended by its number says so.
fn explained(failure: Failure, entered: &Entered<'_>) -> Failure {
    if failure.code == Failure::TERMINATED && entered.is_killed() {
        return Failure::new(Failure::TERMINATED, "the query was ended on request (DELETE .../queries/{id})");
    }
    failure
}

/// What a query did, in the words of protocols.
fn summary(of: cypher_exec::Summary) -> Summary {
    let counters = of.counters;
    let notifications = of.notifications.into_iter().map(|text| Notification {
        code: "Neo.ClientNotification.Statement.GenericNotification".into(),
        status: "03N00".into(),
        title: "A note about the query".into(),
        description: text,
        severity: "INFORMATION",
        category: "GENERIC",
        position: None,
    });
    Summary {
        kind: match of.query_type {
            QueryType::Read => QueryKind::Read,
            QueryType::ReadWrite => QueryKind::ReadWrite,
            QueryType::Write => QueryKind::Write,
            QueryType::Schema => QueryKind::Schema,
        },
        counters: Counters {
            nodes_created: counters.nodes_created,
            nodes_deleted: counters.nodes_deleted,
            relationships_created: counters.relationships_created,
            relationships_deleted: counters.relationships_deleted,
            properties_set: counters.properties_set,
            labels_added: counters.labels_added,
            labels_removed: counters.labels_removed,
            indexes_added: counters.indexes_added,
            indexes_removed: counters.indexes_removed,
            constraints_added: counters.constraints_added,
            constraints_removed: counters.constraints_removed,
        },
        notifications: notifications.collect(),
        plan: of.plan.map(plan),
        bookmark: None,
    }
}

fn plan(of: PlanNode) -> Plan {
    Plan {
        operator: of.operator.to_owned(),
        arguments: vec![("Details".into(), of.details.into())],
        identifiers: Vec::new(),
        measured: of.measured,
        children: of.children.into_iter().map(plan).collect(),
    }
}

impl Queries for GraphQueries {
    fn database(&self, name: Option<&str>) -> Result<Text, Failure> {
        let store = self.service.store();
        let Some(name) = name else { return Ok(store.default_graph().into()) };
        if store.graph(name).is_ok() {
            return Ok(name.into());
        }
        let lower = name.to_lowercase();
        if lower != name && store.graph(&lower).is_ok() {
            return Ok(lower.into());
        }
        if USUAL_NAMES.contains(&lower.as_str()) {
            return Ok(store.default_graph().into());
        }
        let message =
            format!("there is no graph '{name}': a database is a graph, and none means '{}'", store.default_graph());
        Err(Failure::new(Failure::DATABASE_NOT_FOUND, message))
    }

    fn bookmark(&self, database: &str) -> String {
        format!("rhizome:{database}:{}", self.commits.load(Ordering::Relaxed))
    }

    fn may_write(&self, text: &str) -> bool {
        // One that cannot be read fails when it is run.
        self.prepare(&Text::new(text)).is_ok_and(|prepared| prepared.is_write())
    }

    fn memory_max(&self) -> u64 {
        self.memory_max
    }

    fn may_add(&self, text: &str) -> bool {
        self.prepare(&Text::new(text)).is_ok_and(|prepared| prepared.adds())
    }

    fn transaction(&self, begin: &Begin, client: &mut dyn Client) -> Result<(), Failure> {
        let graph = self.service.store().graph(&begin.database).map_err(|error| stored(&error))?;
        if begin.is_single { self.single(begin, &graph, client) } else { self.several(begin, &graph, client) }
    }
}
