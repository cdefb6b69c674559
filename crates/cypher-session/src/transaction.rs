//! A transaction on its thread, and the handle by which a protocol feeds it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::time::{Duration, Instant};

use cypher_value::{Text, Value};
use serving::{Permit, Refused, Serving, WorkBounds};
use tokio::runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::failure::Failure;
use crate::port::{Begin, Client, Gone, Queries, Statement, Task};
use crate::summary::Summary;

/// How transactions are bounded.
#[derive(Clone, Debug)]
pub struct Options {
    /// Transactions, and results that are not through, at one time (`bolt.transactions_max`). Each has a thread.
    pub transactions_max: usize,
    /// Time without a request after which a transaction ends (`bolt.transaction_idle_ms`).
    pub idle: Duration,
    /// How long a query may take whose client sets no time (`bolt.query_timeout_ms`).
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { transactions_max: 256, idle: Duration::from_secs(600), timeout: Duration::from_secs(30) }
    }
}

/// Takes what a transaction answers, on its thread, in the order of the tasks.
pub trait Answers: Send + 'static {
    /// A query runs; its number and columns.
    fn opened(&mut self, query: i64, columns: &[Text]);

    /// Work on a task begins.
    fn begins(&mut self);

    /// A row of a query's result.
    ///
    /// # Errors
    /// [`Gone`].
    fn row(&mut self, query: i64, row: &[Value]) -> Result<(), Gone>;

    /// There are more rows than were asked for.
    fn paused(&mut self);

    /// The result of a query is through.
    fn ended(&mut self, query: i64, summary: &Summary);

    /// The transaction is committed.
    fn committed(&mut self, bookmark: &str);

    /// The transaction is rolled back.
    fn rolled_back(&mut self);

    /// The transaction has failed, and ended.
    fn failed(&mut self, failure: &Failure);

    /// Nothing is done until more is asked for, or nothing any more: what is held is to be handed on.
    fn flush(&mut self);
}

/// Starts transactions.
pub struct Transactions {
    queries: Arc<dyn Queries>,
    serving: Arc<Serving>,
    /// Only its threads for blocking work are used. `None` where it could not be made; the runtime at hand lends its
    /// own then.
    threads: Option<Runtime>,
    places: Arc<Semaphore>,
    options: Options,
}

/// A task and what it needs to work.
struct Given {
    task: Task,
    /// The right to work; none where the task follows another one at once.
    permit: Option<Permit>,
    /// The time that the client sets for a query.
    timeout: Option<Duration>,
    /// When it is interrupted at the latest, by whoever waits for it.
    until: Option<Instant>,
}

/// A transaction at work or waiting. Dropping it ends it; what it wrote and did not commit is gone.
pub struct Transaction {
    tasks: Sender<Given>,
    interrupt: Arc<AtomicBool>,
    database: Text,
    serving: Arc<Serving>,
    queries: Arc<dyn Queries>,
    has_written: bool,
    idle: Duration,
    timeout: Duration,
    /// How long a query may take at most, whatever its client says: the graph's own limit.
    bounds: WorkBounds,
    /// Until when the transaction may take, where its client says so.
    until: Option<Instant>,
    /// Until when the query at work may take.
    deadline: Option<Instant>,
}

impl Transactions {
    /// Transactions over queries, on threads of their own, in the queues of all protocols.
    pub fn new(queries: Arc<dyn Queries>, serving: Arc<Serving>, options: Options) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(options.transactions_max.max(1))
            .thread_name("transaction")
            .on_thread_start(threads::run_anywhere)
            .build();
        let threads = runtime.inspect_err(|error| tracing::warn!(%error, "no threads for transactions")).ok();
        let places = Arc::new(Semaphore::new(options.transactions_max.min(Semaphore::MAX_PERMITS)));
        Self { queries, serving, threads, places, options }
    }

    /// Who carries queries out.
    #[must_use]
    pub fn queries(&self) -> &dyn Queries {
        &*self.queries
    }

    /// What all protocols share.
    #[must_use]
    pub fn serving(&self) -> &Arc<Serving> {
        &self.serving
    }

    /// How transactions are bounded.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Starts a transaction, which waits for its first task. Must be called on a runtime.
    ///
    /// # Errors
    /// There are as many as the settings allow.
    pub fn begin(&self, begin: Begin, answers: impl Answers) -> Result<Transaction, Failure> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            let max = self.options.transactions_max;
            let message = format!(
                "there are {max} transactions and open results already (bolt.transactions_max); end one, or try again"
            );
            Failure::new(Failure::TOO_MANY_TRANSACTIONS, message)
        })?;
        let (tasks, given) = mpsc::channel();
        let transaction = Transaction {
            tasks,
            interrupt: Arc::clone(&begin.interrupt),
            database: begin.database.clone(),
            serving: Arc::clone(&self.serving),
            queries: Arc::clone(&self.queries),
            has_written: false,
            idle: self.options.idle,
            timeout: self.options.timeout,
            bounds: self.serving.watch.quotas.bounds(&begin.database),
            until: begin.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            deadline: None,
        };
        let (queries, serving) = (Arc::clone(&self.queries), Arc::clone(&self.serving));
        let options = self.options.clone();
        let traced = traces::here();
        let work = move || {
            let _entered = traced.as_ref().map(traces::Place::enter);
            run(&*queries, &serving, &options, &begin, given, answers, place);
        };
        match &self.threads {
            Some(threads) => drop(threads.spawn_blocking(work)),
            None => drop(tokio::task::spawn_blocking(work)),
        }
        Ok(transaction)
    }
}

