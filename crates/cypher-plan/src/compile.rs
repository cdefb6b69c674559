//! From a checked tree to steps over slots.

mod clause;
mod expr;
mod following;
mod group;
mod join;
mod needs;
mod pattern;
mod projection;
mod slots;
mod write;

use std::sync::Arc;

use cypher::Callables;
use cypher::ast::{Clause, Match, Part, Query};
use cypher_value::Text;

use crate::estimate::Estimates;
use crate::plan::{Plan, Slot, Union};
use crate::statistics::Statistics;
use following::{Following, run_of_matches};
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
    /// How many [`crate::Ex::Once`] there are.
    pub once: usize,
    /// Whether figures about a graph could have led to another plan.
    pub has_choice: bool,
    /// How many rows each step of each part is likely to give.
    pub estimates: Vec<Vec<f64>>,
}

/// Makes the plan of a query that was checked, as figures about the graph make it cheap.
///
/// # Errors
/// What is known but not carried out.
pub fn compile(query: &Query, procedures: &dyn Callables, statistics: &dyn Statistics) -> crate::Result<Compiled> {
    let mut compiler = Compiler { next: 0, once: 0, procedures, statistics, has_choice: false };
    let (mut query, columns) = compiler.query(query, &Names::default())?;
    needs::limit_scans(&mut query);
    group::fuse(&mut query);
    join::fuse(&mut query, &mut compiler.next);
    let columns = columns.iter().map(|name| name.as_str().into()).collect();
    let estimates = query.parts.iter().map(|(plan, _)| Estimates::new(statistics).of(plan, 1.0)).collect();
    Ok(Compiled {
        query,
        columns,
        width: compiler.next,
        once: compiler.once,
        has_choice: compiler.has_choice,
        estimates,
    })
}

struct Compiler<'c> {
    next: Slot,
    /// How many expressions are the same for all rows.
    once: usize,
    procedures: &'c dyn Callables,
    statistics: &'c dyn Statistics,
    has_choice: bool,
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
        let mut at = 0;
        while let Some(clause) = part.clauses.get(at) {
            let rest = part.clauses.get(at..).unwrap_or_default();
            let run = run_of_matches(rest, &names);
            if run > 0 {
                let all: Vec<&Match> = rest
                    .iter()
                    .take(run)
                    .filter_map(|clause| match clause {
                        Clause::Match(found) => Some(found),
                        _ => None,
                    })
                    .collect();
                let following = Following::of(rest.get(run..).unwrap_or_default());
                self.match_clauses(&all, &mut names, &following, &mut plan.steps)?;
                at += run;
                continue;
            }
            let is_alone = part.clauses.len() == 1 && outer.is_empty();
            let is_last = at + 1 == part.clauses.len();
            let own = self.clause(clause, &mut names, outer, is_alone, &mut plan.steps)?;
            if is_last {
                columns = own;
            }
            at += 1;
        }
        Ok((plan, columns))
    }
}
