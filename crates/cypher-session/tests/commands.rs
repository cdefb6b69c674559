//! Commands about the schema, files, batches of transactions and merges of many clients, over graphs in memory.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it panics")]

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use auth::Caller;
use cypher_session::{Begin, Client, Failure, Gone, GraphQueries, Queries, Statement, Summary, Task};
use cypher_value::{Map, Text, Value, to_text};
use graph_host::{GraphConf, Store, StoreOptions};
use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{NewEdgeLabel, NewPropertyKey, NewVertexLabel};
use key_codec::tables::TABLES;
use kv::MemoryEngine;
use query_service::{Options, QueryService};

/// Gives tasks, and keeps what is answered.
#[derive(Default)]
struct Script {
    tasks: VecDeque<Task>,
    rows: Vec<Vec<Value>>,
    ended: Vec<Summary>,
}

impl Client for Script {
    fn next(&mut self) -> Option<Task> {
        self.tasks.pop_front()
    }

    fn opened(&mut self, _: &[Text]) {}

    fn row(&mut self, row: &[Value]) -> Result<(), Gone> {
        self.rows.push(row.to_vec());
        Ok(())
    }

    fn paused(&mut self) {}

    fn ended(&mut self, summary: &Summary) {
        self.ended.push(summary.clone());
    }

    fn committed(&mut self, _: &str) {}

    fn rolled_back(&mut self) {}
}

struct Server {
    queries: GraphQueries,
}

impl Server {
    /// A server with an auto graph, and a strict one whose nodes are persons that know each other.
    fn new(options: Options) -> Self {
        let store = Store::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default()).unwrap();
        let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
        store.create_graph("auto", &conf).unwrap();
        let graph = store.graph("hugegraph").unwrap();
        for (key, of) in [("name", DataType::Text), ("age", DataType::Int), ("mail", DataType::Text)] {
            graph.schema().create_property_key(&NewPropertyKey::new(key, of, Cardinality::Single)).unwrap();
        }
        let keys = ["name", "age", "mail"].map(str::to_owned).to_vec();
        let person = NewVertexLabel {
            id_strategy: Some(IdStrategy::Automatic),
            properties: keys.clone(),
            nullable_keys: keys.clone(),
            ..NewVertexLabel::new("person")
        };
        graph.schema().create_vertex_label(&person).unwrap();
        let knows = NewEdgeLabel {
            properties: keys.clone(),
            nullable_keys: keys,
            ..NewEdgeLabel::new("knows", "person", "person")
        };
        graph.schema().create_edge_label(&knows).unwrap();
        Self { queries: GraphQueries::new(Arc::new(QueryService::new(Arc::new(store), options))) }
    }

    fn transaction(&self, graph: &str, is_single: bool, tasks: Vec<Task>) -> Result<Script, Failure> {
        let begin = Begin {
            database: graph.into(),
            caller: Caller::anonymous(),
            is_read: false,
            is_single,
            bookmarks: Vec::new(),
            metadata: Map::new(),
            timeout: None,
            interrupt: Arc::default(),
        };
        let mut script = Script { tasks: tasks.into(), ..Script::default() };
        self.queries.transaction(&begin, &mut script)?;
        Ok(script)
    }

    fn try_run(&self, graph: &str, text: &str) -> Result<(Vec<String>, Summary), Failure> {
        let mut script = self.transaction(graph, true, vec![run(text), pull(0)])?;
        Ok((script.rows.iter().map(|row| told(row)).collect(), script.ended.pop().unwrap()))
    }

    fn rows(&self, graph: &str, text: &str) -> Vec<String> {
        self.try_run(graph, text).unwrap_or_else(|failure| panic!("{text}: {failure}")).0
    }

    fn strict(&self, text: &str) -> Summary {
        self.try_run("hugegraph", text).unwrap_or_else(|failure| panic!("{text}: {failure}")).1
    }

    /// The code and the message of a failure.
    fn refused(&self, graph: &str, text: &str) -> (String, String) {
        let failure = self.try_run(graph, text).map(drop).unwrap_err();
        (failure.code.to_string(), failure.message)
    }
}

