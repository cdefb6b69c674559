//! What is asked, and where the results go.

use std::collections::BTreeMap;
use std::time::Duration;

use auth::Caller;
use gremlin::{Bytecode, Expression, Method, Query, Script, Source, Statement, Target, Text, TransactionCall, Value};

use crate::error::{QueryError, QueryErrorKind};
use crate::names::Names;

/// What is to be carried out.
#[derive(Clone, Debug)]
pub enum Program {
    /// A script.
    Text(String),
    /// A traversal of the source `g`.
    Bytecode(Box<Bytecode>),
}

/// A query as a client sends it.
#[derive(Clone, Debug)]
pub struct QueryRequest {
    /// What is to be carried out.
    pub program: Program,
    /// Values by names.
    pub bindings: BTreeMap<Text, Value>,
    /// Names that stand for others.
    pub aliases: Vec<(Text, Text)>,
    /// Whose source `g` is without an alias; none: the default graph's.
    pub graph: Option<String>,
    /// Who asks, for the list of queries.
    pub user: String,
    /// With whose rights.
    pub caller: Caller,
    /// How long it may work.
    pub timeout: Duration,
    /// Whether elements in results carry their properties.
    pub materialize: bool,
}

/// Whoever the results are for is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

/// Takes the results, in batches, as they come. The calls come before the writes of the query are in force: a failure
/// can still follow.
pub trait Sink: Send {
    /// Takes results with the numbers of times they occur, and says how many bytes they were for the client.
    ///
    /// # Errors
    /// [`Gone`]; the query ends then.
    fn take(&mut self, rows: Vec<(query_value::Value, u64)>) -> Result<u64, Gone>;
}

/// A request whose program has been read.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(crate) request: QueryRequest,
    pub(crate) script: Script,
    /// The graph everything in it is about.
    pub(crate) graph: String,
    /// Whether results are to be taken from the last statement's traversal as they come.
    pub(crate) text: String,
    /// Whether it may write.
    pub(crate) is_write: bool,
    /// Whether it may write more than deletions.
    pub(crate) adds: bool,
    /// Whether it may wait for others before it commits, or commit more than the time of its evaluation allows.
    pub(crate) waits: bool,
    time_limit: &'static str,
}

impl Prepared {
    /// The graph it is about.
    #[must_use]
    pub fn graph(&self) -> &str {
        &self.graph
    }

    /// Whether it may write, which is known before it runs.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.is_write
    }

    /// Whether it may make or change something, so that it needs room: what only deletes does not.
    #[must_use]
    pub fn adds(&self) -> bool {
        self.adds
    }

    /// The text of its program.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How long it may work.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.request.timeout
    }

    /// Lets it work no longer than a limit, where there is one; `name`: of the limit, for the error.
    pub fn bound_time(&mut self, limit: Option<Duration>, name: &'static str) {
        if let Some(limit) = limit.filter(|limit| *limit < self.request.timeout) {
            self.request.timeout = limit;
            self.time_limit = name;
        }
    }

    /// The name of the limit of its time.
    #[must_use]
    pub fn time_limit(&self) -> &'static str {
        self.time_limit
    }
}

/// The limit of the time that a request sets itself, in the words of TinkerPop's protocol.
const EVALUATION_TIMEOUT: &str = "evaluationTimeout";

/// Reads the program of a request, and finds its graph.
pub(crate) fn prepare(request: QueryRequest, names: &Names<'_>) -> Result<Prepared, QueryError> {
    let (script, text) = match &request.program {
        Program::Text(text) => {
            let script = gremlin::parse(text, request.bindings.keys().map(Text::as_str))?;
            (script, text.clone())
        }
        Program::Bytecode(bytecode) => {
            let text = gremlin_text(bytecode);
            (script_of(bytecode), text)
        }
    };
    let mut walk = Walk { names, graph: None, is_write: false, adds: false, waits: false };
    script.statements.iter().try_for_each(|statement| walk.statement(statement))?;
    let (graph, is_write, adds, waits) = (walk.graph, walk.is_write, walk.adds, walk.waits);
    let graph = match graph {
        Some(graph) => graph,
        None => names.of_source(&Source::Named("g".into()))?,
    };
    Ok(Prepared { request, script, graph, text, is_write, adds, waits, time_limit: EVALUATION_TIMEOUT })
}

