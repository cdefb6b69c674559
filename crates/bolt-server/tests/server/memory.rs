//! Queries whose results are written down here, carried out in memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cypher_session::{Begin, Client, Counters, Failure, Notification, Position, Queries, QueryKind, Summary, Task};
use cypher_value::{ElementId, Map, Node, NodeContent, Relationship, Text, Value};

/// What a query does.
#[derive(Clone)]
pub(crate) enum Scripted {
    Rows {
        columns: Vec<Text>,
        rows: Vec<Vec<Value>>,
        summary: Box<Summary>,
    },
    /// A row for each item of a list that is a parameter.
    Unwind {
        parameter: &'static str,
        column: &'static str,
    },
    /// Fails when it is read.
    Refused(Failure),
    /// Fails after a row.
    FailsLater(Failure),
    /// Gives so many rows.
    Count(u64),
    /// Works until it is told to stop, or its time is over.
    Endless,
    Panics,
}

pub(crate) struct Memory {
    queries: HashMap<&'static str, Scripted>,
    commits: AtomicU64,
    /// Transactions at work.
    pub(crate) running: AtomicUsize,
    /// Rows that were handed on.
    pub(crate) rows: AtomicU64,
}

fn syntax_error() -> Failure {
    let message = "Variable `foo` not defined (line 1, column 8 (offset: 7))\n\"RETURN foo\"\n        ^";
    Failure::new("Neo.ClientError.Statement.SyntaxError", message)
}

fn rows(columns: &[&str], rows: Vec<Vec<Value>>, kind: QueryKind, counters: Counters) -> Scripted {
    let columns = columns.iter().map(Text::new).collect();
    Scripted::Rows { columns, rows, summary: Box::new(Summary { kind, counters, ..Summary::default() }) }
}

fn node(id: i64, labels: &[&str], properties: &[(&str, i64)]) -> Node {
    let labels = labels.iter().map(Text::new).collect();
    let properties: Map = properties.iter().map(|(key, value)| ((*key).into(), Value::Integer(*value))).collect();
    Node {
        id: ElementId::Number(id),
        element_id: format!("4:00000000-0000-0000-0000-000000000001:{id}").into(),
        content: Some(NodeContent { labels, properties: Arc::new(properties) }),
        number: None,
    }
}

/// The row of the drivers' first query: a node, a relationship, and the parameter.
fn created(a: i64, r: i64, parameter: Vec<Value>) -> Vec<Value> {
    let relationship = Relationship {
        id: ElementId::Number(r),
        element_id: format!("5:00000000-0000-0000-0000-000000000001:{r}").into(),
        kind: "R".into(),
        start: Arc::new(node(a, &[], &[])),
        end: Arc::new(node(a + 1, &[], &[])),
        properties: Some(Arc::default()),
    };
    vec![node(a, &["A"], &[("x", 1)]).into(), relationship.into(), Value::list(parameter)]
}

impl Memory {
    /// The queries of the recorded sessions; nodes are numbered from `first`, relationships from `edge`, and the
    /// drivers' parameter is `parameter`.
    pub(crate) fn new(first: i64, edge: i64, parameter: Vec<Value>) -> Self {
        let created_counters = Counters {
            nodes_created: 2,
            relationships_created: 1,
            properties_set: 1,
            labels_added: 1,
            ..Counters::default()
        };
        let deleted = Counters { nodes_deleted: 2, relationships_deleted: 1, ..Counters::default() };
        let set = Counters { properties_set: 1, ..Counters::default() };
        let none = Counters::default();
        let read = QueryKind::Read;
        let not_found = "There is no procedure with the name `dbms.licenseAgreementDetails` registered for this \
                         database instance. Please ensure you've spelled the procedure name correctly and that the \
                         procedure is properly deployed.";
        let warning = Notification {
            code: "Neo.ClientNotification.Statement.UnknownLabelWarning".into(),
            status: "01N50".into(),
            title: "The provided label is not in the database.".into(),
            description: "there is no label `Nobody`".to_owned(),
            severity: "WARNING",
            category: "UNRECOGNIZED",
            position: Some(Position { offset: 9, line: 1, column: 10 }),
        };
        let warned = Summary { notifications: vec![warning], ..Summary::default() };
        let changed = vec![vec![node(first, &["A"], &[("x", 1), ("y", 1)]).into()]];
        let queries = HashMap::from([
            ("RETURN 1 AS x", rows(&["x"], vec![vec![1.into()]], read, none)),
            ("RETURN 2", rows(&["2"], vec![vec![2.into()]], read, none)),
            ("CALL db.ping()", rows(&["success"], vec![vec![true.into()]], read, none)),
            ("MATCH (n) RETURN n LIMIT 3", rows(&["n"], vec![], read, none)),
            ("MATCH (n) RETURN n LIMIT 1", rows(&["n"], vec![], read, none)),
            ("UNWIND $p AS x RETURN x", Scripted::Unwind { parameter: "p", column: "x" }),
            ("RETURN foo", Scripted::Refused(syntax_error())),
            (
                "CALL dbms.licenseAgreementDetails()",
                Scripted::Refused(Failure::new("Neo.ClientError.Procedure.ProcedureNotFound", not_found)),
            ),
            (
                "CREATE (a:A {x:1})-[r:R]->(b) RETURN a, r, $p AS p",
                rows(&["a", "r", "p"], vec![created(first, edge, parameter)], QueryKind::ReadWrite, created_counters),
            ),
            ("MATCH (n:A) SET n.y=1 RETURN n", rows(&["n"], changed, QueryKind::ReadWrite, set)),
            ("MATCH (n) DETACH DELETE n", rows(&[], vec![], QueryKind::Write, deleted)),
            ("count to 10", Scripted::Count(10)),
            ("count to a million", Scripted::Count(1_000_000)),
            ("endless", Scripted::Endless),
            ("panic", Scripted::Panics),
            (
                "RETURN 1/0",
                Scripted::FailsLater(Failure::new("Neo.ClientError.Statement.ArithmeticError", "/ by zero")),
            ),
            (
                "MATCH (n:Nobody) RETURN n",
                Scripted::Rows { columns: vec!["n".into()], rows: Vec::new(), summary: Box::new(warned) },
            ),
        ]);
        Self { queries, commits: AtomicU64::new(0), running: AtomicUsize::new(0), rows: AtomicU64::new(0) }
    }

