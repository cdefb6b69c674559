//! The tree of a query.

use crate::error::Span;

/// A name in a query and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name, without backquotes.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// What is to be done with a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It is carried out.
    #[default]
    Run,
    /// Its plan is shown.
    Explain,
    /// It is carried out and its plan is shown with what each operator did.
    Profile,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What is to be done with it.
    pub mode: Mode,
    /// The graph of `USE`.
    pub graph: Option<Name>,
    /// What it says.
    pub body: Body,
}

/// What a statement says.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A query.
    Query(Query),
    /// A command about the schema or the server.
    Command(Box<Command>),
}

/// Queries joined by UNION.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Its parts, at least one.
    pub parts: Vec<Part>,
    /// Whether duplicates are kept (`UNION ALL`).
    pub keeps_duplicates: bool,
    /// Where it is.
    pub span: Span,
}

/// Clauses one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its clauses, at least one.
    pub clauses: Vec<Clause>,
}

/// A clause.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    /// `MATCH` and `OPTIONAL MATCH`.
    Match(Match),
    /// `UNWIND list AS name`.
    Unwind {
        /// The list.
        list: Expr,
        /// The name of an item.
        name: Name,
    },
    /// `WITH`.
    With(Projection),
    /// `RETURN`.
    Return(Projection),
    /// `CREATE`.
    Create(Vec<Pattern>),
    /// `MERGE`.
    Merge {
        /// What is to exist.
        pattern: Pattern,
        /// What is set when it was made.
        on_create: Vec<SetItem>,
        /// What is set when it was found.
        on_match: Vec<SetItem>,
    },
    /// `SET`.
    Set(Vec<SetItem>),
    /// `REMOVE`.
    Remove(Vec<RemoveItem>),
    /// `DELETE` and `DETACH DELETE`.
    Delete {
        /// Whether relationships go too.
        is_detach: bool,
        /// What is deleted.
        items: Vec<Expr>,
    },
    /// `CALL name(..) YIELD ..`.
    Call(ProcedureCall),
    /// `CALL { .. }`.
    Subquery(Box<Subquery>),
    /// `FOREACH (x IN list | ..)`.
    Foreach {
        /// The name of an item.
        name: Name,
        /// The list.
        list: Expr,
        /// What is done for each item.
        clauses: Vec<Clause>,
    },
    /// `FINISH`.
    Finish(Span),
    /// `LOAD CSV`.
    LoadCsv {
        /// Whether the first line names the columns.
        has_headers: bool,
        /// Where it is.
        source: Expr,
        /// The name of a row.
        name: Name,
        /// What separates fields.
        separator: Option<String>,
    },
}

/// `MATCH`.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Whether rows without a match are kept.
    pub is_optional: bool,
    /// What is looked for.
    pub patterns: Vec<Pattern>,
    /// `WHERE`.
    pub filter: Option<Expr>,
    /// Where it is.
    pub span: Span,
}

/// `WITH` or `RETURN`.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// Whether each row comes once.
    pub is_distinct: bool,
    /// Whether all names are kept (`*`).
    pub has_star: bool,
    /// What is computed.
    pub items: Vec<Item>,
    /// `ORDER BY`.
    pub order: Vec<SortItem>,
    /// `SKIP`.
    pub skip: Option<Expr>,
    /// `LIMIT`.
    pub limit: Option<Expr>,
    /// `WHERE`.
    pub filter: Option<Expr>,
    /// Whether columns whose names are in scope replace them (`LET`).
    pub is_let: bool,
    /// Where it is.
    pub span: Span,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What is computed.
    pub expr: Expr,
    /// Its name: of `AS`, or the text of the expression.
    pub name: String,
    /// Whether the name was given.
    pub has_alias: bool,
}

/// An item of ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub struct SortItem {
    /// What is compared.
    pub expr: Expr,
    /// Whether the largest comes first.
    pub is_descending: bool,
}

