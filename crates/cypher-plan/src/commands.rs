//! Commands about the schema and the server: each becomes a query over a procedure; those that change the schema are
//! carried out by the host of the query.

use cypher::ast::{Clause, Command, Expr, ExprKind, Name, Part, ProcedureCall, Projection, Query, Requirement, Yield};
use cypher::{Span, Type};
use cypher_value::{Detail, Error, ErrorKind};

use crate::Result;

/// Columns of what is shown.
pub type Columns = &'static [(&'static str, Type)];

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
pub const SHOWN: &[(&str, Columns)] = &[
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
pub fn query(command: &Command) -> Result<Query> {
    match command {
        Command::Show { what, yields, filter, projections } => {
            show(what, yields.as_ref(), filter.as_ref(), projections)
        }
        Command::CreateIndex { kind, name, if_not_exists, is_node, labels, keys, .. } => {
            let (name, labels, keys) = (optional(name.as_ref()), texts(labels), texts(keys));
            let arguments = vec![text(kind), name, fact(*if_not_exists), fact(*is_node), labels, keys];
            Ok(alone(INDEX_CREATE, arguments))
        }
        Command::CreateConstraint { name, if_not_exists, is_node, label, keys, requirement, .. } => {
            let what = match requirement {
                Requirement::Unique => "UNIQUE".to_owned(),
                Requirement::Key => "KEY".to_owned(),
                Requirement::NotNull => "NOT NULL".to_owned(),
                Requirement::Type(of) => format!(":: {of}"),
            };
            let (name, label, keys) = (optional(name.as_ref()), text(&label.text), texts(keys));
            let arguments = vec![name, fact(*if_not_exists), fact(*is_node), label, keys, text(&what)];
            Ok(alone("~constraint.create", arguments))
        }
        Command::Drop { is_index, name, if_exists } => {
            Ok(alone("~schema.drop", vec![fact(*is_index), text(&name.text), fact(*if_exists)]))
        }
    }
}

/// The procedure that makes indexes.
pub const INDEX_CREATE: &str = "~index.create";

/// The failure of a command that changes the schema where nobody carries that out.
#[must_use]
pub fn not_here() -> Error {
    let message = "indexes and constraints are made by a server; over REST they are index labels \
                   (POST {graph}/schema/indexlabels, unique ones for constraints)";
    Error::new(ErrorKind::ExecutionFailed, Detail::None, message)
}

/// Whether a command changes the schema.
#[must_use]
pub fn changes_schema(command: &Command) -> bool {
    !matches!(command, Command::Show { .. })
}

/// The call of a procedure that is a query.
fn alone(name: &str, arguments: Vec<Expr>) -> Query {
    let (span, name) = (Span::default(), name.to_owned());
    let call = ProcedureCall { name, arguments: Some(arguments), yields: None, is_optional: false, span };
    Query { parts: vec![Part { clauses: vec![Clause::Call(call)] }], keeps_duplicates: true, span }
}

fn constant(kind: ExprKind, height: u32) -> Expr {
    Expr { kind, span: Span::default(), height }
}

fn text(text: &str) -> Expr {
    constant(ExprKind::Text(text.to_owned()), 1)
}

fn fact(fact: bool) -> Expr {
    constant(ExprKind::Bool(fact), 1)
}

fn texts(names: &[Name]) -> Expr {
    constant(ExprKind::List(names.iter().map(|name| text(&name.text)).collect()), 2)
}

fn optional(name: Option<&Name>) -> Expr {
    name.map_or_else(|| constant(ExprKind::Null, 1), |name| text(&name.text))
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
    let named = |name: &str| Name { text: name.to_owned(), span };
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
                expr: Expr { kind: ExprKind::Variable(name.text.clone()), span, height: 1 },
                name: name.text,
                has_alias: false,
            })
            .collect();
    }
    clauses.push(Clause::Return(result));
    Ok(Query { parts: vec![Part { clauses }], keeps_duplicates: true, span })
}
