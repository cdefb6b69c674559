//! Transactions over the graphs of a store: a database is a graph.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use auth::{Accounts, Caller, Permission, ResourceType};
use cypher_commands::{Commands, Imports};
use cypher_exec::{Execution, PlanNode, Prepared, Procedures, QueryType, Settings, from_access};
use cypher_value::{Text, Value, memory};
use graph_access::{AccessError, Budget, GraphWrite};
use graph_analysis::JobState;
use graph_host::HostedGraph;
use graph_store::{GraphReader, StoreError};
use graph_view::Visible;
use parking_lot::Mutex;
use query_service::{Entered, QueryService};
use rustc_hash::FxHashMap;

use crate::algorithms::{AlgorithmHost, procedures};
use crate::failure::Failure;
use crate::graph_plans::GraphPlans;
use crate::host::{Host, counters};
use crate::limits::{PLAN_LINE_BYTES_MAX, PLAN_TEXT_BYTES_MAX, PLANS_MAX, ROWS_PER_BATCH};
use crate::port::{Begin, Client, Gone, Queries, Statement, Task};
use crate::summary::{Notification, Plan, QueryKind, Summary};

/// Databases that every server of Neo4j has: tools ask for the first where nothing else is set, and the Java driver for
/// the servers of the second to see whether there are any.
const USUAL_NAMES: [&str; 2] = ["neo4j", "system"];