/// Bytecode as a script of one statement; `tx` is how drivers end a transaction.
fn script_of(bytecode: &Bytecode) -> Script {
    let source = Source::Named("g".into());
    let call = match bytecode.source.as_slice() {
        [call] if call.name == "tx" && bytecode.steps.is_empty() => match call.arguments.first() {
            Some(Value::Text(name)) if name == "commit" => Some(TransactionCall::Commit),
            Some(Value::Text(name)) if name == "rollback" => Some(TransactionCall::Rollback),
            _ => Some(TransactionCall::Begin),
        },
        _ => None,
    };
    let expression = match call {
        Some(call) => Expression::Transaction(source, call),
        None => Expression::Query(Box::new(Query {
            source,
            bytecode: bytecode.clone(),
            terminal: None,
            span: gremlin::Span::default(),
        })),
    };
    Script { statements: vec![Statement::Expression(expression)] }
}

/// The names of the calls, for people to recognize the query.
fn gremlin_text(bytecode: &Bytecode) -> String {
    let mut resolver = gremlin::Bindings::default();
    match gremlin::lower(bytecode, &mut resolver) {
        Ok(traversal) => traversal.to_string(),
        Err(_) => {
            let calls = bytecode.source.iter().chain(&bytecode.steps);
            calls.fold("g".to_owned(), |text, call| text + "." + &call.name + "(..)")
        }
    }
}

/// Looks through a script for its graph and for what writes.
struct Walk<'w, 'r> {
    names: &'w Names<'r>,
    graph: Option<String>,
    is_write: bool,
    adds: bool,
    waits: bool,
}

impl Walk<'_, '_> {
    fn note(&mut self, graph: String) -> Result<(), QueryError> {
        match &self.graph {
            Some(other) if *other != graph => {
                let message = format!("one script is about one graph, but this one is about '{other}' and '{graph}'");
                Err(QueryError::new(QueryErrorKind::Unsupported, message))
            }
            _ => {
                self.graph = Some(graph);
                Ok(())
            }
        }
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), QueryError> {
        match statement {
            Statement::Expression(expression) | Statement::Return(expression) => self.expression(expression),
            Statement::Assign { target, value } => {
                if let Target::Entry(expression, key) = target {
                    self.expression(expression)?;
                    self.value(key)?;
                }
                self.expression(value)
            }
        }
    }

    fn expression(&mut self, expression: &Expression) -> Result<(), QueryError> {
        match expression {
            Expression::Value(value) => self.value(value),
            Expression::Variable(name) => match self.names.of_variable(name) {
                Some(graph) => self.note(graph),
                None => Ok(()),
            },
            Expression::Query(query) => {
                self.note(self.names.of_source(&query.source)?)?;
                self.bytecode(&query.bytecode)
            }
            Expression::Transaction(source, _) => {
                (self.is_write, self.waits) = (true, true);
                self.note(self.names.of_source(source)?)
            }
            Expression::Schema { graph, calls } => {
                (self.is_write, self.adds, self.waits) = (true, true, true);
                if let Some(graph) = self.names.of_variable(graph) {
                    self.note(graph)?;
                }
                calls.iter().flat_map(|call| &call.arguments).try_for_each(|value| self.value(value))
            }
            Expression::Method { target, method, arguments, .. } => {
                self.is_write |=
                    matches!(method, Method::AddVertex | Method::AddEdge | Method::Property | Method::Remove);
                self.adds |= matches!(method, Method::AddVertex | Method::AddEdge | Method::Property);
                self.waits |= matches!(method, Method::Remove);
                self.expression(target)?;
                arguments.iter().try_for_each(|value| self.value(value))
            }
            Expression::Entry(target, key) => {
                self.expression(target)?;
                self.value(key)
            }
        }
    }

    fn bytecode(&mut self, bytecode: &Bytecode) -> Result<(), QueryError> {
        for call in bytecode.source.iter().chain(&bytecode.steps) {
            self.is_write |=
                matches!(call.name.as_str(), "addV" | "addE" | "mergeV" | "mergeE" | "property" | "drop" | "io" | "tx");
            self.adds |= matches!(call.name.as_str(), "addV" | "addE" | "mergeV" | "mergeE" | "property" | "io");
            // Merges wait for others of the same pattern, and a removed vertex takes its edges with it.
            self.waits |= matches!(call.name.as_str(), "mergeV" | "mergeE" | "drop" | "io" | "tx" | "call");
            call.arguments.iter().try_for_each(|value| self.value(value))?;
        }
        Ok(())
    }

    fn value(&mut self, value: &Value) -> Result<(), QueryError> {
        match value {
            Value::Bytecode(bytecode) => self.bytecode(bytecode),
            Value::Deferred(expression) => self.expression(expression),
            Value::List(items) | Value::Set(items) => items.iter().try_for_each(|item| self.value(item)),
            Value::Map(pairs) => pairs.iter().try_for_each(|(key, value)| {
                self.value(key)?;
                self.value(value)
            }),
            Value::WithCardinality(_, value) => self.value(value),
            _ => Ok(()),
        }
    }
}