fn run(text: &str) -> Task {
    Task::Run(Statement { timeout: Duration::from_secs(60), ..Statement::new(text.into(), Map::new()) })
}

fn pull(query: i64) -> Task {
    Task::Pull { rows: None, query }
}

fn told(row: &[Value]) -> String {
    row.iter().map(shown).collect::<Vec<_>>().join(" ")
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => format!("{text:?}"),
        Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        other => to_text(other).map_or_else(|| format!("{other:?}"), |text| text.to_string()),
    }
}

#[test]
fn indexes_are_made_built_shown_and_dropped() {
    let server = Server::new(Options::default());
    server.strict("UNWIND range(1, 300) AS x CREATE (:person {name: 'n' + x % 10, age: x})");
    let made = server.strict("CREATE INDEX by_age FOR (n:person) ON (n.age)");
    assert_eq!((made.counters.indexes_added, made.kind.name(), made.notifications.len()), (1, "s", 0));
    server.strict("CREATE TEXT INDEX by_name FOR (n:person) ON (n.name)");
    server.strict("CREATE INDEX known FOR ()-[r:knows]-() ON (r.age, r.name)");
    server.strict("CALL db.awaitIndexes(60)");
    assert_eq!(
        server.rows("hugegraph", "SHOW INDEXES YIELD name, state, type, entityType, labelsOrTypes, properties"),
        [
            "\"by_age\" \"ONLINE\" \"RANGE\" \"NODE\" [\"person\"] [\"age\"]",
            "\"by_name\" \"ONLINE\" \"TEXT\" \"NODE\" [\"person\"] [\"name\"]",
            "\"known\" \"ONLINE\" \"RANGE\" \"RELATIONSHIP\" [\"knows\"] [\"age\", \"name\"]",
        ]
    );
    assert_eq!(server.rows("hugegraph", "MATCH (n:person {age: 17}) RETURN n.name"), ["\"n7\""]);
    assert_eq!(server.rows("hugegraph", "MATCH (n:person {name: 'n7'}) RETURN count(*)"), ["30"]);

    let again = server.strict("CREATE INDEX by_age IF NOT EXISTS FOR (n:person) ON (n.age)");
    let [note] = again.notifications.as_slice() else { panic!("{again:?}") };
    assert_eq!(&*note.code, "Neo.ClientNotification.Schema.IndexOrConstraintAlreadyExists");
    assert_eq!(note.description, "`RANGE INDEX by_age FOR (e:person) ON (e.age)` already exists.");
    assert_eq!(again.counters.indexes_added, 0);
    for (text, code) in [
        ("CREATE INDEX by_age FOR (n:person) ON (n.age)", "EquivalentSchemaRuleAlreadyExists"),
        ("CREATE INDEX other FOR (n:person) ON (n.age)", "IndexAlreadyExists"),
        ("CREATE INDEX by_age FOR (n:person) ON (n.mail)", "IndexWithNameAlreadyExists"),
        ("CREATE INDEX FOR (n:nobody) ON (n.age)", "IndexCreationFailed"),
        ("CREATE INDEX FOR (n:person) ON (n.nothing)", "IndexCreationFailed"),
        ("CREATE VECTOR INDEX v FOR (n:person) ON (n.age)", "IndexCreationFailed"),
        ("CREATE POINT INDEX FOR (n:person) ON (n.age)", "IndexCreationFailed"),
        ("DROP INDEX nothing", "IndexDropFailed"),
    ] {
        let (own, message) = server.refused("hugegraph", text);
        assert_eq!(own.rsplit('.').next(), Some(code), "{text}: {message}");
    }
    assert_eq!(server.strict("DROP INDEX by_age").counters.indexes_removed, 1);
    let missing = server.strict("DROP INDEX by_age IF EXISTS");
    assert_eq!(&*missing.notifications[0].code, "Neo.ClientNotification.Schema.IndexOrConstraintDoesNotExist");
    assert_eq!(server.rows("hugegraph", "SHOW INDEXES YIELD name").len(), 2);
}