/// What is set.
#[derive(Clone, Debug, PartialEq)]
pub enum SetItem {
    /// `n.key = value`.
    Property {
        /// The element.
        target: Box<Expr>,
        /// The key.
        key: PropertyKey,
        /// The value.
        value: Expr,
    },
    /// `n = map` and `n += map`.
    Map {
        /// The element.
        target: Name,
        /// The map.
        value: Expr,
        /// Whether other properties stay.
        is_added: bool,
    },
    /// `n:Label`.
    Labels {
        /// The node.
        target: Name,
        /// The labels.
        labels: Vec<LabelName>,
    },
}

/// A key, or an expression for one.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyKey {
    /// `n.key`.
    Name(String),
    /// `n[key]`.
    Dynamic(Box<Expr>),
}

/// A label, or an expression for one.
#[derive(Clone, Debug, PartialEq)]
pub enum LabelName {
    /// `:Label`.
    Name(Name),
    /// `:$(expr)`.
    Dynamic(Expr),
}

/// What is removed.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoveItem {
    /// `n.key`.
    Property {
        /// The element.
        target: Expr,
        /// The key.
        key: PropertyKey,
    },
    /// `n:Label`.
    Labels {
        /// The node.
        target: Name,
        /// The labels.
        labels: Vec<LabelName>,
    },
}

/// `CALL name(..) YIELD ..`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureCall {
    /// Its name with points.
    pub name: String,
    /// Its arguments; none: parameters of the same names.
    pub arguments: Option<Vec<Expr>>,
    /// What is taken of its rows.
    pub yields: Option<Yield>,
    /// Whether a row without results is kept.
    pub is_optional: bool,
    /// Where it is.
    pub span: Span,
}

/// `YIELD`.
#[derive(Clone, Debug, PartialEq)]
pub struct Yield {
    /// Whether all columns are taken.
    pub has_star: bool,
    /// Columns with their new names.
    pub items: Vec<(Name, Name)>,
    /// `WHERE`.
    pub filter: Option<Expr>,
}

/// `CALL { .. }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Subquery {
    /// What is carried out.
    pub query: Query,
    /// What it may use.
    pub imports: Imports,
    /// Whether a row without results is kept.
    pub is_optional: bool,
    /// `IN TRANSACTIONS`.
    pub transactions: Option<Transactions>,
    /// Where it is.
    pub span: Span,
}

/// What a subquery may use of its surroundings.
#[derive(Clone, Debug, PartialEq)]
pub enum Imports {
    /// What its first WITH names.
    With,
    /// All.
    All,
    /// Some.
    Names(Vec<Name>),
}

/// `IN TRANSACTIONS`.
#[derive(Clone, Debug, PartialEq)]
pub struct Transactions {
    /// Rows of one transaction.
    pub rows: Option<Expr>,
    /// What a failure does.
    pub on_error: OnError,
    /// The name of the report.
    pub report: Option<Name>,
}

/// What a failure of a transaction does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// It ends the query.
    #[default]
    Fail,
    /// The next transaction follows.
    Continue,
    /// No further transaction follows.
    Break,
}

/// A path pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The name of the path.
    pub name: Option<Name>,
    /// Whether only shortest ones are meant.
    pub shortest: Option<Shortest>,
    /// Where it starts.
    pub start: NodePattern,
    /// How it goes on.
    pub steps: Vec<(RelationshipPattern, NodePattern)>,
    /// Where it is.
    pub span: Span,
}

/// Which of the shortest paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortest {
    /// One.
    One,
    /// All of the least length.
    All,
    /// Up to so many, the shorter ones first.
    Some(u64),
    /// All of the so many least lengths.
    Groups(u64),
}

/// A node of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct NodePattern {
    /// Its name.
    pub name: Option<Name>,
    /// Its labels.
    pub labels: Option<LabelExpr>,
    /// Its properties.
    pub properties: Option<Expr>,
    /// `WHERE`.
    pub filter: Option<Box<Expr>>,
    /// Where it is.
    pub span: Span,
}

/// Which way a relationship goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the right.
    Right,
    /// To the left.
    Left,
    /// Either.
    Both,
}

