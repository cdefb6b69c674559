//! Transactions over graphs in memory.

#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use auth::Caller;
use cypher_session::{
    Answers, Begin, Client, Failure, Gone, GraphQueries, Queries, Statement, Summary, Task, Transactions,
};
use cypher_value::{Map, Text, Value};
use graph_host::{GraphConf, Store, StoreOptions};
use key_codec::tables::TABLES;
use kv::MemoryEngine;
use query_service::{Options, QueryService};

/// Gives tasks, and keeps what is answered.
#[derive(Default)]
struct Script {
    tasks: VecDeque<Task>,
    told: Vec<String>,
    rows: Vec<Vec<Value>>,
    last: Option<Summary>,
    /// Rows after which it goes away.
    rows_max: Option<usize>,
}

impl Client for Script {
    fn next(&mut self) -> Option<Task> {
        self.tasks.pop_front()
    }

    fn opened(&mut self, columns: &[Text]) {
        self.told.push(format!("opened {}", columns.join(",")));
    }

    fn row(&mut self, row: &[Value]) -> Result<(), Gone> {
        if self.rows_max.is_some_and(|max| self.rows.len() >= max) {
            return Err(Gone);
        }
        self.rows.push(row.to_vec());
        Ok(())
    }

    fn paused(&mut self) {
        self.told.push("paused".to_owned());
    }

    fn ended(&mut self, summary: &Summary) {
        self.told.push("ended".to_owned());
        self.last = Some(summary.clone());
    }

    fn committed(&mut self, bookmark: &str) {
        self.told.push(format!("committed {bookmark}"));
    }

    fn rolled_back(&mut self) {
        self.told.push("rolled back".to_owned());
    }
}

fn queries() -> GraphQueries {
    let store = Store::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default()).unwrap();
    let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
    store.create_graph("auto", &conf).unwrap();
    GraphQueries::new(Arc::new(QueryService::new(Arc::new(store), Options::default())))
}

fn begin(is_single: bool) -> Begin {
    Begin {
        database: "auto".into(),
        caller: Caller::anonymous(),
        is_read: false,
        is_single,
        bookmarks: Vec::new(),
        metadata: Map::new(),
        timeout: None,
        interrupt: Arc::default(),
    }
}

fn run(text: &str) -> Task {
    Task::Run(Statement { timeout: Duration::from_secs(20), ..Statement::new(text.into(), Map::new()) })
}

fn pull(rows: Option<u64>, query: i64) -> Task {
    Task::Pull { rows, query }
}

fn carry_out(queries: &GraphQueries, begin: &Begin, tasks: Vec<Task>) -> (Script, Result<(), Failure>) {
    let mut script = Script { tasks: tasks.into(), ..Script::default() };
    let outcome = queries.transaction(begin, &mut script);
    (script, outcome)
}

/// The rows of a query that stands alone.
fn rows(queries: &GraphQueries, text: &str) -> Vec<Vec<Value>> {
    let (script, outcome) = carry_out(queries, &begin(true), vec![run(text), pull(None, 0)]);
    outcome.unwrap();
    script.rows
}

fn count(queries: &GraphQueries) -> Value {
    rows(queries, "MATCH (n) RETURN count(n)").remove(0).remove(0)
}

#[test]
fn a_query_that_stands_alone_is_committed() {
    let queries = queries();
    let tasks = vec![run("CREATE (n:A {x: 1}) RETURN n.x AS x"), pull(Some(1), 0)];
    let (script, outcome) = carry_out(&queries, &begin(true), tasks);
    outcome.unwrap();
    assert_eq!(script.told, ["opened x", "ended"]);
    assert_eq!(script.rows, [[Value::Integer(1)]]);
    let summary = script.last.unwrap();
    assert_eq!((summary.counters.nodes_created, summary.kind.name()), (1, "rw"));
    assert_eq!(summary.bookmark.as_deref(), Some("rhizome:auto:1"));
    assert_eq!(count(&queries), Value::Integer(1));
}