#[test]
fn constraints_hold_or_are_not_made() {
    let server = Server::new(Options::default());
    server.strict("CREATE (:person {name: 'a', mail: 'x'}), (:person {name: 'b', mail: 'x'}), (:person {age: 1})");
    let (code, message) = server.refused("hugegraph", "CREATE CONSTRAINT one FOR (n:person) REQUIRE n.mail IS UNIQUE");
    assert_eq!(code, "Neo.DatabaseError.Schema.ConstraintCreationFailed", "{message}");
    assert!(message.contains("one") && message.contains("(:person {mail})"), "{message}");
    assert!(server.rows("hugegraph", "SHOW CONSTRAINTS").is_empty());

    server.strict("MATCH (n:person {name: 'b'}) SET n.mail = 'y'");
    let made = server.strict("CREATE CONSTRAINT one FOR (n:person) REQUIRE n.mail IS UNIQUE");
    assert_eq!((made.counters.constraints_added, made.kind.name()), (1, "s"));
    server.strict("CALL db.awaitIndexes()");
    let (code, _) = server.refused("hugegraph", "CREATE (:person {mail: 'y'})");
    assert_eq!(code, "Neo.ClientError.Schema.ConstraintValidationFailed");
    // Its nodes are found by an index of its own, which is a part of it.
    assert!(server.rows("hugegraph", "PROFILE MATCH (n:person {mail: 'y'}) RETURN n.name") == ["\"b\""]);
    assert_eq!(
        server.rows("hugegraph", "SHOW INDEXES YIELD name, type, owningConstraint"),
        ["\"one\" \"RANGE\" \"one\""]
    );
    assert_eq!(server.refused("hugegraph", "DROP INDEX one").0, "Neo.ClientError.Schema.ForbiddenOnConstraintIndex");

    let required = "CREATE CONSTRAINT named FOR (n:person) REQUIRE n.name IS NOT NULL";
    let (code, message) = server.refused("hugegraph", required);
    assert_eq!(code, "Neo.DatabaseError.Schema.ConstraintCreationFailed", "{message}");
    server.strict("CREATE (:person {age: 2})");
    server.strict("MATCH (n:person) WHERE n.name IS NULL DELETE n");
    assert_eq!(server.strict(required).counters.constraints_added, 1);
    assert!(server.refused("hugegraph", "CREATE (:person {age: 3})").1.contains("name"));
    assert_eq!(
        server.rows("hugegraph", "SHOW CONSTRAINTS YIELD name, type, properties"),
        ["\"one\" \"UNIQUENESS\" [\"mail\"]", "\"named\" \"NODE_PROPERTY_EXISTENCE\" [\"name\"]"]
    );
    assert_eq!(server.refused("hugegraph", required).0, "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists");
    assert_eq!(server.strict("DROP CONSTRAINT named").counters.constraints_removed, 1);
    server.strict("CREATE (:person {age: 3})");
    assert_eq!(server.strict("DROP CONSTRAINT one").counters.constraints_removed, 1);
    server.strict("CREATE (:person {mail: 'y'})");
    assert!(server.rows("hugegraph", "SHOW CONSTRAINTS").is_empty());
    let key = "CREATE CONSTRAINT FOR (n:person) REQUIRE (n.name, n.age) IS NODE KEY";
    assert!(server.refused("hugegraph", key).1.contains("primary keys"));
    assert_eq!(server.refused("hugegraph", "DROP CONSTRAINT one").0, "Neo.DatabaseError.Schema.ConstraintDropFailed");
}

#[test]
fn a_transaction_changes_data_or_the_schema() {
    let server = Server::new(Options::default());
    let of = |texts: &[&str]| {
        let tasks = texts.iter().enumerate().flat_map(|(at, text)| [run(text), pull(i64::try_from(at).unwrap())]);
        let tasks = tasks.chain([Task::Commit]).collect();
        server.transaction("hugegraph", false, tasks).map(|script| script.ended)
    };
    let create = "CREATE INDEX by_age FOR (n:person) ON (n.age)";
    for texts in [["CREATE (:person {age: 1})", create], [create, "CREATE (:person {age: 1})"]] {
        let code = of(&texts).map(drop).unwrap_err().code;
        assert_eq!(code, "Neo.ClientError.Transaction.ForbiddenDueToTransactionType", "{texts:?}");
    }
    let ended = of(&["CREATE INDEX by_name FOR (n:person) ON (n.name)", "SHOW INDEXES"]).unwrap();
    assert_eq!(ended[0].counters.indexes_added, 1);
}

