//! The types of scripts and traversals: values, calls as text and bytecode give them, and the step tree they become.
//!
//! Values contain traversals and traversals contain values, so the types can only be read together and stand in one
//! file. What they do is in the files below.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use query_value::{
    Barrier, Cardinality, Column, DateTime, DateUnit, Direction, Duration, ElementKind, Enum, GType, Merge, Operator,
    Order, Pop, Scope, T, Text,
};

use crate::error::Span;
use crate::method::{Method, Source, Terminal, TransactionCall};
use crate::operations::operations;
use query_value::{Comparison, Interval, TextTest};

pub(crate) mod argument;
mod bytecode;
mod convert;
pub(crate) mod flat;
mod forms;
mod predicate;
mod script;
pub(crate) mod step;
mod traversal;
mod value;

/// A value. `Deferred` and `Bytecode` occur only before lowering.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Boolean(bool),
    /// 8-bit integer.
    Byte(i8),
    /// 16-bit integer.
    Short(i16),
    /// 32-bit integer.
    Int(i32),
    /// 64-bit integer.
    Long(i64),
    /// Integer of any length.
    BigInteger(BigInt),
    /// 32-bit float.
    Float(f32),
    /// 64-bit float.
    Double(f64),
    /// Decimal number of any length.
    BigDecimal(BigDecimal),
    /// A character.
    Char(char),
    /// A text.
    Text(Text),
    /// Bytes.
    Binary(Box<[u8]>),
    /// The 128 bits of a UUID, most significant first.
    Uuid(u128),
    /// A moment with its offset.
    DateTime(DateTime),
    /// The moment of execution: `datetime()`.
    Now,
    /// A random UUID made at execution: `UUID()`.
    NewUuid,
    /// A length of time.
    Duration(Duration),
    /// Values in order.
    List(Vec<Self>),
    /// Different values, in the order of first appearance. Whether two are equal is for the execution to say.
    Set(Vec<Self>),
    /// Pairs of key and value, in order.
    Map(Vec<(Self, Self)>),
    /// A constant.
    Enum(Enum),
    /// A value with the cardinality it is written with: `single(1)`.
    WithCardinality(Cardinality, Box<Self>),
    /// A test of values.
    Predicate(Box<Predicate>),
    /// A strategy with its options.
    Strategy(Box<Strategy>),
    /// A vertex or an edge by its id.
    Element(Box<ElementReference>),
    /// A nested traversal.
    Traversal(Box<Traversal>),
    /// A nested traversal before lowering.
    Bytecode(Box<Bytecode>),
    /// What has to be evaluated first: a variable, a finished traversal, a method's result.
    Deferred(Box<Expression>),
}

/// A traversal strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// The class's name without its package.
    pub name: Text,
    /// Its options in the order given.
    pub options: Vec<(Text, Value)>,
}

/// An element named by its id.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementReference {
    /// What it is.
    pub kind: ElementKind,
    /// Its id.
    pub id: Value,
    /// Its label, as the sender knows it.
    pub label: Text,
}

/// The type a value is tested for.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeName {
    /// A type of Gremlin.
    Known(GType),
    /// A name registered elsewhere.
    Named(Text),
}

/// A test of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// Compares with a value.
    Compare(Comparison, Value),
    /// Compares with two values.
    Range(Interval, Value, Value),
    /// Equals one of them.
    Within(Vec<Value>),
    /// Equals none of them.
    Without(Vec<Value>),
    /// Tests a text; the value is a text after lowering.
    Text(TextTest, Value),
    /// Tests the type.
    TypeOf(TypeName),
    /// The opposite.
    Not(Box<Self>),
    /// All hold; none of them is an `And`.
    And(Vec<Self>),
    /// One holds; none of them is an `Or`.
    Or(Vec<Self>),
}

