//! Carrying out a query, from its text to its rows.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use cypher::Facts;
use cypher::ast::{Body, Mode, Statement};
use cypher_graph::{Access, BeginUnit, Store, defect};
use cypher_value::{Context, Detail, Error, ErrorKind, Map, Moment, Text, Value, clock};
use graph_access::{GraphRead, GraphWrite};
use merge_locks::Merging;
use rustc_hash::FxHashSet;

use crate::Result;
use crate::eval::Source;
use crate::eval::{Cx, Left};
use crate::limits::MEMORY_MAX;
use crate::ops::{Measure, build, build_measured, index_of, ways};
use crate::procedures::{ProcedureHost, Procedures};
use crate::row::Row;
use crate::summary::{QueryType, Summary};
use cypher_plan::{Compiled, NoStatistics, PlanNode, Scan, Statistics, commands, compile, explain};

/// A query that was read, checked and planned. It can be carried out any number of times.
#[derive(Debug)]
pub struct Prepared {
    compiled: Compiled,
    facts: Facts,
    mode: Mode,
    graph: Option<String>,
    procedures: Arc<Procedures>,
    is_schema: bool,
}

impl Prepared {
    /// Reads, checks and plans a query.
    ///
    /// # Errors
    /// What is wrong with it, found before it runs.
    pub fn new(text: &str, procedures: &Arc<Procedures>) -> Result<Self> {
        Self::for_graph(text, procedures, &NoStatistics)
    }

    /// The same, planned by figures about a graph.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn for_graph(text: &str, procedures: &Arc<Procedures>, statistics: &dyn Statistics) -> Result<Self> {
        let statement = cypher::parse(text).map_err(|error| error.placed(text))?;
        let is_schema = matches!(&statement.body, Body::Command(command) if commands::changes_schema(command));
        if is_schema && procedures.signature(commands::INDEX_CREATE).is_none() {
            return Err(commands::not_here());
        }
        let mut statement = match statement.body {
            Body::Command(command) => Statement { body: Body::Query(commands::query(&command)?), ..statement },
            Body::Query(_) => statement,
        };
        cypher::inline(&mut statement);
        let facts = cypher::check(&statement, &**procedures).map_err(|error| error.placed(text))?;
        let Body::Query(query) = &statement.body else { return Err(defect("a command that is no query")) };
        let compiled = compile(query, &**procedures, statistics)?;
        Ok(Self {
            compiled,
            facts,
            mode: statement.mode,
            graph: statement.graph.map(|name| name.text),
            procedures: Arc::clone(procedures),
            is_schema,
        })
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[Text] {
        &self.compiled.columns
    }

    /// Whether figures about a graph could lead to another plan, or are to be shown.
    #[must_use]
    pub fn goes_by_statistics(&self) -> bool {
        self.compiled.has_choice || self.mode != Mode::Run
    }

    /// Whether it may write.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.facts.is_write && self.mode != Mode::Explain
    }

    /// Whether it changes the schema, which it does at once and not in a unit of writes.
    #[must_use]
    pub fn is_schema(&self) -> bool {
        self.is_schema && self.mode != Mode::Explain
    }

    /// Whether it commits what it writes now and then, so that it needs [`Execution::in_units`].
    #[must_use]
    pub fn commits_between(&self) -> bool {
        self.facts.commits_between && self.mode != Mode::Explain
    }

    /// Whether it may make or change something, so that it needs room: what only deletes does not.
    #[must_use]
    pub fn adds(&self) -> bool {
        self.facts.adds && self.mode != Mode::Explain
    }

    /// The graph of `USE`.
    #[must_use]
    pub fn graph(&self) -> Option<&str> {
        self.graph.as_deref()
    }

    /// Whether only its plan is asked for, or that too.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// How it would be carried out.
    #[must_use]
    pub fn plan(&self) -> PlanNode {
        explain(&self.compiled, &[], &|_| None)
    }

    /// What kind of query it is.
    #[must_use]
    pub fn query_type(&self) -> QueryType {
        match (self.facts.is_write, self.facts.is_read || !self.compiled.columns.is_empty()) {
            _ if self.is_schema => QueryType::Schema,
            (false, _) => QueryType::Read,
            (true, true) => QueryType::ReadWrite,
            (true, false) => QueryType::Write,
        }
    }

    /// Fails where a parameter that the query uses is not given.
    ///
    /// # Errors
    /// A [`ErrorKind::ParameterMissing`] that names them.
    pub fn check_parameters(&self, parameters: &Map) -> Result<()> {
        let missing: Vec<&str> =
            self.facts.parameters.iter().map(String::as_str).filter(|name| !parameters.contains_key(*name)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!("Expected parameter(s): {}", missing.join(", "));
        Err(Error::new(ErrorKind::ParameterMissing, Detail::MissingParameter, message))
    }
}