#[test]
fn files_of_allowed_folders_are_read_row_by_row() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.csv"), "a\n1\n").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.csv"), folder.path().join("link.csv")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("way")).unwrap();
    std::fs::write(folder.path().join("people.csv"), "\u{feff}id,name\n1,Ann\n2,\"B \\\"b\\\", c\"\n3,\n").unwrap();
    std::fs::write(folder.path().join("semi colon.csv"), "1;2\n3;4\n").unwrap();
    let long = format!("a\n{}\n", "x".repeat(300_000));
    std::fs::write(folder.path().join("long.csv"), long).unwrap();
    let numbers = (0..5_000).fold("x\n".to_owned(), |text, x| format!("{text}{x}\n"));
    std::fs::write(folder.path().join("numbers.csv"), numbers).unwrap();

    let closed = Server::new(Options::default());
    let query = "LOAD CSV WITH HEADERS FROM 'file:///people.csv' AS row RETURN row.id, row.name";
    let (code, message) = closed.refused("auto", query);
    assert_eq!(code, "Neo.ClientError.Statement.ExternalResourceFailed");
    assert!(message.contains("cypher.import_folders"), "{message}");

    let import_folders = vec![folder.path().to_path_buf()];
    let server = Server::new(Options { import_folders, csv_row_bytes_max: 100_000, ..Options::default() });
    assert_eq!(server.rows("auto", query), ["\"1\" \"Ann\"", "\"2\" \"B \\\"b\\\", c\"", "\"3\" null"]);
    let plain = "LOAD CSV FROM 'file:///semi%20colon.csv' AS row FIELDTERMINATOR ';' RETURN row[1]";
    assert_eq!(server.rows("auto", plain), ["\"2\"", "\"4\""]);
    let whole = format!("LOAD CSV FROM 'file://{}/people.csv' AS row RETURN count(*)", folder.path().display());
    assert_eq!(server.rows("auto", &whole), ["4"]);
    for (path, why) in [
        ("file:///link.csv", "leads out"),
        ("file:///way/secret.csv", "leads out"),
        ("file:///../secret.csv", "'..'"),
        ("file:///%2e%2e/secret.csv", "'..'"),
        ("file:///nothing.csv", "no such file"),
        ("file:///", "not a file"),
        ("file://host/people.csv", "names a host"),
        ("https://example.org/people.csv", "only files"),
        ("file:///long.csv", "csv_row_bytes_max"),
    ] {
        let (code, message) = server.refused("auto", &format!("LOAD CSV FROM '{path}' AS row RETURN row"));
        assert_eq!(code, "Neo.ClientError.Statement.ExternalResourceFailed", "{path}: {message}");
        assert!(message.contains(why), "{path}: {message}");
    }
    let outside = format!("LOAD CSV FROM 'file://{}/secret.csv' AS row RETURN row", outside.path().display());
    assert!(server.refused("auto", &outside).1.contains("no such file"));

    let load = "LOAD CSV WITH HEADERS FROM 'file:///numbers.csv' AS row \
                CALL (row) { CREATE (n:N {x: toInteger(row.x)}) } IN TRANSACTIONS OF 500 ROWS";
    assert_eq!(server.try_run("auto", load).unwrap().1.counters.nodes_created, 5_000);
    assert_eq!(server.rows("auto", "MATCH (n:N) RETURN count(*), max(n.x)"), ["5000 4999"]);
}