/// Keeps what is answered, where the test can look at it.
#[derive(Clone, Default)]
struct Told(Arc<std::sync::Mutex<Vec<String>>>);

impl Told {
    fn tell(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Answers for Told {
    fn opened(&mut self, _query: i64, columns: &[Text]) {
        self.tell(format!("opened {}", columns.join(",")));
    }

    fn begins(&mut self) {}

    fn row(&mut self, _query: i64, row: &[Value]) -> Result<(), Gone> {
        self.tell(format!("{row:?}"));
        Ok(())
    }

    fn paused(&mut self) {}

    fn ended(&mut self, _query: i64, _summary: &Summary) {
        self.tell("ended".to_owned());
    }

    fn committed(&mut self, _bookmark: &str) {}

    fn rolled_back(&mut self) {}

    fn failed(&mut self, failure: &Failure) {
        self.tell(failure.code.to_string());
    }

    fn flush(&mut self) {}
}

#[test]
fn short_reads_need_no_thread_and_others_are_left_undone() {
    let queries = Arc::new(queries());
    // Long enough for the first queries on whatever machine.
    let options = serving::Options { attempt: Duration::from_secs(1), ..serving::Options::default() };
    let serving = Arc::new(serving::Serving::new(options));
    let transactions =
        Transactions::new(Arc::clone(&queries) as Arc<dyn Queries>, serving, cypher_session::Options::default());
    let told = Told::default();
    let attempt = |text: &str, rows| {
        let Task::Run(statement) = run(text) else { unreachable!() };
        (transactions.attempt(&begin(true), statement, &pull(rows, 0), told.clone()), told.take())
    };
    assert_eq!(attempt("RETURN 1 AS x", None), (true, vec!["opened x".into(), "[Integer(1)]".into(), "ended".into()]));
    let (is_done, answers) = attempt("RETURN 1 / 0 AS x", None);
    assert!(is_done && answers.last().unwrap().starts_with("Neo.ClientError"), "{answers:?}");
    let long = "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN count(x * y) AS x";
    assert!(!attempt(long, None).0);
    // The next one like it is not tried.
    assert_eq!(attempt(long, None), (false, vec![]));
    // More rows than the client wants now, and a write.
    assert!(!attempt("UNWIND [1, 2, 3] AS x RETURN x", Some(2)).0);
    assert_eq!(attempt("CREATE (n:A) RETURN n", None), (false, vec![]));
    assert_eq!(count(&queries), Value::Integer(0));
}

#[test]
fn rows_are_computed_as_they_are_taken() {
    let queries = queries();
    let tasks = vec![
        run("UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN x * y AS x"),
        pull(Some(2), 0),
        Task::Discard { rows: Some(2), query: 0 },
        pull(Some(1), 0),
    ];
    let (script, outcome) = carry_out(&queries, &begin(true), tasks);
    outcome.unwrap();
    assert_eq!(script.rows, [[Value::Integer(1)], [Value::Integer(2)], [Value::Integer(5)]]);
    assert_eq!(script.told, ["opened x", "paused", "paused", "paused"]);
    // As many as there are: it is known that they were the last.
    let (script, _) = carry_out(&queries, &begin(true), vec![run("UNWIND [1, 2] AS x RETURN x"), pull(Some(2), 0)]);
    assert_eq!(script.told, ["opened x", "ended"]);
}

#[test]
fn a_transaction_sees_what_it_wrote_and_others_do_not() {
    let queries = queries();
    let tasks = |end| {
        vec![run("CREATE (:A), (:A)"), pull(None, 0), run("MATCH (n:A) RETURN count(n) AS c"), pull(None, 1), end]
    };
    let (script, outcome) = carry_out(&queries, &begin(false), tasks(Task::Rollback));
    outcome.unwrap();
    assert_eq!(script.rows, [[Value::Integer(2)]]);
    assert_eq!(script.told.last().unwrap(), "rolled back");
    assert_eq!(count(&queries), Value::Integer(0));
    let (script, outcome) = carry_out(&queries, &begin(false), tasks(Task::Commit));
    outcome.unwrap();
    assert_eq!(script.told.last().unwrap(), "committed rhizome:auto:1");
    assert_eq!(count(&queries), Value::Integer(2));
    // Nobody says how it ends.
    carry_out(&queries, &begin(false), vec![run("CREATE (:A)"), pull(None, 0)]).1.unwrap();
    assert_eq!(count(&queries), Value::Integer(2));
    // Its rows are not taken, but it is carried out.
    carry_out(&queries, &begin(false), vec![run("CREATE (:A)"), Task::Commit]).1.unwrap();
    assert_eq!(count(&queries), Value::Integer(3));
}

#[test]
fn several_results_are_open_in_a_transaction() {
    let queries = queries();
    let tasks = vec![
        run("UNWIND [1, 2, 3] AS x RETURN x"),
        pull(Some(1), 0),
        run("UNWIND [10, 20] AS y RETURN y"),
        pull(Some(1), 1),
        pull(Some(1), 0),
        pull(None, 1),
        pull(None, 0),
        Task::Commit,
    ];
    let (script, outcome) = carry_out(&queries, &begin(false), tasks);
    outcome.unwrap();
    let found: Vec<&Value> = script.rows.iter().flatten().collect();
    assert_eq!(found, [1, 10, 2, 20, 3].map(Value::Integer).iter().collect::<Vec<_>>());
    assert_eq!(script.told.iter().filter(|told| *told == "ended").count(), 2);
}

#[test]
fn failures_leave_nothing() {
    let queries = queries();
    for (text, code) in [
        ("RETURN foo", "Neo.ClientError.Statement.SyntaxError"),
        ("CREATE (:A) RETURN 1/0 AS x", "Neo.ClientError.Statement.ArithmeticError"),
        ("RETURN $p AS p", "Neo.ClientError.Statement.ParameterMissing"),
    ] {
        for is_single in [true, false] {
            let (_, outcome) = carry_out(&queries, &begin(is_single), vec![run(text), pull(None, 0), Task::Commit]);
            assert_eq!(outcome.unwrap_err().code, code, "{text}");
        }
    }
    assert_eq!(count(&queries), Value::Integer(0));
    let begin = Begin { is_read: true, ..begin(true) };
    let (_, outcome) = carry_out(&queries, &begin, vec![run("CREATE (:A)"), pull(None, 0)]);
    assert_eq!(outcome.unwrap_err().code, Failure::ACCESS_MODE);
}

#[test]
fn queries_stop_in_time_and_when_they_are_told() {
    let queries = queries();
    let endless = "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y WITH x WHERE x < 0 RETURN x";
    let statement = Statement { timeout: Duration::from_millis(50), ..Statement::new(endless.into(), Map::new()) };
    let (_, outcome) = carry_out(&queries, &begin(true), vec![Task::Run(statement), pull(None, 0)]);
    assert_eq!(outcome.unwrap_err().code, Failure::TIMED_OUT);
    let begin = begin(true);
    let interrupt: Arc<AtomicBool> = Arc::clone(&begin.interrupt);
    let teller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        interrupt.store(true, Ordering::Relaxed);
    });
    let (_, outcome) = carry_out(&queries, &begin, vec![run(endless), pull(None, 0)]);
    assert_eq!(outcome.unwrap_err().code, Failure::TERMINATED);
    teller.join().unwrap();
}