/// How a query is carried out. Deadline and cancellation are those of the graph's reader.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes that the query may hold.
    pub memory_max: u64,
    /// When the transaction began, for `datetime.transaction()`; none: with the query.
    pub transaction: Option<Moment>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { memory_max: MEMORY_MAX, transaction: None }
    }
}

/// A query in motion. Rows are computed when they are asked for; what it writes is in the unit of writes it was given,
/// which its caller commits when [`Self::finish`] has succeeded.
pub struct Execution<'g> {
    prepared: Arc<Prepared>,
    parameters: Map,
    once: RefCell<Vec<Option<Value>>>,
    left: Rc<Left>,
    store: Store<'g>,
    host: Option<&'g dyn ProcedureHost>,
    merging: Option<&'g Merging<'g>>,
    statement: Moment,
    transaction: Moment,
    part: usize,
    source: Option<Source<'g>>,
    measures: Vec<Vec<Rc<Measure>>>,
    seen: FxHashSet<Vec<Value>>,
    rows: std::collections::VecDeque<Vec<Value>>,
    is_done: bool,
}

impl<'g> Execution<'g> {
    /// A query that only reads.
    ///
    /// # Errors
    /// A parameter is missing.
    pub fn reading(
        prepared: &Arc<Prepared>,
        parameters: Map,
        graph: &'g dyn GraphRead,
        settings: &Settings,
    ) -> Result<Self> {
        Self::new(prepared, parameters, Access::Read(graph), settings)
    }

    /// A query that may write.
    ///
    /// # Errors
    /// A parameter is missing.
    pub fn writing(
        prepared: &Arc<Prepared>,
        parameters: Map,
        graph: &'g mut dyn GraphWrite,
        settings: &Settings,
    ) -> Result<Self> {
        Self::new(prepared, parameters, Access::Write(graph), settings)
    }

    /// A query that writes in units one after the other (`CALL {} IN TRANSACTIONS`): it commits each of them itself,
    /// the last one at its end.
    ///
    /// # Errors
    /// A parameter is missing.
    pub fn in_units(
        prepared: &Arc<Prepared>,
        parameters: Map,
        begin: BeginUnit<'g>,
        settings: &Settings,
    ) -> Result<Self> {
        Self::new(prepared, parameters, Access::Units(begin(), begin), settings)
    }

    fn new(prepared: &Arc<Prepared>, parameters: Map, access: Access<'g>, settings: &Settings) -> Result<Self> {
        prepared.check_parameters(&parameters)?;
        let statement = clock();
        Ok(Self {
            prepared: Arc::clone(prepared),
            parameters,
            left: Rc::default(),
            once: RefCell::new(vec![None; prepared.compiled.once]),
            store: Store::new(access, settings.memory_max),
            host: None,
            merging: None,
            statement,
            transaction: settings.transaction.unwrap_or(statement),
            part: 0,
            source: None,
            measures: Vec::new(),
            seen: FxHashSet::default(),
            rows: std::collections::VecDeque::new(),
            is_done: prepared.mode == Mode::Explain,
        })
    }

    /// The same, with somebody who carries out the procedures that the executor does not.
    #[must_use]
    pub fn hosted_by(self, host: &'g dyn ProcedureHost) -> Self {
        Self { host: Some(host), ..self }
    }

