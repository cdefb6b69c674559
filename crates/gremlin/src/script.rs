//! Scripts: statements over traversals, variables, schema calls and method results.
//!
//! A script is data to be carried out one statement after the other. There is no control flow and no function of the
//! user's, so each statement runs once.

use crate::bytecode::Bytecode;
use crate::error::Span;
use crate::value::{Text, Value};

/// A parsed script.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The statements in order; the value of the last one is the script's.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Evaluates an expression.
    Expression(Expression),
    /// Evaluates an expression and keeps its value: `x = ...`, `def x = ...`, `x.k = ...`, `x['k'] = ...`.
    Assign {
        /// Where to.
        target: Target,
        /// The value.
        value: Expression,
    },
    /// Ends the script with a value.
    Return(Expression),
}

/// What can be assigned to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A variable.
    Variable(Text),
    /// An entry of a map or a list that an expression yields.
    Entry(Expression, Value),
}

/// An expression of a script.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A literal, which may contain expressions as [`Value::Deferred`].
    Value(Value),
    /// A variable, a graph, or a value bound by the request.
    Variable(Text),
    /// A traversal from a source; without steps it is the source itself.
    Query(Box<Query>),
    /// `g.tx().commit()` and its like.
    Transaction(Source, TransactionCall),
    /// Calls on a graph's schema, the first one on `graph.schema()`.
    Schema {
        /// The graph's variable.
        graph: Text,
        /// The calls in order; names are in [`crate::names::is_schema_method`].
        calls: Vec<Call>,
    },
    /// A method of a graph, an element or a result.
    Method {
        /// On what it is called.
        target: Box<Self>,
        /// Which.
        method: Method,
        /// Its arguments.
        arguments: Vec<Value>,
        /// The call's place in the script.
        span: Span,
    },
    /// An entry of a map or a list: `x.k`, `x['k']`, `x[0]`.
    Entry(Box<Self>, Value),
}

impl Expression {
    /// The expression as an argument.
    #[must_use]
    pub fn into_value(self) -> Value {
        match self {
            Self::Value(value) => value,
            other => Value::Deferred(Box::new(other)),
        }
    }

    /// What the expression is, for errors.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Value(value) => value.kind(),
            Self::Variable(_) => "a variable",
            Self::Query(_) => "a traversal",
            Self::Transaction(..) => "a transaction",
            Self::Schema { .. } => "a schema call",
            Self::Method { .. } | Self::Entry(..) => "a result",
        }
    }
}

/// Where a traversal starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A traversal source by its name: `g`, `__g_hugegraph`.
    Named(Text),
    /// The source of a graph: `hugegraph.traversal()`.
    OfGraph(Text),
}

/// A traversal from a source, and what is asked of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Where it starts.
    pub source: Source,
    /// Its steps.
    pub bytecode: Bytecode,
    /// What is asked; none is the same as a list, but lazily.
    pub terminal: Option<Terminal>,
    /// Its place in the script.
    pub span: Span,
}

/// What is asked of a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// One result, or up to a number of them.
    Next(Option<i64>),
    /// All results, as a list.
    ToList,
    /// All different results.
    ToSet,
    /// All different results with their counts.
    ToBulkSet,
    /// Only its effects.
    Iterate,
    /// Whether there is a result.
    HasNext,
    /// One result or none.
    TryNext,
    /// The plan.
    Explain,
}

/// What is asked of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionCall {
    /// Starts one.
    Begin,
    /// Keeps its writes.
    Commit,
    /// Drops its writes.
    Rollback,
    /// Whether one is open.
    IsOpen,
}

/// A call of a method that is kept by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The method.
    pub name: Text,
    /// Its arguments.
    pub arguments: Vec<Value>,
    /// Its place in the script.
    pub span: Span,
}

macro_rules! methods {
    ($($(#[$doc:meta])* $item:ident $name:literal),* $(,)?) => {
        /// Methods that may be called on graphs, elements and results.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Method { $($(#[$doc])* $item),* }

        impl Method {
            /// The name in scripts.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$item => $name),* }
            }

            /// The method of a name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$item),)* _ => None }
            }
        }
    };
}

methods! {
    /// Makes a vertex.
    AddVertex "addVertex",
    /// Makes an edge from a vertex.
    AddEdge "addEdge",
    /// All vertices of a graph, or those of some ids.
    Vertices "vertices",
    /// All edges of a graph, or those of some ids.
    Edges "edges",
    /// Reads or writes a property.
    Property "property",
    /// The properties.
    Properties "properties",
    /// Deletes an element.
    Remove "remove",
    /// The id.
    Id "id",
    /// The label.
    Label "label",
    /// A property's value.
    Value "value",
    /// Values of properties, or of a map.
    Values "values",
    /// Keys of properties, or of a map.
    Keys "keys",
    /// How many items there are.
    Size "size",
    /// An item by its index or key.
    Get "get",
    /// Whether there are no items.
    IsEmpty "isEmpty",
    /// Whether an item is there.
    Contains "contains",
    /// Whether a key is there.
    ContainsKey "containsKey",
    /// Sets an entry.
    Put "put",
    /// Appends an item.
    Add "add",
    /// The first item.
    First "first",
    /// The last item.
    Last "last",
    /// The text of anything.
    ToString "toString",
    /// One result of a traversal kept in a variable.
    Next "next",
    /// All its results.
    ToList "toList",
    /// All its different results.
    ToSet "toSet",
    /// Only its effects.
    Iterate "iterate",
    /// Whether it has a result.
    HasNext "hasNext",
    /// One result or none.
    TryNext "tryNext",
}