/// A traversal before lowering.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bytecode {
    /// Calls on the traversal source, such as `withSack(1)`.
    pub source: Vec<Instruction>,
    /// Calls that add steps.
    pub steps: Vec<Instruction>,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The method's name.
    pub name: Text,
    /// Its arguments.
    pub arguments: Vec<Value>,
    /// Where it stands in the script; none if it came as bytecode.
    pub span: Option<Span>,
}

impl PartialEq for Instruction {
    /// Two calls are equal wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.arguments == other.arguments
    }
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

macro_rules! definition {
    ($(#[$doc:meta])* $type:ident { $($variant:ident $name:literal { $($field:ident: $argument:ty),* })* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $type {
            $(
                #[doc = concat!("`", $name, "()`.")]
                $variant { $(#[doc = concat!("Argument `", stringify!($field), "`.")] $field: $argument),* },
            )*
        }
    };
}

operations!(definition);

/// A traversal. A nested one has no source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traversal {
    /// What the source was given, in order.
    pub source: Vec<SourceOp>,
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// A step with all that modulates it.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub op: Op,
    /// The names that `as()` gave its results.
    pub labels: Vec<Text>,
    /// Its modulators in order.
    pub modulators: Vec<Modulator>,
    /// Its place in the script; none if it came as bytecode.
    pub span: Option<Span>,
}

impl PartialEq for Step {
    /// Two steps are equal wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.op == other.op && self.labels == other.labels && self.modulators == other.modulators
    }
}

/// A call that changes the step before it.
#[derive(Clone, Debug, PartialEq)]
pub enum Modulator {
    /// `by()`: of what, and in which order.
    By {
        /// Of what.
        key: ByKey,
        /// In which order; only where results are sorted.
        order: Option<Order>,
    },
    /// `with()`: an option of the step.
    With(Text, Option<Value>),
    /// `option()` of `branch()` and `choose()`.
    Branch {
        /// When it is taken; none stands for always.
        when: Option<Pattern>,
        /// What is done then.
        then: Box<Traversal>,
    },
    /// `option()` of `mergeV()` and `mergeE()`.
    Merge {
        /// Which part.
        part: Merge,
        /// Its properties.
        map: MapArgument,
        /// How they join values already there.
        cardinality: Option<Cardinality>,
    },
    /// `from()`.
    From(End),
    /// `to()`.
    To(End),
    /// `until()`.
    Until {
        /// Whether it stands before `repeat()`, so that it is tested before the first round.
        is_first: bool,
        /// When the loop ends.
        test: Test,
    },
    /// `times()`.
    Times {
        /// Whether it stands before `repeat()`.
        is_first: bool,
        /// How many rounds.
        count: i64,
    },
    /// `emit()`.
    Emit {
        /// Whether it stands before `repeat()`, so that it is tested before the first round.
        is_first: bool,
        /// What is emitted; none stands for everything.
        test: Option<Test>,
    },
    /// `read()` of `io()`.
    Read,
    /// `write()` of `io()`.
    Write,
}

/// What a value of `choose()` or `branch()` is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// A value, a constant of `Pick`, or a traversal that yields the value.
    Value(Value),
    /// What passes.
    Predicate(Predicate),
}

/// Of what `by()` is.
#[derive(Clone, Debug, PartialEq)]
pub enum ByKey {
    /// The object itself.
    Identity,
    /// A part of the element.
    Token(T),
    /// A side of a map.
    Column(Column),
    /// A property's value.
    Property(Text),
    /// What a traversal yields.
    Traversal(Traversal),
}

/// An end of an edge, or of a part of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// What a label stands for.
    Label(Text),
    /// What a traversal yields.
    Traversal(Traversal),
    /// An element, by itself or by its id.
    Value(Value),
}

/// An argument that may be left out although others follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leading<V>(pub Option<V>);

/// A text or null, where Gremlin allows null as a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nullable(pub Option<Text>);

/// A test that a bare value turns into equality.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueTest(pub Predicate);

/// Pairs of a map in order.
pub type Pairs = Vec<(Value, Value)>;

