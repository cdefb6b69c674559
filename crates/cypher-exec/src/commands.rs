//! Commands about the schema and the server: SHOW becomes a query over a procedure; what changes the schema is refused.

use cypher::ast::{Clause, Command, Expr, Part, ProcedureCall, Projection, Query, Yield};
use cypher::{Span, Type};
use cypher_value::{Detail, Error, ErrorKind};

use crate::Result;

/// Columns of what is shown.
type Columns = &'static [(&'static str, Type)];

const INDEXES: Columns = &[
    ("id", Type::Integer),
    ("name", Type::String),
    ("state", Type::String),
    ("populationPercent", Type::Float),
    ("type", Type::String),
    ("entityType", Type::String),
    ("labelsOrTypes", Type::Any),
    ("properties", Type::Any),
    ("indexProvider", Type::String),
    ("owningConstraint", Type::Any),
    ("lastRead", Type::Any),
    ("readCount", Type::Any),
];

const CONSTRAINTS: Columns = &[
    ("id", Type::Integer),
    ("name", Type::String),
    ("type", Type::String),
    ("entityType", Type::String),
    ("labelsOrTypes", Type::Any),
    ("properties", Type::Any),
    ("ownedIndex", Type::Any),
    ("propertyType", Type::Any),
];

const DATABASES: Columns = &[
    ("name", Type::String),
    ("type", Type::String),
    ("aliases", Type::Any),
    ("access", Type::String),
    ("address", Type::Any),
    ("role", Type::String),
    ("writer", Type::Boolean),
    ("requestedStatus", Type::String),
    ("currentStatus", Type::String),
    ("statusMessage", Type::String),
    ("default", Type::Boolean),
    ("home", Type::Boolean),
    ("constituents", Type::Any),
];

const PROCEDURES: Columns =
    &[("name", Type::String), ("description", Type::String), ("mode", Type::String), ("worksOnSystem", Type::Boolean)];

const FUNCTIONS: Columns = &[
    ("name", Type::String),
    ("category", Type::String),
    ("description", Type::String),
    ("signature", Type::String),
    ("isBuiltIn", Type::Boolean),
];

/// What can be shown: the procedure that does it, and its columns.
pub(crate) const SHOWN: &[(&str, Columns)] = &[
    ("~show.indexes", INDEXES),
    ("~show.constraints", CONSTRAINTS),
    ("~show.databases", DATABASES),
    ("~show.procedures", PROCEDURES),
    ("~show.functions", FUNCTIONS),
];

/// The query that a command stands for.
///
/// # Errors
/// A command that is not carried out here.
pub(crate) fn query(command: &Command) -> Result<Query> {
    match command {
        Command::Show { what, yields, filter, projections } => {
            show(what, yields.as_ref(), filter.as_ref(), projections)
        }
        Command::CreateIndex { .. } | Command::CreateConstraint { .. } | Command::Drop { .. } => {
            let message = "indexes and constraints are not made or removed by Cypher: a graph with a strict schema \
                           has them in its schema (POST {graph}/schema/indexlabels, unique index labels for \
                           constraints), an auto graph has none";
            Err(Error::new(ErrorKind::ExecutionFailed, Detail::None, message))
        }
    }
}

fn show(what: &str, yields: Option<&Yield>, filter: Option<&Expr>, projections: &[Projection]) -> Result<Query> {
    let is = |word: &str| what.split(' ').any(|own| own == word);
    let name = if is("INDEX") || is("INDEXES") {
        "~show.indexes"
    } else if is("CONSTRAINT") || is("CONSTRAINTS") {
        "~show.constraints"
    } else if is("DATABASE") || is("DATABASES") {
        "~show.databases"
    } else if is("PROCEDURE") || is("PROCEDURES") {
        "~show.procedures"
    } else if is("FUNCTION") || is("FUNCTIONS") {
        "~show.functions"
    } else {
        let message = format!(
            "SHOW {what} is not supported: INDEXES, CONSTRAINTS, DATABASES, PROCEDURES and FUNCTIONS can be shown"
        );
        return Err(Error::new(ErrorKind::UnsupportedAdministrationCommand, Detail::None, message));
    };
    let span = Span::default();
    let columns = SHOWN.iter().find(|(own, _)| *own == name).map_or(&[][..], |(_, columns)| *columns);
    let named = |name: &str| cypher::ast::Name { text: name.to_owned(), span };
    let items = match yields {
        Some(yields) if !yields.has_star => yields.items.clone(),
        _ => columns.iter().map(|(name, _)| (named(name), named(name))).collect(),
    };
    let filter = filter.or(yields.and_then(|yields| yields.filter.as_ref())).cloned();
    let taken = Yield { has_star: false, items, filter };
    let call = ProcedureCall {
        name: name.to_owned(),
        arguments: Some(Vec::new()),
        yields: Some(taken),
        is_optional: false,
        span,
    };
    let mut clauses = vec![Clause::Call(call)];
    let all = Projection {
        is_distinct: false,
        has_star: false,
        items: Vec::new(),
        order: Vec::new(),
        skip: None,
        limit: None,
        filter: None,
        is_let: false,
        span,
    };
    let mut result = match projections.last() {
        Some(last) if !last.items.is_empty() || (projections.len() > 1 && last.has_star) => last.clone(),
        _ => all,
    };
    if let Some(bounds) = projections.first().filter(|first| first.items.is_empty()) {
        clauses.push(Clause::With(bounds.clone()));
    }
    if result.items.is_empty() && !result.has_star {
        // The columns in the order in which they were asked for.
        let taken = match &clauses[..] {
            [Clause::Call(ProcedureCall { yields: Some(yields), .. }), ..] => yields.items.clone(),
            _ => Vec::new(),
        };
        result.items = taken
            .into_iter()
            .map(|(_, name)| cypher::ast::Item {
                expr: Expr { kind: cypher::ast::ExprKind::Variable(name.text.clone()), span, height: 1 },
                name: name.text,
                has_alias: false,
            })
            .collect();
    }
    clauses.push(Clause::Return(result));
    Ok(Query { parts: vec![Part { clauses }], keeps_duplicates: true, span })
}