/// Whoever tries a query for a moment must not get a plan each time that lacks the figures it has no time for.
#[test]
fn a_plan_needs_the_time_for_its_figures() {
    let queries = queries();
    rows(&queries, "CREATE (:A)-[:R]->(:B)");
    let text = "MATCH ()-[r]->() RETURN count(r)";
    let at_once = || Statement { timeout: Duration::ZERO, ..Statement::new(text.into(), Map::new()) };
    let (script, outcome) = carry_out(&queries, &begin(true), vec![Task::Run(at_once()), pull(None, 0)]);
    assert_eq!(outcome.unwrap_err().code, Failure::TIMED_OUT);
    assert_eq!(script.rows, Vec::<Vec<Value>>::new());
    assert_eq!(rows(&queries, text), [[Value::Integer(1)]]);
    let (script, outcome) = carry_out(&queries, &begin(true), vec![Task::Run(at_once()), pull(None, 0)]);
    outcome.unwrap();
    assert_eq!(script.rows, [[Value::Integer(1)]], "its plan is kept, and the count needs no time");
}

#[test]
fn a_client_that_goes_away_ends_its_query() {
    let queries = queries();
    let mut script = Script {
        tasks: [run("UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN x * y AS x"), pull(None, 0)]
            .into(),
        rows_max: Some(3),
        ..Script::default()
    };
    queries.transaction(&begin(true), &mut script).unwrap();
    assert_eq!(script.rows.len(), 3);
}