#[test]
fn batches_are_committed_one_by_one() {
    let server = Server::new(Options::default());
    let failing = |on_error: &str| {
        format!(
            "UNWIND range(1, 10) AS x CALL (x) {{ CREATE (:B {{x: 20 / (5 - x)}}) }} \
             IN TRANSACTIONS OF 2 ROWS {on_error}"
        )
    };
    let count = || server.rows("auto", "MATCH (n:B) RETURN count(*)");
    let (code, _) = server.refused("auto", &failing(""));
    assert_eq!(code, "Neo.ClientError.Statement.ArithmeticError");
    assert_eq!(count(), ["4"], "the two batches before the failure stay");
    let summary = server.try_run("auto", &failing("ON ERROR CONTINUE")).unwrap().1;
    assert_eq!(summary.counters.nodes_created, 8);
    assert_eq!(count(), ["12"]);
    let summary = server.try_run("auto", &failing("ON ERROR BREAK")).unwrap().1;
    assert_eq!(summary.counters.nodes_created, 4);
    assert_eq!(count(), ["16"]);
    let report = "UNWIND range(1, 6) AS x CALL (x) { CREATE (n:C {x: 1 / (3 - x)}) RETURN n.x AS y } \
                  IN TRANSACTIONS OF 2 ROWS ON ERROR BREAK REPORT STATUS AS s \
                  RETURN x, y, s.started, s.committed, s.errorMessage IS NULL";
    assert_eq!(
        server.rows("auto", report),
        [
            "1 0 true true true",
            "2 1 true true true",
            "3 null true false false",
            "4 null true false false",
            "5 null false false true",
            "6 null false false true",
        ]
    );
    // What is read after a batch is what was committed.
    let seen = "UNWIND [1, 2, 3] AS x CALL (x) { MATCH (n:C) WITH x, count(n) AS c CREATE (:C {x: c}) RETURN c } \
                IN TRANSACTIONS OF 1 ROW RETURN x, c";
    assert_eq!(server.rows("auto", seen), ["1 2", "2 3", "3 4"]);

    for (text, why) in [
        ("CREATE (:X) WITH 1 AS x CALL (x) { CREATE (:Y) } IN TRANSACTIONS", "after a write clause"),
        ("CALL { CALL { CREATE (:Y) } IN TRANSACTIONS }", "another CALL"),
        ("CALL { CREATE (:Y) } IN TRANSACTIONS RETURN 1 AS x UNION RETURN 2 AS x", "UNION"),
        ("UNWIND [1] AS x CALL (x) { CREATE (:Y) } IN TRANSACTIONS OF 0 ROWS", "greater than 0"),
    ] {
        assert!(server.refused("auto", text).1.contains(why), "{text}: {:?}", server.refused("auto", text));
    }
    let tasks = vec![run("CALL { CREATE (:Y) } IN TRANSACTIONS"), pull(0), Task::Commit];
    let failure = server.transaction("auto", false, tasks).map(drop).unwrap_err();
    assert_eq!(failure.code, "Neo.DatabaseError.Transaction.TransactionStartFailed");
}

#[test]
fn many_clients_that_merge_one_pattern_make_it_once() {
    let server = Server::new(Options::default());
    server.rows("auto", "CREATE (:End {x: 1}), (:End {x: 2})");
    std::thread::scope(|scope| {
        for at in 0..8 {
            let server = &server;
            scope.spawn(move || {
                for round in 0..15 {
                    let text = format!("MERGE (n:M {{x: {round}}}) ON CREATE SET n.made = 1 SET n.seen = {at}");
                    server.rows("auto", &text);
                    // Several in one transaction, in another order for every second client.
                    let order = if at % 2 == 0 { "range(0, 9)" } else { "range(9, 0, -1)" };
                    let many = format!("UNWIND {order} AS x MERGE (n:Many {{x: x, round: {round}}})");
                    server.rows("auto", &many);
                    let edge = "MATCH (a:End {x: 1}), (b:End {x: 2}) MERGE (a)-[:R]-(b)";
                    server.rows("auto", edge);
                }
            });
        }
    });
    assert_eq!(server.rows("auto", "MATCH (n:M) RETURN count(*), sum(n.made)"), ["15 15"]);
    assert_eq!(server.rows("auto", "MATCH (n:Many) RETURN count(*)"), ["150"]);
    assert_eq!(server.rows("auto", "MATCH (:End)-[r:R]->(:End) RETURN count(r)"), ["1"]);
}