/// Carries transactions out over the graphs of a store.
pub struct GraphQueries {
    service: Arc<QueryService>,
    memory_max: u64,
    procedures: Arc<Procedures>,
    imports: Imports,
    analyses: Option<Arc<JobState>>,
    plans: Mutex<FxHashMap<Text, Arc<Prepared>>>,
    graph_plans: GraphPlans,
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
        let (folders, row_bytes_max) = service.imports();
        Self {
            memory_max: service.memory_max(),
            imports: Imports { folders: folders.to_vec(), row_bytes_max },
            service,
            procedures: Arc::new(Procedures { hosted: cypher_commands::procedures(), ..Procedures::default() }),
            analyses: None,
            plans: Mutex::default(),
            graph_plans: GraphPlans::default(),
            commits: AtomicU64::new(0),
        }
    }

    /// The same with algorithms over whole graphs as procedures, within the bounds of other analyses.
    #[must_use]
    pub fn with_analyses(self, analyses: Option<Arc<JobState>>) -> Self {
        let mut hosted = cypher_commands::procedures();
        hosted.extend(analyses.iter().flat_map(|_| procedures()));
        let procedures = Arc::new(Procedures { hosted, ..Procedures::default() });
        Self { analyses, procedures, ..self }
    }

    /// The users; none on a server without.
    pub(crate) fn accounts(&self) -> Option<&Arc<Accounts>> {
        self.service.accounts()
    }

    fn host<'a>(&'a self, begin: &'a Begin, graph: &'a HostedGraph, budget: &'a Budget, time: Duration) -> Host<'a> {
        let (caller, state) = (&begin.caller, self.analyses.as_deref());
        Host {
            algorithms: AlgorithmHost { graph, caller, state, budget, time },
            commands: Commands::new(graph, caller, (budget, time), &self.imports),
            service: &self.service,
            caller,
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
    fn prepare_for(
        &self,
        begin: &Begin,
        graph: &HostedGraph,
        text: &Text,
        budget: &Budget,
    ) -> Result<Arc<Prepared>, Failure> {
        let _plan = traces::enter("plan");
        traces::note_query(text);
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
        // Whoever may not see all of a graph does not see its figures either.
        if !prepared.goes_by_statistics() || begin.caller.rights(graph).is_some() {
            return Ok(prepared);
        }
        let reader = GraphReader::new(graph, &graph.catalogue(), budget);
        Ok(self.graph_plans.prepare(scope(graph), text, &reader, &self.procedures)?)
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
        let Statement { text, parameters, timeout, never_waits } = statement;
        let mut entered = self.enter(begin, graph, &text);
        let budget = Budget::new(timeout, Arc::clone(&begin.interrupt));
        let budget = if never_waits { budget.without_waiting() } else { budget };
        let prepared = self.prepare_for(begin, graph, &text, &budget)?;
        entered.explained_by(plan_of(&prepared));
        let _execute = traces::enter("execute");
        let visible = Visible::new(graph, &budget, begin.caller.rights(graph));
        let host = self.host(begin, graph, &budget, timeout);
        let outcome = if prepared.is_write() {
            prepared.check_parameters(&parameters)?;
            client.opened(prepared.columns());
            let Some(first) = client.next() else { return Ok(()) };
            let merging = self.service.merge_locks().begin(scope(graph));
            let settings = self.settings();
            let held = if prepared.is_schema() {
                let reader = visible.reader();
                let execution = Execution::reading(&prepared, parameters, &*reader, &settings)?;
                self.collect(execution.hosted_by(&host), &host)?
            } else if prepared.commits_between() {
                let unit = || visible.writer();
                let execution = Execution::in_units(&prepared, parameters, &unit, &settings)?;
                self.collect(execution.hosted_by(&host).merging(&merging), &host)?
            } else {
                let mut unit = visible.writer();
                let execution = Execution::writing(&prepared, parameters, &mut *unit, &settings)?;
                let held = self.collect(execution.hosted_by(&host).merging(&merging), &host)?;
                unit.commit().map_err(accessed)?;
                held
            };
            drop(merging);
            self.commits.fetch_add(1, Ordering::Relaxed);
            self.serve_held(begin, held, first, client)
        } else {
            let reader = visible.reader();
            let execution = Execution::reading(&prepared, parameters, &*reader, &self.settings())?.hosted_by(&host);
            client.opened(prepared.columns());
            self.serve_live(begin, execution, &host, client, &entered)
        };
        outcome.map_err(|failure| explained(failure, &entered))
    }

    /// All rows of a query, which are held in memory.
    fn collect(&self, mut execution: Execution<'_>, host: &Host<'_>) -> Result<Held, Failure> {
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
        Ok(Held { rows, summary: host.told(summary(execution.finish()?)) })
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
        host: &Host<'_>,
        client: &mut dyn Client,
        entered: &Entered<'_>,
    ) -> Result<(), Failure> {
        let mut live = Live { execution: Some(execution), ahead: VecDeque::new(), host };
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
        let host = self.host(begin, graph, &budget, Duration::MAX);
        let merging = self.service.merge_locks().begin(scope(graph));
        let mut has_changed_schema = false;
        let mut held: HashMap<i64, Held> = HashMap::new();
        let (mut next, mut count) = (None, 0);
        loop {
            let Some(task) = next.take().or_else(|| client.next()) else { return Ok(()) };
            match task {
                Task::Run(statement) => {
                    let query = count;
                    count += 1;
                    let Statement { text, parameters, .. } = statement;
                    let mut entered = self.enter(begin, graph, &text);
                    let prepared = self.prepare_for(begin, graph, &text, &budget)?;
                    entered.explained_by(plan_of(&prepared));
                    let _execute = traces::enter("execute");
                    let settings = self.settings();
                    check_fits(&prepared, unit.is_some(), &mut has_changed_schema)?;
                    let outcome = if prepared.is_write() && !prepared.is_schema() {
                        let unit = unit.get_or_insert_with(|| visible.writer());
                        let execution = Execution::writing(&prepared, parameters, &mut **unit, &settings)?;
                        let execution = execution.hosted_by(&host).merging(&merging);
                        client.opened(prepared.columns());
                        self.live(execution, &host, (query, true), client, &entered)
                    } else if let Some(unit) = &unit {
                        let execution = Execution::reading(&prepared, parameters, &**unit, &settings)?.hosted_by(&host);
                        client.opened(prepared.columns());
                        self.live(execution, &host, (query, prepared.is_schema()), client, &entered)
                    } else {
                        let reader = visible.reader();
                        let execution =
                            Execution::reading(&prepared, parameters, &*reader, &settings)?.hosted_by(&host);
                        client.opened(prepared.columns());
                        self.live(execution, &host, (query, prepared.is_schema()), client, &entered)
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
        host: &Host<'_>,
        (query, is_write): (i64, bool),
        client: &mut dyn Client,
        entered: &Entered<'_>,
    ) -> Result<(Option<Task>, Option<Held>), Failure> {
        let mut live = Live { execution: Some(execution), ahead: VecDeque::new(), host };
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
                    let Live { execution, mut ahead, .. } = live;
                    let held = execution.map(|execution| self.collect(execution, host)).transpose()?;
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

/// The plan of a query in one line, for the log: its operators from the last one back, and those of each row in
/// brackets.
fn plan_of(prepared: &Arc<Prepared>) -> impl Fn() -> String + 'static {
    fn write(node: &PlanNode, out: &mut String) {
        out.push_str(node.operator);
        if !node.details.is_empty() {
            out.push_str(&format!("({})", node.details));
        }
        for (at, child) in node.children.iter().enumerate() {
            if out.len() > PLAN_LINE_BYTES_MAX {
                return;
            }
            out.push_str(if at == 0 { " < " } else { " [" });
            write(child, out);
            if at > 0 {
                out.push(']');
            }
        }
    }
    let prepared = Arc::clone(prepared);
    move || {
        let mut out = String::new();
        write(&prepared.plan(), &mut out);
        out
    }
}

/// What tells patterns of a graph from the same ones of other graphs.
fn scope(graph: &HostedGraph) -> u64 {
    graph.number().0.into()
}

/// Refuses what cannot be in a transaction together with what was in it before. Changes of the schema take effect at
/// once.
fn check_fits(prepared: &Prepared, has_written: bool, has_changed_schema: &mut bool) -> Result<(), Failure> {
    if prepared.commits_between() {
        let message = "A query with 'CALL { ... } IN TRANSACTIONS' can only be executed in an implicit transaction, \
                       but tried to execute in an explicit transaction.";
        return Err(Failure::new("Neo.DatabaseError.Transaction.TransactionStartFailed", message));
    }
    let (done, tried) = match (prepared.is_schema(), prepared.is_write()) {
        (true, _) if has_written => ("Write query", "Schema modification"),
        (false, true) if *has_changed_schema => ("Schema modification", "Write query"),
        _ => {
            *has_changed_schema |= prepared.is_schema();
            return Ok(());
        }
    };
    let message = format!("Tried to execute {tried} after executing {done}");
    Err(Failure::new("Neo.ClientError.Transaction.ForbiddenDueToTransactionType", message))
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
struct Live<'l, 'g> {
    /// None at its end.
    execution: Option<Execution<'g>>,
    /// Knows what its commands did.
    host: &'l Host<'l>,
    /// Rows that are computed and not taken. One more is computed than is wanted, to know whether there is one.
    ahead: VecDeque<Vec<Value>>,
}

impl Live<'_, '_> {
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
                return Ok(Progress::Ended(Box::new(self.host.told(done.map(summary).unwrap_or_default()))));
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
        counters: counters(&of.counters),
        notifications: notifications.collect(),
        plan: of.plan.map(plan),
        bookmark: None,
    }
}

fn plan(of: PlanNode) -> Plan {
    let mut arguments: Vec<(Text, Value)> = vec![("Details".into(), of.details.into())];
    arguments.extend(of.estimated.map(|rows| ("EstimatedRows".into(), Value::Float(rows as f64))));
    // Neo4j's shell reads them here, its drivers beside the arguments.
    let measured = of.measured.map(|(rows, hits)| [("Rows", rows), ("DbHits", hits)]);
    let shown = |(name, number): (&str, u64)| (name.into(), Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)));
    arguments.extend(measured.into_iter().flatten().map(shown));
    Plan {
        operator: of.operator.to_owned(),
        arguments,
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