/// A relationship of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationshipPattern {
    /// Its name.
    pub name: Option<Name>,
    /// Its types.
    pub types: Option<LabelExpr>,
    /// Which way it goes.
    pub direction: Direction,
    /// Whether both arrow heads are written.
    pub is_double: bool,
    /// How many there are, for a pattern of variable length.
    pub length: Option<Length>,
    /// The part of a path that is there so many times, in place of a relationship.
    pub repeated: Option<Box<Repeated>>,
    /// Their properties.
    pub properties: Option<Expr>,
    /// `WHERE`.
    pub filter: Option<Box<Expr>>,
    /// Where it is.
    pub span: Span,
}

/// A part of a path that is repeated: `((a)-[r]->(b) WHERE a.x < b.x){1,3}`. Outside, its names are lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeated {
    /// The part.
    pub pattern: Pattern,
    /// What holds each time.
    pub filter: Option<Expr>,
}

impl Repeated {
    /// The names of its nodes and relationships, and whether each is of a node.
    pub fn names(&self) -> impl Iterator<Item = (&Name, bool)> {
        let Pattern { start, steps, .. } = &self.pattern;
        let relationships = steps.iter().filter_map(|(step, _)| step.name.as_ref()).map(|name| (name, false));
        let nodes = std::iter::once(start).chain(steps.iter().map(|(_, node)| node));
        nodes.filter_map(|node| node.name.as_ref()).map(|name| (name, true)).chain(relationships)
    }
}

/// How many relationships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// At least; none: one.
    pub min: Option<u64>,
    /// At most; none: no bound.
    pub max: Option<u64>,
}

/// Which labels.
#[derive(Clone, Debug, PartialEq)]
pub enum LabelExpr {
    /// This one.
    Name(Name),
    /// One that is computed.
    Dynamic(Box<Expr>),
    /// Any (`%`).
    Any,
    /// Not these.
    Not(Box<Self>),
    /// All of these.
    And(Vec<Self>),
    /// One of these.
    Or(Vec<Self>),
}

/// An expression and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is.
    pub span: Span,
    /// Height of its tree.
    pub height: u32,
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `OR`
    Or,
    /// `XOR`
    Xor,
    /// `AND`
    And,
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `=~`
    Matches,
    /// `STARTS WITH`
    StartsWith,
    /// `ENDS WITH`
    EndsWith,
    /// `CONTAINS`
    Contains,
    /// `IN`
    In,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `^`
    Power,
    /// `||`
    Concat,
}

/// An operator of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `NOT`
    Not,
    /// `-`
    Minus,
    /// `+`
    Plus,
}

/// Which items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `all`
    All,
    /// `any`
    Any,
    /// `none`
    None,
    /// `single`
    Single,
}

/// What a subquery in an expression answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubqueryKind {
    /// Whether there is a row.
    Exists,
    /// How many rows there are.
    Count,
    /// A list of the only column.
    Collect,
}