impl Transactions {
    /// Carries a transaction out that is a read and the taking of its rows, on the thread at hand, if that takes no
    /// more than a moment. False where it does, or may write, or has more rows than are wanted: nothing has happened
    /// then, and what was answered is to be forgotten.
    pub fn attempt(&self, begin: &Begin, statement: Statement, fetch: &Task, answers: impl Answers) -> bool {
        let attempts = &self.serving.attempts;
        let Some(attempt) = attempts.begin(&[begin.database.as_bytes(), statement.text.as_bytes()]) else {
            return false;
        };
        let time = attempt.time;
        let tried = attempts.carry_out(attempt, || {
            if !begin.is_single || self.queries.may_write(&statement.text) {
                return None;
            }
            let run = Task::Run(Statement { timeout: time, never_waits: true, ..statement });
            let mut client = AtOnce { tasks: [Some(run), Some(fetch.clone())], answers, is_through: false };
            let outcome = carried_out(&*self.queries, &self.serving, begin, &mut client);
            match outcome {
                Ok(()) => client.is_through.then_some(()),
                Err(failure) if failure.code != Failure::TIMED_OUT && failure.code != Failure::TERMINATED => {
                    client.answers.failed(&failure);
                    Some(())
                }
                Err(_) => None,
            }
        });
        tried.is_some()
    }
}

/// The client of a transaction that is carried out at once.
struct AtOnce<A> {
    /// In their order; those at work are gone.
    tasks: [Option<Task>; 2],
    answers: A,
    /// Whether the result has ended.
    is_through: bool,
}

impl<A: Answers> Client for AtOnce<A> {
    fn next(&mut self) -> Option<Task> {
        self.tasks.iter_mut().find_map(Option::take)
    }

    fn opened(&mut self, columns: &[Text]) {
        self.answers.opened(0, columns);
    }

    fn row(&mut self, row: &[Value]) -> Result<(), Gone> {
        self.answers.row(0, row)
    }

    fn paused(&mut self) {}

    fn ended(&mut self, summary: &Summary) {
        self.answers.ended(0, summary);
        self.is_through = true;
    }

    fn committed(&mut self, _bookmark: &str) {}

    fn rolled_back(&mut self) {}
}