#[test]
fn transactions_that_merge_against_each_other_end_in_one_deadlock_or_none() {
    let server = Server::new(Options::default());
    let outcomes: Vec<Result<(), Failure>> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..6)
            .map(|at| {
                let server = &server;
                scope.spawn(move || {
                    let (first, second) = if at % 2 == 0 { (1, 2) } else { (2, 1) };
                    let merge = |x: i64| run(&format!("MERGE (n:D {{x: {x}}})"));
                    let tasks = vec![merge(first), pull(0), merge(second), pull(1), Task::Commit];
                    server.transaction("auto", false, tasks).map(drop)
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    for failure in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert_eq!(failure.code, "Neo.TransientError.Transaction.DeadlockDetected", "{failure}");
    }
    assert!(outcomes.iter().any(Result::is_ok));
    assert_eq!(server.rows("auto", "MATCH (n:D) RETURN count(*)"), ["2"]);
}

/// The operators of a plan with what they work on.
fn operators(plan: &cypher_session::Plan, into: &mut Vec<String>) {
    into.push(format!("{} {:?}", plan.operator, plan.arguments));
    plan.children.iter().for_each(|child| operators(child, into));
}

fn explained(server: &Server, text: &str) -> String {
    let (_, summary) = server.try_run("auto", &format!("EXPLAIN {text}")).unwrap();
    let mut all = Vec::new();
    operators(summary.plan.as_ref().unwrap(), &mut all);
    all.join("\n")
}

#[test]
fn an_auto_graph_has_indexes_and_constraints_over_all_nodes_with_a_label() {
    let server = Server::new(Options::default());
    let run = |text: &str| server.try_run("auto", text).unwrap_or_else(|failure| panic!("{text}: {failure}"));
    // What LangChain asks before there is anything.
    let made = "CREATE CONSTRAINT IF NOT EXISTS FOR (n:__Entity__) REQUIRE n.id IS UNIQUE";
    assert_eq!(run(made).1.counters.constraints_added, 1);
    assert_eq!(run(made).1.counters.constraints_added, 0);
    run("UNWIND range(1, 40) AS i CREATE (:Doc {id: i, half: i / 2.0, name: 'd' + i}), (:Doc:Old {id: i, name: 'o'})");
    run("CREATE INDEX by_id FOR (n:Doc) ON (n.id)");
    run("CREATE INDEX by_both FOR (n:Old) ON (n.name, n.id)");
    run("CREATE TEXT INDEX by_name FOR (n:Doc) ON (n.name)");
    run("CREATE INDEX known FOR ()-[r:KNOWS]-() ON (r.since)");
    run("CALL db.awaitIndexes(60)");
    assert_eq!(
        server.rows(
            "auto",
            "SHOW INDEXES YIELD name, state, type, labelsOrTypes, properties WHERE name <> 'x' \
            RETURN name, state, type, labelsOrTypes, properties ORDER BY name"
        ),
        [
            "\"by_both\" \"ONLINE\" \"RANGE\" [\"Old\"] [\"name\", \"id\"]",
            "\"by_id\" \"ONLINE\" \"RANGE\" [\"Doc\"] [\"id\"]",
            "\"by_name\" \"ONLINE\" \"TEXT\" [\"Doc\"] [\"name\"]",
        ]
        .into_iter()
        .map(str::to_owned)
        .chain(server.rows(
            "auto",
            "SHOW INDEXES YIELD name, state, type, labelsOrTypes, properties \
            WHERE name STARTS WITH 'constraint' RETURN name, state, type, labelsOrTypes, properties"
        ))
        .chain(["\"known\" \"ONLINE\" \"RANGE\" [\"KNOWS\"] [\"since\"]".to_owned()])
        .collect::<Vec<_>>()
    );
    for (text, rows, index) in [
        ("MATCH (n:Doc {id: 7}) RETURN count(*)", "2", "by_id"),
        ("MATCH (n:Doc {id: 7.0}) RETURN count(*)", "2", "by_id"),
        ("MATCH (n:Doc&!Old {id: 7}) RETURN n.name", "\"d7\"", "by_id"),
        ("MATCH (n:Doc:Old {name: 'o', id: 3}) RETURN labels(n)", "[\"Doc\", \"Old\"]", "by_"),
        ("MATCH (n:Old) WHERE n.name = 'o' RETURN count(n)", "40", "by_both"),
        ("MATCH (n:Doc {name: 'd9'}) RETURN n.id", "9", "by_name"),
        ("MATCH (n:Doc) WHERE n.id IN [3, 4.0, null, 99] RETURN count(n)", "4", "by_id"),
        ("MATCH (n:Doc) WHERE n.id > 38 RETURN count(n)", "4", "by_id"),
        ("MATCH (n:Doc) WHERE 3 <= n.id < 5 RETURN count(n)", "4", "by_id"),
        ("MATCH (n:Doc) WHERE n.name STARTS WITH 'd1' RETURN count(n)", "11", "by_name"),
    ] {
        assert_eq!(server.rows("auto", text), [rows], "{text}");
        let plan = explained(&server, text);
        assert!(plan.contains("NodeIndexSeek") && plan.contains(index), "{text}: {plan}");
    }
    let plan = explained(&server, "MATCH (n:Doc {half: 2}) RETURN n");
    assert!(plan.contains("NodeByPropertySeek"), "{plan}");
    // Many rows of a MERGE are found by the index, among them those it makes itself.
    let merged = "UNWIND [1, 1.0, 50, 50, 51] AS i MERGE (n:Doc {id: i}) RETURN count(n), count(DISTINCT n)";
    assert_eq!(server.rows("auto", merged), ["7 4"]);
    assert_eq!(server.rows("auto", "MATCH (n:Doc {id: 50}) SET n.id = 60 RETURN count(n)"), ["1"]);
    assert_eq!(server.rows("auto", "MATCH (n:Doc {id: 50}) RETURN count(n)"), ["0"]);
    assert_eq!(server.rows("auto", "MATCH (n:Doc {id: 60}) SET n:New REMOVE n:Doc RETURN count(n)"), ["1"]);
    assert_eq!(server.rows("auto", "MATCH (n:Doc {id: 60}) RETURN count(n)"), ["0"]);
    assert_eq!(server.rows("auto", "MATCH (n:Doc {id: 7}) DETACH DELETE n"), [""; 0]);
    assert_eq!(server.rows("auto", "MATCH (n:Doc {id: 7}) RETURN count(n)"), ["0"]);

    run("CREATE (:__Entity__:Person {id: 'x'}), (:Person {id: 'x'})");
    for text in ["CREATE (:__Entity__ {id: 'x'})", "MATCH (n:Person) SET n:__Entity__"] {
        let (code, message) = server.refused("auto", text);
        assert!(code.ends_with("ConstraintValidationFailed"), "{text}: {code} {message}");
    }
    assert_eq!(
        server.rows("auto", "MERGE (n:__Entity__ {id: 'x'}) RETURN labels(n)"),
        ["[\"Person\", \"__Entity__\"]"]
    );
    let (code, message) = server.refused("auto", "CREATE CONSTRAINT FOR (n:Old) REQUIRE n.name IS UNIQUE");
    assert!(code.ends_with("ConstraintCreationFailed"), "{message}");
    for (text, part) in [
        ("CREATE FULLTEXT INDEX f FOR (n:Doc) ON EACH [n.name]", "schema.mode=auto"),
        ("CREATE CONSTRAINT FOR (n:Doc) REQUIRE n.id IS NOT NULL", "schema.mode=auto"),
    ] {
        let (_, message) = server.refused("auto", text);
        assert!(message.contains(part), "{text}: {message}");
    }
    assert_eq!(run("DROP INDEX by_id").1.counters.indexes_removed, 1);
    assert_eq!(server.rows("auto", "MATCH (n:Doc {id: 8}) RETURN count(n)"), ["2"]);
    let name = server.rows("auto", "SHOW CONSTRAINTS YIELD name").remove(0);
    assert_eq!(run(&format!("DROP CONSTRAINT {}", name.trim_matches('"'))).1.counters.constraints_removed, 1);
    run("CREATE (:__Entity__ {id: 'x'})");
}
