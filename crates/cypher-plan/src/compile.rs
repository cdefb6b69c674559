//! From a checked tree to steps over slots.

mod clause;
mod expr;
mod needs;
mod pattern;
mod projection;
mod slots;
mod write;

use std::sync::Arc;

use cypher::Callables;
use cypher::ast::{Part, Query};
use cypher_value::Text;

use crate::plan::{Plan, Slot, Union};
use slots::Names;

/// A query that can be carried out.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Its parts.
    pub query: Union,
    /// The names of its columns.
    pub columns: Vec<Text>,
    /// Slots of a row.
    pub width: usize,
}

/// Makes the plan of a query that was checked.
///
/// # Errors
/// What is known but not carried out.
pub fn compile(query: &Query, procedures: &dyn Callables) -> crate::Result<Compiled> {
    let mut compiler = Compiler { next: 0, procedures };
    let (mut query, columns) = compiler.query(query, &Names::default())?;
    needs::limit_scans(&mut query);
    let columns = columns.iter().map(|name| name.as_str().into()).collect();
    Ok(Compiled { query, columns, width: compiler.next })
}

struct Compiler<'c> {
    next: Slot,
    procedures: &'c dyn Callables,
}

impl Compiler<'_> {
    fn slot(&mut self) -> Slot {
        self.next += 1;
        self.next - 1
    }

    /// A query in the scope around it; answers its columns.
    fn query(&mut self, query: &Query, outer: &Names) -> crate::Result<(Union, Vec<String>)> {
        let mut columns: Option<Vec<String>> = None;
        let mut parts = Vec::with_capacity(query.parts.len());
        for part in &query.parts {
            let (plan, own) = self.part(part, outer.clone(), outer)?;
            let first = columns.get_or_insert_with(|| own.iter().map(|(name, _)| name.clone()).collect());
            // Columns go by their names.
            let slots = first.iter().map(|name| own.iter().find(|(own, _)| own == name).map_or(0, |(_, slot)| *slot));
            parts.push((Arc::new(plan), slots.collect()));
        }
        Ok((Union { parts, is_distinct: !query.keeps_duplicates }, columns.unwrap_or_default()))
    }

    fn part(&mut self, part: &Part, mut names: Names, outer: &Names) -> crate::Result<(Plan, Vec<(String, Slot)>)> {
        let mut plan = Plan::default();
        let mut columns = Vec::new();
        for (at, clause) in part.clauses.iter().enumerate() {
            let is_alone = part.clauses.len() == 1 && outer.is_empty();
            let is_last = at + 1 == part.clauses.len();
            let own = self.clause(clause, &mut names, outer, is_alone, &mut plan.steps)?;
            if is_last {
                columns = own;
            }
        }
        Ok((plan, columns))
    }
}