    fn serve(&self, begin: &Begin, client: &mut dyn Client) -> Result<(), Failure> {
        let mut open: HashMap<i64, (Scripted, u64)> = HashMap::new();
        let mut next = 0;
        while let Some(task) = client.next() {
            match task {
                Task::Run(statement) => {
                    let missing = || Failure::new("Neo.ClientError.Statement.SyntaxError", "no such query");
                    let mut scripted = self.queries.get(&*statement.text).cloned().ok_or_else(missing)?;
                    if let Scripted::Rows { summary, .. } = &scripted
                        && begin.is_read
                        && summary.kind != QueryKind::Read
                    {
                        return Err(Failure::new(Failure::ACCESS_MODE, "writing in a read transaction"));
                    }
                    if let Scripted::Unwind { parameter, column } = scripted {
                        let Some(Value::List(items)) = statement.parameters.get(parameter) else {
                            return Err(Failure::new("Neo.ClientError.Statement.ParameterMissing", "no parameter"));
                        };
                        let each = items.iter().map(|item| vec![item.clone()]).collect();
                        scripted = rows(&[column], each, QueryKind::Read, Counters::default());
                    }
                    match &scripted {
                        Scripted::Refused(failure) => return Err(failure.clone()),
                        Scripted::Panics => panic!("a defect"),
                        Scripted::Endless => {
                            client.opened(&["n".into()]);
                            let until = Instant::now() + statement.timeout.min(Duration::from_secs(60));
                            while !begin.interrupt.load(Ordering::Relaxed) {
                                if Instant::now() > until {
                                    return Err(Failure::new(Failure::TIMED_OUT, "it took too long"));
                                }
                                std::thread::sleep(Duration::from_millis(1));
                            }
                            return Err(Failure::new(Failure::TERMINATED, "told to stop"));
                        }
                        Scripted::Rows { columns, .. } => client.opened(columns),
                        _ => client.opened(&["n".into()]),
                    }
                    open.insert(next, (scripted, 0));
                    next += 1;
                }
                Task::Pull { rows, query } | Task::Discard { rows, query } => {
                    let is_pull = matches!(task, Task::Pull { .. });
                    let Some((scripted, at)) = open.get_mut(&query) else { panic!("no such result") };
                    let mut left = rows.unwrap_or(u64::MAX);
                    let mut ended = None;
                    while ended.is_none() && left > 0 {
                        let row = match scripted {
                            Scripted::Rows { rows, .. } => rows.get(usize::try_from(*at).unwrap()).cloned(),
                            Scripted::Count(rows) => {
                                (*at < *rows).then(|| vec![Value::Integer(i64::try_from(*at).unwrap())])
                            }
                            Scripted::FailsLater(failure) => return Err(failure.clone()),
                            _ => None,
                        };
                        match row {
                            Some(row) if is_pull => {
                                self.rows.fetch_add(1, Ordering::Relaxed);
                                if client.row(&row).is_err() {
                                    return Ok(());
                                }
                            }
                            Some(_) => {}
                            None => {
                                ended = Some(match scripted {
                                    Scripted::Rows { summary, .. } => (**summary).clone(),
                                    _ => Summary::default(),
                                });
                                break;
                            }
                        }
                        (*at, left) = (*at + 1, left - 1);
                    }
                    let is_through = match scripted {
                        Scripted::Rows { rows, .. } => *at >= rows.len() as u64,
                        Scripted::Count(rows) => *at >= *rows,
                        _ => false,
                    };
                    if ended.is_none() && is_through {
                        ended = Some(match scripted {
                            Scripted::Rows { summary, .. } => (**summary).clone(),
                            _ => Summary::default(),
                        });
                    }
                    match ended {
                        None => client.paused(),
                        Some(mut summary) => {
                            open.remove(&query);
                            summary.bookmark = begin.is_single.then(|| self.bookmark(&begin.database));
                            client.ended(&summary);
                            if begin.is_single {
                                return Ok(());
                            }
                        }
                    }
                }
                Task::Commit => {
                    self.commits.fetch_add(1, Ordering::Relaxed);
                    client.committed(&self.bookmark(&begin.database));
                    return Ok(());
                }
                Task::Rollback => {
                    client.rolled_back();
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Counts a transaction while it is at work.
struct Running<'m>(&'m AtomicUsize);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Queries for Memory {
    fn database(&self, name: Option<&str>) -> Result<Text, Failure> {
        match name {
            None | Some("neo4j") => Ok("neo4j".into()),
            Some(other) => Err(Failure::new(Failure::DATABASE_NOT_FOUND, format!("there is no database '{other}'"))),
        }
    }

    fn bookmark(&self, _: &str) -> String {
        format!("b:{}", self.commits.load(Ordering::Relaxed))
    }

    fn may_write(&self, text: &str) -> bool {
        text.contains("CREATE") || text.contains("SET")
    }

    fn transaction(&self, begin: &Begin, client: &mut dyn Client) -> Result<(), Failure> {
        self.running.fetch_add(1, Ordering::Relaxed);
        let _running = Running(&self.running);
        self.serve(begin, client)
    }
}