impl Drop for Transactions {
    fn drop(&mut self) {
        // Waiting for threads is not allowed on a runtime's own; their transactions see that their clients are gone.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

impl Transaction {
    /// Gives it a task, as soon as there is a slot to work in. `timeout` is the time that the client sets for a query.
    ///
    /// # Errors
    /// No slot: too much waits. The transaction has ended: it was idle for too long.
    pub async fn give(&mut self, task: Task, timeout: Option<Duration>) -> Result<(), Failure> {
        if let Task::Run(statement) = &task {
            self.has_written |= self.queries.may_write(&statement.text);
            let own = timeout.unwrap_or(if self.until.is_some() { Duration::MAX } else { self.timeout });
            let own = self.bounds.time().map_or(own, |most| most.min(own));
            let own = Instant::now().checked_add(own);
            self.deadline = [own, self.until].into_iter().flatten().min();
        }
        let pool = if self.has_written { &self.serving.writes } else { &self.serving.queries };
        let permit = pool.enter(Some(&self.database)).await.map_err(|refused| match refused {
            Refused::Full { .. } => Failure::new(Failure::OVERLOADED, refused.to_string()),
            Refused::ShuttingDown => Failure::new(Failure::SHUTTING_DOWN, refused.to_string()),
        })?;
        self.send(Given { task, permit: Some(permit), timeout, until: self.deadline })
    }

    /// Gives it a task that follows the one before at once, in the same slot.
    ///
    /// # Errors
    /// The transaction has ended.
    pub fn give_next(&self, task: Task) -> Result<(), Failure> {
        self.send(Given { task, permit: None, timeout: None, until: None })
    }

    fn send(&self, given: Given) -> Result<(), Failure> {
        self.tasks.send(given).map_err(|_| {
            let idle = self.idle.as_millis();
            let message = format!(
                "the transaction has ended: it was idle for {idle} ms (bolt.transaction_idle_ms), or its time was over"
            );
            Failure::new(Failure::TRANSACTION_NOT_FOUND, message)
        })
    }

    /// When the query at work is to be interrupted by whoever waits for it, if it has not stopped by itself.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Tells it to stop what it does.
    pub fn interrupt(&self) {
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// The database it is about.
    #[must_use]
    pub fn database(&self) -> &Text {
        &self.database
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.interrupt();
    }
}

/// The thread of a transaction.
fn run(
    queries: &dyn Queries,
    serving: &Serving,
    options: &Options,
    begin: &Begin,
    given: Receiver<Given>,
    answers: impl Answers,
    place: OwnedSemaphorePermit,
) {
    let mut fed = Fed {
        given,
        answers,
        permit: None,
        deadline: begin.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        is_client_timeout: begin.timeout.is_some(),
        until: None,
        next_query: 0,
        current: 0,
        idle: options.idle,
        timeout: options.timeout,
        bounds: serving.watch.quotas.bounds(&begin.database),
        is_bound: false,
    };
    let outcome = carried_out(queries, serving, begin, &mut fed);
    if let Err(mut failure) = outcome {
        let is_late = fed.until.is_some_and(|until| Instant::now() >= until);
        if failure.code == Failure::TERMINATED && is_late {
            failure = Failure::new(Failure::TIMED_OUT, "the query took longer than it may, and was stopped");
        }
        if failure.code == Failure::TIMED_OUT {
            serving.metrics.timeouts.inc();
            if fed.is_bound {
                failure = Failure::new(Failure::TIMED_OUT, fed.bounds.out_of_time());
            } else if fed.is_client_timeout {
                failure.code = Failure::TIMED_OUT_BY_CLIENT.into();
            }
        }
        fed.answers.failed(&failure);
    }
    // The slot and the place are free before the client can ask for more.
    drop(fed.permit.take());
    drop(place);
    fed.answers.flush();
}

/// Carries a transaction out; a panic in it is a failure of it alone.
fn carried_out(
    queries: &dyn Queries,
    serving: &Serving,
    begin: &Begin,
    client: &mut dyn Client,
) -> Result<(), Failure> {
    catch_unwind(AssertUnwindSafe(|| queries.transaction(begin, client))).unwrap_or_else(|_| {
        serving.metrics.panics.inc();
        tracing::error!("a transaction panicked; this is a defect of Rhizome, please report it");
        Err(Failure::new(Failure::UNKNOWN, "an internal error happened in the transaction; it has been logged"))
    })
}

/// The client of a transaction, fed by its handle.
struct Fed<A> {
    given: Receiver<Given>,
    answers: A,
    permit: Option<Permit>,
    deadline: Option<Instant>,
    is_client_timeout: bool,
    /// Until when the query that was run last may take.
    until: Option<Instant>,
    next_query: i64,
    /// The query of the task at work.
    current: i64,
    idle: Duration,
    timeout: Duration,
    bounds: WorkBounds,
    /// Whether the query that was run last has no more time because of the graph's own limit.
    is_bound: bool,
}

impl<A: Answers> Fed<A> {
    fn wait(&mut self) -> Option<Given> {
        match self.given.try_recv() {
            Ok(given) => return Some(given),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        // Others may work while this one waits.
        self.permit = None;
        self.answers.flush();
        let left = self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
        self.given.recv_timeout(self.idle.min(left)).ok()
    }
}

impl<A: Answers> Client for Fed<A> {
    fn next(&mut self) -> Option<Task> {
        let Given { task, permit, timeout, until } = self.wait()?;
        self.answers.begins();
        if permit.is_some() {
            self.permit = permit;
        }
        match task {
            Task::Run(statement) => {
                self.is_client_timeout |= timeout.is_some();
                let own = timeout.unwrap_or(if self.deadline.is_some() { Duration::MAX } else { self.timeout });
                let left = self.deadline.map_or(own, |deadline| deadline.saturating_duration_since(Instant::now()));
                let own = own.min(left);
                let most = self.bounds.time().filter(|most| *most < own);
                self.is_bound = most.is_some();
                let own = most.unwrap_or(own);
                // One that is interrupted at its deadline must not find that it has time left.
                self.until = [Instant::now().checked_add(own), until].into_iter().flatten().min();
                Some(Task::Run(Statement { timeout: own, ..statement }))
            }
            Task::Pull { query, .. } | Task::Discard { query, .. } => {
                self.current = query;
                Some(task)
            }
            Task::Commit | Task::Rollback => Some(task),
        }
    }

    fn opened(&mut self, columns: &[Text]) {
        self.answers.opened(self.next_query, columns);
        self.next_query += 1;
    }

    fn row(&mut self, row: &[Value]) -> Result<(), Gone> {
        self.answers.row(self.current, row)
    }

    fn paused(&mut self) {
        self.answers.paused();
    }

    fn ended(&mut self, summary: &Summary) {
        self.answers.ended(self.current, summary);
    }

    fn committed(&mut self, bookmark: &str) {
        self.answers.committed(bookmark);
    }

    fn rolled_back(&mut self) {
        self.answers.rolled_back();
    }
}
