//! The Gremlin language: text and bytecode to one tree of typed steps.
//!
//! Text (gremlin-lang 3.8 and a small set of Groovy statements) is parsed to a [`Script`], whose traversals are
//! [`Bytecode`], the same calls that drivers send. [`lower()`] makes a [`Traversal`] of either: each step with its
//! typed arguments, its modulators and its labels. There is no control flow, no closure and no access to classes; an
//! error names the construct and its place. No I/O, no storage, no execution.
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

mod error;
pub mod limits;
mod literal;
mod lower;
mod method;
pub mod names;
mod operations;
mod parse;
mod print;
mod script;
mod token;
mod tree;

pub use error::{Error, ErrorKind, Position, Span};
pub use lower::{Bindings, Resolve, lower};
pub use method::{Method, Source, Terminal, TransactionCall};
pub use parse::parse;
pub use query_value::Text;
pub use script::{Script, Statement, Target};
pub use tree::step::is_step;
pub use tree::{
    AnyName, AnyOf, BarrierKind, ByKey, Bytecode, Call, Choose, Concatenated, ElementReference, End, Expression, Has,
    HasKey, HasTest, Instruction, Leading, LeadingPop, MapArgument, Modulator, NewLabel, Nullable, Op, Pairs, Pattern,
    Predicate, PropertyContent, PropertyWrite, Query, Reduce, Selection, SourceOp, Step, Strategy, StrategyArgument,
    Test, Traversal, TypeName, Value, ValueTest,
};