    /// The same, with locks that keep others from merging the same patterns. They are needed until the unit of writes
    /// is committed or dropped.
    #[must_use]
    pub fn merging(self, merging: &'g Merging<'g>) -> Self {
        Self { merging: Some(merging), ..self }
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[Text] {
        self.prepared.columns()
    }

    /// Appends the next rows, at most so many and at least one, unless the query is at its end: then it appends none.
    ///
    /// # Errors
    /// What the query fails with. It is at its end then.
    pub fn next_batch(&mut self, out: &mut Vec<Vec<Value>>, rows_max: usize) -> Result<()> {
        while self.rows.is_empty() && !self.is_done {
            if let Err(error) = self.advance() {
                self.is_done = true;
                self.rows.clear();
                return Err(error);
            }
        }
        let wanted = self.rows.len().min(rows_max.max(1));
        out.extend(self.rows.drain(..wanted));
        Ok(())
    }

    /// Computes some more rows.
    fn advance(&mut self) -> Result<()> {
        let prepared = Arc::clone(&self.prepared);
        let query = &prepared.compiled.query;
        let Some((plan, columns)) = query.parts.get(self.part) else {
            self.is_done = true;
            return self.store.close();
        };
        let source = self.source.get_or_insert_with(|| {
            let rows = vec![Row::empty(prepared.compiled.width)];
            if prepared.mode != Mode::Profile {
                return build(plan, rows);
            }
            let (source, measures) = build_measured(plan, rows);
            self.measures.push(measures);
            source
        });
        let mut context = Context::new(&self.store);
        (context.statement, context.transaction) = (self.statement, self.transaction);
        let cx = Cx {
            store: &self.store,
            context: &context,
            parameters: &self.parameters,
            once: &self.once,
            procedures: &prepared.procedures,
            host: self.host,
            merging: self.merging,
            build,
            ways,
            left: &self.left,
        };
        let mut rows = Vec::new();
        let is_more = source.next(&cx, &mut rows)?;
        if !columns.is_empty() {
            let mut values: Vec<Vec<Value>> = Vec::with_capacity(rows.len());
            for row in &rows {
                let own: Vec<Value> = columns.iter().map(|slot| row.get(*slot).clone()).collect();
                if query.is_distinct && !self.seen.insert(own.clone()) {
                    continue;
                }
                values.push(own);
            }
            cx.complete(&mut values)?;
            self.rows.extend(values);
        }
        if !is_more {
            self.source = None;
            self.part += 1;
        }
        Ok(())
    }

    /// The plan with what each operator did; the reads of an operator are its own.
    fn measured_plan(&self) -> PlanNode {
        let own = |measures: &Vec<Rc<Measure>>| {
            let mut before = 0;
            let each = measures.iter().map(|measure| {
                let reads = measure.reads.get().saturating_sub(before);
                before = measure.reads.get();
                (measure.rows.get(), reads)
            });
            each.collect()
        };
        let measured: Vec<Vec<(u64, u64)>> = self.measures.iter().map(own).collect();
        self.plan_with(&measured)
    }

    /// The plan with the indexes that serve for it.
    fn plan_with(&self, measured: &[Vec<(u64, u64)>]) -> PlanNode {
        let index = |scan: &Scan| index_of(&self.store.catalogue(), scan, self.prepared.is_write());
        explain(&self.prepared.compiled, measured, &index)
    }

    /// Carries out what is left, for a query whose further rows nobody wants, and says what it did.
    ///
    /// # Errors
    /// What the query fails with.
    pub fn finish(mut self) -> Result<Summary> {
        while !self.is_done {
            self.advance()?;
            self.rows.clear();
        }
        let plan = match self.prepared.mode {
            Mode::Run => None,
            Mode::Explain => Some(self.plan_with(&[])),
            Mode::Profile => Some(self.measured_plan()),
        };
        Ok(Summary {
            plan,
            counters: *self.store.counters.borrow(),
            query_type: self.prepared.query_type(),
            notifications: self.store.notes.borrow().clone(),
        })
    }
}