#[test]
fn databases_are_graphs() {
    let queries = queries();
    for (name, found) in [
        (None, "hugegraph"),
        (Some("auto"), "auto"),
        (Some("AUTO"), "auto"),
        // What tools ask for where nothing is set.
        (Some("neo4j"), "hugegraph"),
        (Some("system"), "hugegraph"),
    ] {
        assert_eq!(queries.database(name).unwrap(), found, "{name:?}");
    }
    assert_eq!(queries.database(Some("other")).unwrap_err().code, Failure::DATABASE_NOT_FOUND);
}

const BEGUN_AT_EITHER_END: &str = "EXPLAIN MATCH (a:A)-[:R]->(b:B) RETURN a.x, b.x";

/// The first step of the plan of that query.
fn start(queries: &GraphQueries) -> (String, Vec<(Text, Value)>) {
    let (script, outcome) = carry_out(queries, &begin(true), vec![run(BEGUN_AT_EITHER_END), pull(None, 0)]);
    outcome.unwrap();
    let mut plan = script.last.unwrap().plan.unwrap();
    while let Some(below) = plan.children.pop() {
        plan = below;
    }
    (format!("{:?}", plan.arguments), plan.arguments)
}

/// An attempt may end before it has gathered what the plan is made by.
#[test]
fn a_plan_that_had_no_time_for_figures_is_not_kept() {
    let queries = queries();
    rows(&queries, "CREATE (:A {x: 0})-[:R]->(:B {x: 0})");
    rows(&queries, "UNWIND range(1, 50) AS x CREATE (:A {x: x})");
    let statement = Statement { timeout: Duration::ZERO, ..Statement::new(BEGUN_AT_EITHER_END.into(), Map::new()) };
    let (_, _outcome) = carry_out(&queries, &begin(true), vec![Task::Run(statement), pull(None, 0)]);
    let shown = start(&queries).0;
    assert!(shown.contains(":B"), "{shown}");
}

/// The start of a pattern is chosen by how many nodes there are, also once these have become others.
#[test]
fn plans_follow_what_the_graph_holds() {
    let queries = queries();
    rows(&queries, "CREATE (:A {x: 0})-[:R]->(:B {x: 0})");
    rows(&queries, "UNWIND range(1, 50) AS x CREATE (:A {x: x})");
    let (shown, arguments) = start(&queries);
    assert!(shown.contains(":B"), "{shown}");
    assert!(arguments.contains(&("EstimatedRows".into(), Value::Float(1.0))), "{shown}");
    rows(&queries, "UNWIND range(1, 500) AS x CREATE (:B {x: x})");
    // Figures are gathered again once they are old.
    let begun = std::time::Instant::now();
    while !start(&queries).0.contains(":A") {
        assert!(begun.elapsed() < Duration::from_secs(60), "the plan goes by old figures still");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn databases_are_the_graphs() {
    let queries = queries();
    let shown = rows(&queries, "SHOW DATABASES YIELD name, default RETURN name, default");
    let row = |name: &str, is_default| vec![Value::String(name.into()), Value::Boolean(is_default)];
    assert_eq!(shown, [row("hugegraph", true), row("auto", false)]);
}