/// An entry of a map projection.
#[derive(Clone, Debug, PartialEq)]
pub enum MapEntry {
    /// `.*`
    All,
    /// `.key`
    Key(String),
    /// `name`
    Variable(Name),
    /// `key: value`
    Pair(String, Expr),
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Another number.
    Float(f64),
    /// A text.
    Text(String),
    /// `$name`
    Param(String),
    /// A name.
    Variable(String),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{key: value}`
    Map(Vec<(String, Expr)>),
    /// `a.key`
    Property(Box<Expr>, String),
    /// `a[b]`
    Index(Box<Expr>, Box<Expr>),
    /// `a[b..c]`
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// An operator of one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator of two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a < b <= c`: each operand is compared with the one before.
    Chain(Box<Expr>, Vec<(BinaryOp, Expr)>),
    /// `IS NULL`, or `IS NOT NULL` where the flag is set.
    IsNull(Box<Expr>, bool),
    /// `n:Label`
    HasLabels(Box<Expr>, LabelExpr),
    /// `IS :: TYPE`, or `IS NOT :: TYPE` where the flag is set.
    IsType(Box<Expr>, String, bool),
    /// `IS NFC NORMALIZED`, or `IS NOT ..` where the flag is set.
    IsNormalized(Box<Expr>, String, bool),
    /// `name(..)`
    Call {
        /// The name with its points, as it was written.
        name: String,
        /// Whether each value counts once.
        is_distinct: bool,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `count(*)`
    CountStar,
    /// `CASE`
    Case {
        /// What is compared.
        subject: Option<Box<Expr>>,
        /// Conditions with results.
        branches: Vec<(Expr, Expr)>,
        /// The result without a condition.
        otherwise: Option<Box<Expr>>,
    },
    /// `[x IN list WHERE p | e]`
    ListComprehension {
        /// The name of an item.
        name: Name,
        /// The list.
        list: Box<Expr>,
        /// Which items.
        filter: Option<Box<Expr>>,
        /// What of them.
        map: Option<Box<Expr>>,
    },
    /// `[(a)-->(b) WHERE p | e]`
    PatternComprehension {
        /// The pattern.
        pattern: Box<Pattern>,
        /// Which matches.
        filter: Option<Box<Expr>>,
        /// What of them.
        map: Box<Expr>,
    },
    /// `all(x IN list WHERE p)`
    Quantified {
        /// Which items.
        quantifier: Quantifier,
        /// The name of an item.
        name: Name,
        /// The list.
        list: Box<Expr>,
        /// The condition.
        filter: Box<Expr>,
    },
    /// `reduce(a = e, x IN list | f)`
    Reduce {
        /// The name of the result so far.
        accumulator: Name,
        /// Its first value.
        init: Box<Expr>,
        /// The name of an item.
        name: Name,
        /// The list.
        list: Box<Expr>,
        /// The next result.
        body: Box<Expr>,
    },
    /// `(a)-->(b)` as a condition.
    Pattern(Box<Pattern>),
    /// `EXISTS { .. }`
    Subquery(SubqueryKind, Box<Query>),
    /// `n {.*, key: value}`
    MapProjection(Name, Vec<MapEntry>),
}

/// A command about the schema or the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `SHOW ..`
    Show {
        /// What is shown, in capital letters: `INDEXES`.
        what: String,
        /// `YIELD`.
        yields: Option<Yield>,
        /// `WHERE` without YIELD.
        filter: Option<Expr>,
        /// `ORDER BY`, SKIP, LIMIT and RETURN that follow.
        projections: Vec<Projection>,
    },
    /// `CREATE .. INDEX`
    CreateIndex {
        /// `RANGE`, `TEXT`, `FULLTEXT`, `VECTOR`, `POINT` or `LOOKUP`.
        kind: String,
        /// Its name.
        name: Option<Name>,
        /// Whether one that exists is left as it is.
        if_not_exists: bool,
        /// Whether it is over nodes.
        is_node: bool,
        /// The labels or types; more than one in full-text indexes only.
        labels: Vec<Name>,
        /// The keys.
        keys: Vec<Name>,
        /// `OPTIONS`.
        options: Option<Expr>,
        /// Where it is.
        span: Span,
    },
    /// `CREATE CONSTRAINT`
    CreateConstraint {
        /// Its name.
        name: Option<Name>,
        /// Whether one that exists is left as it is.
        if_not_exists: bool,
        /// Whether it is about nodes.
        is_node: bool,
        /// The label or type.
        label: Name,
        /// The keys.
        keys: Vec<Name>,
        /// What is required.
        requirement: Requirement,
        /// Where it is.
        span: Span,
    },
    /// `DROP INDEX name` and `DROP CONSTRAINT name`.
    Drop {
        /// Whether it is an index.
        is_index: bool,
        /// Its name.
        name: Name,
        /// Whether it may be missing.
        if_exists: bool,
    },
}

/// What a constraint requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// No two have the same values.
    Unique,
    /// No two have the same values, and all have values.
    Key,
    /// All have a value.
    NotNull,
    /// Values are of a type.
    Type(String),
}
