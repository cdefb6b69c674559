//! The Gremlin language: text and bytecode to one tree of typed steps.
//!
//! Text (gremlin-lang 3.8 and a small set of Groovy statements) is parsed to a [`Script`], whose traversals are
//! [`Bytecode`], the same calls that drivers send. [`lower`] makes a [`Traversal`] of either: each step with its typed
//! arguments, its modulators and its labels. There is no control flow, no closure and no access to classes; an error
//! names the construct and its place. No I/O, no storage, no execution.
//!
//! ```
//! use gremlin::{Bindings, Expression, Statement, lower, parse};
//!
//! let script = parse("g.V().has('person', 'age', P.gt(x)).out('knows')", ["x"])?;
//! let Some(Statement::Expression(Expression::Query(query))) = script.statements.first() else { return Ok(()) };
//! let bindings = [("x".into(), gremlin::Value::Int(30))].into_iter().collect();
//! let traversal = lower(&query.bytecode, &mut Bindings(bindings))?;
//! assert_eq!(traversal.to_string(), r#"g.V().has("person", "age", P.gt(30)).out("knows")"#);
//! # Ok::<(), gremlin::Error>(())
//! ```

mod argument;
mod bytecode;
mod convert;
mod error;
mod forms;
pub mod limits;
mod literal;
mod lower;
pub mod names;
mod parse;
mod predicate;
mod print;
mod script;
mod step;
mod token;
mod traversal;
mod value;

pub use argument::{Leading, Nullable, ValueTest};
pub use bytecode::{Bytecode, Instruction};
pub use error::{Error, ErrorKind, Position, Span};
pub use forms::{
    AnyName, AnyOf, BarrierKind, Choose, Concatenated, Has, HasKey, HasTest, LeadingPop, MapArgument, NewLabel, Pairs,
    PropertyContent, PropertyWrite, Reduce, Selection, StrategyArgument, Test,
};
pub use lower::{Bindings, Resolve, lower};
pub use parse::parse;
pub use predicate::{Comparison, Interval, Predicate, TextTest, TypeName};
pub use script::{Call, Expression, Method, Query, Script, Source, Statement, Target, Terminal, TransactionCall};
pub use step::{Op, SourceOp, is_step};
pub use traversal::{ByKey, End, Modulator, Pattern, Step, Traversal};
pub use value::{ElementReference, Strategy, Text, Value};