/// A condition of `filter()`, `where()`, `until()` and others.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The value passes a predicate.
    Predicate(Predicate),
    /// The traversal yields something.
    Traversal(Traversal),
}

/// A label of a new element.
#[derive(Clone, Debug, PartialEq)]
pub enum NewLabel {
    /// As given.
    Text(Text),
    /// What a traversal yields.
    Traversal(Traversal),
}

/// A map that may be given in other ways.
#[derive(Clone, Debug, PartialEq)]
pub enum MapArgument {
    /// As given.
    Map(Pairs),
    /// Null, which is not the same as an empty map.
    Null,
    /// What a traversal yields.
    Traversal(Traversal),
}

/// Values of which one must be equal, or a predicate: `hasId()`, `hasValue()`.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyOf {
    /// One of these.
    Values(Vec<Value>),
    /// What passes.
    Predicate(Predicate),
}

/// Names of which one must be equal, or a predicate: `hasLabel()`, `hasKey()`.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyName {
    /// One of these.
    Names(Vec<Nullable>),
    /// What passes.
    Predicate(Predicate),
}

/// What `has()` tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Has {
    /// The element's label, if it is tested too. The inner none is null, which no element has.
    pub label: Option<Nullable>,
    /// Of what the value is tested.
    pub key: HasKey,
    /// The test.
    pub test: HasTest,
}

/// Of what `has()` tests the value.
#[derive(Clone, Debug, PartialEq)]
pub enum HasKey {
    /// A property.
    Property(Nullable),
    /// Id, label, key or value.
    Token(T),
}

/// The test of `has()`.
#[derive(Clone, Debug, PartialEq)]
pub enum HasTest {
    /// The property is there.
    Exists,
    /// Its value passes; a bare value is an equality.
    Predicate(Predicate),
    /// A traversal from its value yields something (3.5 and before).
    Traversal(Traversal),
}

/// What `property()` writes.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyWrite {
    /// How it joins the values already there; the schema decides if it is left out.
    pub cardinality: Option<Cardinality>,
    /// What is written.
    pub content: PropertyContent,
}

/// Keys and values of `property()`.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyContent {
    /// One property.
    One {
        /// Its key: a text, `T.id`, `T.label` or a traversal.
        key: Value,
        /// Its value, which may be a traversal.
        value: Value,
        /// Properties of the property.
        meta: Pairs,
    },
    /// All of a map.
    Map(Pairs),
    /// A null map: nothing.
    Null,
}

/// What `select()` yields.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// Keys or values of a map.
    Column(Column),
    /// One label as itself, several as a map.
    Labels(Vec<Nullable>),
    /// The label that a traversal yields.
    Traversal(Traversal),
}

/// A pop before a selection.
pub type LeadingPop = Leading<Pop>;

/// How `choose()` decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Choose {
    /// By a part of the element; the branches are options.
    Token(T),
    /// By a side of a map; the branches are options.
    Column(Column),
    /// By what a traversal yields; the branches are options.
    Traversal(Traversal),
    /// By a condition.
    If {
        /// The condition.
        test: Test,
        /// The branch if it holds.
        then: Traversal,
        /// The branch if not; without it the traverser passes.
        otherwise: Option<Traversal>,
    },
}

/// What `barrier()` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierKind {
    /// Waits for all.
    All,
    /// Waits for a number of traversers.
    Size(i64),
    /// Waits for all and changes them.
    Function(Barrier),
}

/// Texts or traversals that `concat()` appends.
#[derive(Clone, Debug, PartialEq)]
pub enum Concatenated {
    /// As given; null is skipped.
    Texts(Vec<Nullable>),
    /// What traversals yield.
    Traversals(Vec<Traversal>),
}

/// A fold with a start value.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    /// The start value.
    pub seed: Value,
    /// What joins it with each value.
    pub operator: Operator,
}

/// A strategy, or the name of one.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategyArgument(pub Strategy);
