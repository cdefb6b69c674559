//! Clauses but for patterns and projections.

use std::sync::Arc;

use cypher::ast::{Clause, Imports, Part, ProcedureCall, Subquery};
use cypher_value::{Detail, Error, ErrorKind};

use super::Compiler;
use super::slots::Names;
use crate::Result;
use crate::plan::{CallProcedure, CallQuery, Ex, Optional, Plan, Slot, Step, Transactions, Union};

/// The procedure that reads the rows of `LOAD CSV`: of a file, whether it has headers, and what separates fields.
const LOAD_CSV: &str = "~load.csv";

/// Columns and their slots.
type Columns = Vec<(String, Slot)>;

impl Compiler<'_> {
    /// Adds the steps of a clause; answers the columns that it makes as the last one.
    pub(super) fn clause(
        &mut self,
        clause: &Clause,
        names: &mut Names,
        outer: &Names,
        is_alone: bool,
        steps: &mut Vec<Step>,
    ) -> Result<Columns> {
        match clause {
            Clause::Match(found) if found.is_optional => {
                let before = self.next;
                let mut inner = Vec::new();
                self.match_clause(found, names, &mut inner)?;
                let filled = (before..self.next).collect();
                let (plan, place) = (Arc::new(Plan { steps: inner }), self.slot());
                steps.push(Step::Optional(Arc::new(Optional { plan, filled, place })));
            }
            Clause::Match(found) => self.match_clause(found, names, steps)?,
            Clause::Unwind { list, name } => {
                let list = self.expr(list, names)?;
                let slot = self.slot();
                names.set(&name.text, slot);
                steps.push(Step::Unwind(Arc::new((list, slot))));
            }
            Clause::With(projection) => {
                self.projection(projection, names, false, outer, steps)?;
            }
            Clause::Return(projection) => return self.projection(projection, names, true, outer, steps),
            Clause::Create(patterns) => {
                let mut makes = Vec::with_capacity(patterns.len());
                let mut paths = Vec::new();
                for pattern in patterns {
                    let (make, path) = self.make(pattern, names)?;
                    makes.push(make);
                    paths.extend(path);
                }
                steps.push(Step::Create(Arc::new(makes)));
                if !paths.is_empty() {
                    steps.push(Step::Let(Arc::new(paths)));
                }
            }
            Clause::Merge { pattern, on_create, on_match } => self.merge(pattern, on_create, on_match, names, steps)?,
            Clause::Set(items) => {
                let changes = items.iter().map(|item| self.change(item, names)).collect::<Result<_>>()?;
                steps.push(Step::Set(Arc::new(changes)));
            }
            Clause::Remove(items) => {
                let changes = items.iter().map(|item| self.removal(item, names)).collect::<Result<_>>()?;
                steps.push(Step::Set(Arc::new(changes)));
            }
            Clause::Delete { is_detach, items } => {
                let items = items.iter().map(|item| self.expr(item, names)).collect::<Result<_>>()?;
                steps.push(Step::Delete(Arc::new((*is_detach, items))));
            }
            Clause::Call(call) => return self.call(call, names, is_alone, steps),
            Clause::Subquery(subquery) => self.subquery(subquery, names, steps)?,
            Clause::Foreach { name, list, clauses } => {
                let list = self.expr(list, names)?;
                let (slot, mut inner) = (self.slot(), names.clone());
                inner.set(&name.text, slot);
                let mut plan = Plan::default();
                for clause in clauses {
                    self.clause(clause, &mut inner, outer, false, &mut plan.steps)?;
                }
                steps.push(Step::Foreach(Arc::new((list, slot, Arc::new(plan)))));
            }
            Clause::Finish(_) => steps.push(Step::Drain),
            Clause::LoadCsv { has_headers, source, name, separator } => {
                if self.procedures.procedure(LOAD_CSV).is_none() {
                    let message = "LOAD CSV is not offered here: send rows as a parameter and use UNWIND $rows AS row";
                    return Err(Error::new(ErrorKind::ExecutionFailed, Detail::None, message));
                }
                let source = self.expr(source, names)?;
                let slot = self.slot();
                names.set(&name.text, slot);
                let separator = separator.as_deref().map_or(cypher_value::Value::Null, Into::into);
                steps.push(Step::Procedure(Arc::new(CallProcedure {
                    name: LOAD_CSV.to_owned(),
                    arguments: vec![source, Ex::Value((*has_headers).into()), Ex::Value(separator)],
                    columns: vec![(0, slot)],
                    is_unit: false,
                    is_optional: false,
                })));
            }
        }
        Ok(Vec::new())
    }

    fn call(
        &mut self,
        call: &ProcedureCall,
        names: &mut Names,
        is_alone: bool,
        steps: &mut Vec<Step>,
    ) -> Result<Columns> {
        let Some(signature) = self.procedures.procedure(&call.name) else {
            let message = format!("There is no procedure with the name `{}`", call.name);
            return Err(Error::new(ErrorKind::ProcedureError, Detail::ProcedureNotFound, message));
        };
        let arguments = match &call.arguments {
            Some(arguments) => {
                arguments.iter().map(|argument| self.expr(argument, names)).collect::<Result<Vec<_>>>()?
            }
            None => {
                let wanted = signature.arguments.iter().filter(|(_, _, is_optional)| !is_optional);
                wanted.map(|(name, _, _)| Ex::Param(name.as_str().into())).collect()
            }
        };
        let is_all = match &call.yields {
            None => is_alone,
            Some(yields) => yields.has_star,
        };
        let mut taken: Vec<(usize, String)> = Vec::new();
        if is_all {
            taken.extend(signature.columns.iter().enumerate().map(|(at, (name, _))| (at, name.clone())));
        } else if let Some(yields) = &call.yields {
            for (column, name) in &yields.items {
                if let Some(at) = signature.columns.iter().position(|(own, _)| *own == column.text) {
                    taken.push((at, name.text.clone()));
                }
            }
        }
        let mut columns = Vec::with_capacity(taken.len());
        let mut made = Columns::new();
        for (at, name) in taken {
            let slot = self.slot();
            names.set(&name, slot);
            columns.push((at, slot));
            made.push((name, slot));
        }
        let is_unit = signature.columns.is_empty();
        let name = call.name.clone();
        let step = CallProcedure { name, arguments, columns, is_unit, is_optional: call.is_optional };
        steps.push(Step::Procedure(Arc::new(step)));
        if let Some(filter) = call.yields.as_ref().and_then(|yields| yields.filter.as_ref()) {
            steps.push(Step::Filter(Arc::new(self.expr(filter, names)?)));
        }
        Ok(if is_alone { made } else { Columns::new() })
    }

    fn subquery(&mut self, subquery: &Subquery, names: &mut Names, steps: &mut Vec<Step>) -> Result<()> {
        let mut inner = Names::default();
        match &subquery.imports {
            Imports::All => inner = names.clone(),
            Imports::Names(wanted) => {
                for name in wanted {
                    inner.set(&name.text, names.want(&name.text)?);
                }
            }
            Imports::With => {}
        }
        let mut parts = Vec::with_capacity(subquery.query.parts.len());
        let mut columns: Option<Vec<String>> = None;
        for part in &subquery.query.parts {
            let (plan, own) = match (&subquery.imports, part.clauses.split_first()) {
                (Imports::With, Some((Clause::With(first), rest))) => {
                    let mut imported = names.clone();
                    let mut before = Vec::new();
                    self.projection(first, &mut imported, false, &Names::default(), &mut before)?;
                    let rest = Part { clauses: rest.to_vec() };
                    let (mut plan, own) = self.part(&rest, imported, &Names::default())?;
                    before.append(&mut plan.steps);
                    (Plan { steps: before }, own)
                }
                _ => self.part(part, inner.clone(), &inner)?,
            };
            let first = columns.get_or_insert_with(|| own.iter().map(|(name, _)| name.clone()).collect());
            let slots = first.iter().map(|name| own.iter().find(|(own, _)| own == name).map_or(0, |(_, slot)| *slot));
            parts.push((Arc::new(plan), slots.collect()));
        }
        let columns = columns.unwrap_or_default();
        let returns = subquery.query.parts.iter().any(|part| matches!(part.clauses.last(), Some(Clause::Return(_))));
        let mut slots = Vec::with_capacity(columns.len());
        for name in &columns {
            let slot = self.slot();
            names.set(name, slot);
            slots.push(slot);
        }
        let transactions = match &subquery.transactions {
            None => None,
            Some(transactions) => {
                let rows = transactions.rows.as_ref().map(|rows| self.expr(rows, &Names::default())).transpose()?;
                let rows = rows.unwrap_or(Ex::Value(cypher_value::Value::Integer(1000)));
                let report = transactions.report.as_ref().map(|name| {
                    let slot = self.slot();
                    names.set(&name.text, slot);
                    slot
                });
                Some(Transactions { rows, on_error: transactions.on_error, report })
            }
        };
        steps.push(Step::Call(Arc::new(CallQuery {
            query: Union { parts, is_distinct: !subquery.query.keeps_duplicates },
            columns: slots,
            is_unit: !returns,
            is_optional: subquery.is_optional,
            transactions,
        })));
        Ok(())
    }
}
