//! What a query consists of when it is carried out: steps over rows of slots, expressions over slots.

use std::sync::Arc;

pub use cypher::ast::OnError;
use cypher::ast::{BinaryOp, Quantifier, SubqueryKind};
use cypher_value::{Text, Value};
use graph_model::Direction;

/// The place of a value in a row.
pub type Slot = usize;

/// Steps one after the other; the first one gets the rows that the plan is given.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The steps.
    pub steps: Vec<Step>,
}

/// Parts of a query whose rows are put one after the other.
#[derive(Clone, Debug)]
pub struct Union {
    /// Each part, with the slots of its columns in the order of the first part's.
    pub parts: Vec<(Arc<Plan>, Vec<Slot>)>,
    /// Whether each row comes once.
    pub is_distinct: bool,
}

/// A step.
#[derive(Clone, Debug)]
pub enum Step {
    /// Nodes.
    Scan(Arc<Scan>),
    /// Relationships of a node.
    Expand(Arc<Expand>),
    /// How many relationships a node has, and where their number goes; no row where there is none.
    Count(Arc<(Expand, Slot)>),
    /// Relationships one after the other, of which only nodes are wanted.
    Join(Arc<Join>),
    /// How many relationships of types there are, and where their number goes; no row where there is none.
    CountRelationships(Arc<(Option<Labels>, Slot)>),
    /// Nodes, or relationships of nodes, counted by a property of the nodes.
    GroupCount(Arc<GroupCount>),
    /// How many nodes of labels there are, and where their number goes.
    CountNodes(Arc<(Option<Labels>, Slot)>),
    /// Paths from a node.
    Walk(Arc<Walk>),
    /// Paths of parts that are repeated.
    Repeat(Arc<Repeat>),
    /// The ends of a relationship that is known.
    Ends(Arc<Expand>),
    /// Shortest paths between two nodes that are known.
    Shortest(Arc<Shortest>),
    /// Rows that meet a condition.
    Filter(Arc<Ex>),
    /// Values.
    Let(Arc<Vec<(Slot, Ex)>>),
    /// Rows put together.
    Aggregate(Arc<Aggregate>),
    /// Each row once, by some slots.
    Distinct(Arc<Vec<Slot>>),
    /// An order, of which a number of rows at the start is wanted.
    Sort(Arc<Sort>),
    /// Without the first rows.
    Skip(Arc<Ex>),
    /// Only the first rows.
    Limit(Arc<Ex>),
    /// A row for each item of a list.
    Unwind(Arc<(Ex, Slot)>),
    /// New elements.
    Create(Arc<Vec<Make>>),
    /// New elements unless they are there.
    Merge(Arc<Merge>),
    /// Changed elements.
    Set(Arc<Vec<Change>>),
    /// Removed elements.
    Delete(Arc<(bool, Vec<Ex>)>),
    /// What a plan finds for each row, or nulls.
    Optional(Arc<Optional>),
    /// What a query gives for each row.
    Call(Arc<CallQuery>),
    /// What a procedure gives for each row.
    Procedure(Arc<CallProcedure>),
    /// A plan carried out for each item of a list.
    Foreach(Arc<(Ex, Slot, Arc<Plan>)>),
    /// No rows, but all before are carried out.
    Drain,
}

/// Where values are, seen from another one, which may be among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Below it.
    Below,
    /// Above it.
    Above,
    /// They begin with it.
    Start,
}

/// Nodes.
#[derive(Clone, Debug)]
pub struct Scan {
    /// Where the node goes.
    pub slot: Slot,
    /// Which labels.
    pub labels: Option<Labels>,
    /// Their ids, or one: as numbers or texts.
    pub ids: Option<Ex>,
    /// Keys with values they must have: a hint, the condition itself follows.
    pub equal: Vec<(Text, Ex)>,
    /// Keys with lists of values they must have one of: a hint too, for indexes.
    pub within: Vec<(Text, Ex)>,
    /// Keys whose values are on a side of another one: a hint, for indexes of auto graphs.
    pub bounds: Vec<(Text, Side, Ex)>,
    /// The keys whose values the query reads; none: any.
    pub keys: Option<Vec<Text>>,
}

/// Relationships of a node.
#[derive(Clone, Debug)]
pub struct Expand {
    /// The node that is known.
    pub from: Slot,
    /// Where the relationship goes, or is.
    pub relationship: Slot,
    /// Where the other node goes, or is.
    pub to: Slot,
    /// Whether the other node is known.
    pub is_into: bool,
    /// Whether the first node is known: not so where the relationship is.
    pub is_from_known: bool,
    /// Which way.
    pub direction: Direction,
    /// Which types.
    pub types: Option<Labels>,
    /// Relationships that it must differ from.
    pub others: Vec<Slot>,
}

/// What a plan finds for each row, or a row with nulls. Its steps look at each row on its own.
#[derive(Clone, Debug)]
pub struct Optional {
    /// What is looked for.
    pub plan: Arc<Plan>,
    /// The slots that are null where nothing is found.
    pub filled: Vec<Slot>,
    /// Where the place of a row is noted among those that are carried out together.
    pub place: Slot,
}

/// Relationships one after the other, which differ from each other, and of which no step behind reads one: a multiway
/// join, which needs no row for a relationship.
#[derive(Clone, Debug)]
pub struct Join {
    /// The relationships, in the order in which they are found.
    pub hops: Vec<Hop>,
    /// The nodes found that steps behind read.
    pub nodes: Vec<Slot>,
    /// Nodes that must not be the same.
    pub different: Vec<(Slot, Slot)>,
    /// Whether nothing behind it reads what rows had before: rows that agree otherwise are one.
    pub forgets_rows: bool,
    /// Which rows are wanted.
    pub rows: JoinRows,
    /// Types of its relationships, and those of relationships of steps behind that must differ from them: the join can
    /// stand for its steps only if none is of both.
    pub apart: Vec<(Labels, Labels)>,
    /// The steps it stands for: they give the same rows.
    pub steps: Arc<Plan>,
}

/// What is asked of a relationship of a join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HopKind {
    /// It is found; each one makes a row.
    #[default]
    Each,
    /// There is one.
    Present,
    /// There is none.
    Absent,
    /// Each one makes a row; where there is none, that makes one too.
    Optional,
}

/// A relationship of a join.
#[derive(Clone, Debug)]
pub struct Hop {
    /// What is asked of it.
    pub kind: HopKind,
    /// The node that is known.
    pub from: Slot,
    /// The other node.
    pub to: Slot,
    /// Whether the other node is known.
    pub is_into: bool,
    /// Which way.
    pub direction: Direction,
    /// Which types.
    pub types: Option<Labels>,
    /// Labels that the other node must have.
    pub labels: Option<Labels>,
    /// Conditions that read nothing but the other node and do not fail.
    pub conditions: Vec<Ex>,
    /// Hops whose relationships it must differ from.
    pub others: Vec<usize>,
}

/// Which rows of a join are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinRows {
    /// One for each way of finding the nodes.
    Each,
    /// At least one for each way of choosing the wanted nodes: how many does not matter.
    Distinct,
    /// Any number for each way of choosing the wanted nodes: together with the numbers in this slot they stand for all.
    Counted(Slot),
    /// One in all, which has in the second slot how many nodes are found in the first one, each counted once.
    DistinctCount(Slot, Slot),
}

/// Paths of relationships that differ from each other.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Each step; its relationship is the list.
    pub expand: Expand,
    /// At least so many.
    pub min: u64,
    /// At most so many.
    pub max: u64,
    /// What holds for each relationship, which is in this slot then.
    pub each: Option<(Slot, Ex)>,
    /// Whether the list is in the order against the walk.
    pub is_reversed: bool,
    /// Whether it is enough to find each node once: neither the list is read, nor how often a node is found.
    pub is_pruned: bool,
    /// Where the number of different nodes found goes, in one row for all, where nothing else is wanted.
    pub counted: Option<Slot>,
}

/// Nodes counted by a property of theirs.
#[derive(Clone, Debug)]
pub struct GroupCount {
    /// The nodes; neither by ids nor by values.
    pub scan: Arc<Scan>,
    /// The relationships of each that are counted in its place.
    pub expand: Option<Expand>,
    /// The property.
    pub key: Text,
    /// Where its value goes.
    pub key_slot: Slot,
    /// Where the number goes.
    pub counts: Vec<Slot>,
    /// So many groups together, those with the largest numbers, are wanted; none: all.
    pub first: Vec<Ex>,
    /// The steps it stands for: they give the same rows.
    pub steps: Arc<Plan>,
}

/// A part of a path that is repeated, with different relationships each time.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// The node that is known.
    pub from: Slot,
    /// Where the other node goes, or is.
    pub to: Slot,
    /// Whether the other node is known.
    pub is_into: bool,
    /// Finds the part once more, from the node in `first` on.
    pub plan: Arc<Plan>,
    /// Where the part begins, seen from the node that is known.
    pub first: Slot,
    /// Where it ends.
    pub last: Slot,
    /// The relationships of the part, in the order of the pattern.
    pub relationships: Vec<Slot>,
    /// What of the part is wanted, and where the list of all goes.
    pub groups: Vec<(Slot, Slot)>,
    /// Where the list of all relationships goes.
    pub list: Slot,
    /// At least so many times.
    pub min: u64,
    /// At most so many times.
    pub max: u64,
    /// Whether lists are in the order against the search.
    pub is_reversed: bool,
    /// Relationships that those found must differ from.
    pub others: Vec<Slot>,
}

/// Shortest paths.
#[derive(Clone, Debug)]
pub struct Shortest {
    /// What they are made of; both nodes are known.
    pub walk: Walk,
    /// Whether all of the least length are wanted.
    pub is_all: bool,
    /// At most so many.
    pub count: u64,
}

/// Rows put together.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// What makes a group.
    pub keys: Vec<(Slot, Ex)>,
    /// What is computed for it.
    pub values: Vec<AggregateValue>,
}

/// A value of a group.
#[derive(Clone, Debug)]
pub struct AggregateValue {
    /// Where it goes.
    pub slot: Slot,
    /// What is computed; `count(*)` is a count without arguments.
    pub aggregate: cypher_value::Aggregate,
    /// Of what.
    pub arguments: Vec<Ex>,
    /// Whether each value counts once.
    pub is_distinct: bool,
}

/// An order.
#[derive(Clone, Debug)]
pub struct Sort {
    /// What is compared, and whether the largest comes first.
    pub keys: Vec<(Ex, bool)>,
    /// How many rows are wanted: SKIP and LIMIT together.
    pub first: Vec<Ex>,
}

/// A path that is made.
#[derive(Clone, Debug)]
pub struct Make {
    /// The nodes that are made.
    pub nodes: Vec<MakeNode>,
    /// The relationships that are made.
    pub relationships: Vec<MakeRelationship>,
}

/// A node that is made.
#[derive(Clone, Debug)]
pub struct MakeNode {
    /// Where it goes.
    pub slot: Slot,
    /// Its labels.
    pub labels: Vec<LabelEx>,
    /// Its properties.
    pub properties: Option<Ex>,
}

/// A relationship that is made.
#[derive(Clone, Debug)]
pub struct MakeRelationship {
    /// Where it goes.
    pub slot: Slot,
    /// Its type.
    pub label: LabelEx,
    /// Where it starts.
    pub source: Slot,
    /// Where it ends.
    pub target: Slot,
    /// Its properties.
    pub properties: Option<Ex>,
}

/// A label, or what computes one or several.
#[derive(Clone, Debug)]
pub enum LabelEx {
    /// This one.
    Name(Text),
    /// Computed ones.
    Dynamic(Ex),
}

/// `MERGE`
#[derive(Clone, Debug)]
pub struct Merge {
    /// Finds it.
    pub find: Arc<Plan>,
    /// Makes it.
    pub make: Make,
    /// The path, once all is there.
    pub path: Option<(Slot, Ex)>,
    /// What is set then.
    pub on_create: Vec<Change>,
    /// How many of these, from the first on, set properties of what is made to values that do not depend on it: it can
    /// be made with them, as a schema may require.
    pub made_with: usize,
    /// What is set where it was found.
    pub on_match: Vec<Change>,
}

/// A change of an element.
#[derive(Clone, Debug)]
pub enum Change {
    /// A property; null removes it.
    Property(Ex, KeyEx, Ex),
    /// Properties: of an element, from a map, and whether others stay.
    Map(Ex, Ex, bool),
    /// Labels that are added.
    AddLabels(Slot, Vec<LabelEx>),
    /// Labels that are taken away.
    RemoveLabels(Slot, Vec<LabelEx>),
}

/// A key, or what computes one.
#[derive(Clone, Debug)]
pub enum KeyEx {
    /// This one.
    Name(Text),
    /// A computed one.
    Dynamic(Ex),
}

/// `CALL {}`
#[derive(Clone, Debug)]
pub struct CallQuery {
    /// What is carried out.
    pub query: Union,
    /// Where the columns go.
    pub columns: Vec<Slot>,
    /// Whether it returns nothing, so that each row stays as it is.
    pub is_unit: bool,
    /// Whether a row without results stays.
    pub is_optional: bool,
    /// Whether what is written for some rows is committed before the next ones come.
    pub transactions: Option<Transactions>,
}

/// `IN TRANSACTIONS`
#[derive(Clone, Debug)]
pub struct Transactions {
    /// Rows after which what was written is committed.
    pub rows: Ex,
    /// What a failure does.
    pub on_error: OnError,
    /// Where it goes what became of the rows.
    pub report: Option<Slot>,
}

/// `CALL name()`
#[derive(Clone, Debug)]
pub struct CallProcedure {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Ex>,
    /// Columns by their positions, and where they go.
    pub columns: Vec<(usize, Slot)>,
    /// Whether it has no columns, so that each row stays as it is.
    pub is_unit: bool,
    /// Whether a row without results stays.
    pub is_optional: bool,
}

/// Which labels or types.
#[derive(Clone, Debug)]
pub enum Labels {
    /// This one.
    Name(Text),
    /// Those that are computed: all of them.
    Dynamic(Box<Ex>),
    /// Any.
    Any,
    /// Not these.
    Not(Box<Self>),
    /// All of these.
    And(Vec<Self>),
    /// One of these.
    Or(Vec<Self>),
}

impl Ex {
    /// Whether it is the same for all rows: made of constants and parameters.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Value(_) | Self::Param(_) | Self::Once(..) => true,
            Self::List(items) => items.iter().all(Self::is_constant),
            Self::Map(pairs) => pairs.iter().all(|(_, value)| value.is_constant()),
            _ => false,
        }
    }
}

impl Labels {
    /// Whether they are the same for all rows.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Name(_) | Self::Any => true,
            Self::Dynamic(_) => false,
            Self::Not(inner) => inner.is_constant(),
            Self::And(all) | Self::Or(all) => all.iter().all(Self::is_constant),
        }
    }

    /// Names that all that is meant has.
    #[must_use]
    pub fn required(&self) -> Vec<&Text> {
        match self {
            Self::Name(name) => vec![name],
            Self::And(all) => all.iter().flat_map(Self::required).collect(),
            Self::Dynamic(_) | Self::Any | Self::Not(_) | Self::Or(_) => Vec::new(),
        }
    }
}

/// A part of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPart {
    /// A node.
    Node(Slot),
    /// A relationship, or a list of them.
    Relationships(Slot),
}

/// A function of the language.
#[derive(Clone, Copy)]
pub struct Callee(pub &'static cypher_value::Function);

impl std::fmt::Debug for Callee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name)
    }
}

impl Callee {
    /// The function of a name.
    ///
    /// # Errors
    /// There is none.
    pub fn named(name: &str) -> crate::Result<Self> {
        cypher_value::function::find(name).map(Self).ok_or_else(|| {
            let detail = cypher_value::Detail::UnknownFunction;
            cypher_value::Error::syntax(detail, format!("Unknown function '{name}'"))
        })
    }
}

/// A test that has no name in the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Whether a value is of a type.
    IsType,
    /// Whether a text is in a normal form.
    IsNormalized,
    /// Whether an element has all properties of a map.
    HasAll,
}

/// An expression over slots.
#[derive(Clone, Debug)]
pub enum Ex {
    /// A constant.
    Value(Value),
    /// A parameter.
    Param(Text),
    /// A slot.
    Slot(Slot),
    /// A list.
    List(Vec<Self>),
    /// A map.
    Map(Vec<(Text, Self)>),
    /// A property of an element, a key of a map, a part of a temporal value.
    Property(Box<Self>, Text),
    /// An item of a list, a key of a map or an element.
    Index(Box<Self>, Box<Self>),
    /// A part of a list.
    Slice(Box<Self>, Option<Box<Self>>, Option<Box<Self>>),
    /// `NOT`
    Not(Box<Self>),
    /// `-`
    Minus(Box<Self>),
    /// `+`
    Plus(Box<Self>),
    /// An operator.
    Binary(BinaryOp, Box<Self>, Box<Self>),
    /// `=~` with a constant.
    Matches(Box<Self>, Arc<cypher_value::logic::Pattern>),
    /// Each operand compared with the one before.
    Chain(Box<Self>, Vec<(BinaryOp, Self)>),
    /// `IS NULL`, or `IS NOT NULL` where the flag is set.
    IsNull(Box<Self>, bool),
    /// Whether an element has labels.
    HasLabels(Box<Self>, Labels),
    /// A function.
    Call(Callee, Vec<Self>),
    /// What is the same for all rows of a query, computed when it is first asked for; it has a number.
    Once(usize, Box<Self>),
    /// What has no name in the language.
    Test(Test, Vec<Self>),
    /// Conditions with results, and the result without a condition.
    Case(Vec<(Self, Self)>, Box<Self>),
    /// Items of a list: the item's slot, the list, which, what of them.
    Items(Slot, Box<Self>, Option<Box<Self>>, Option<Box<Self>>),
    /// How many items meet a condition.
    Quantified(Quantifier, Slot, Box<Self>, Box<Self>),
    /// The accumulator's slot and first value, the item's slot, the list, the next value.
    Reduce(Slot, Box<Self>, Slot, Box<Self>, Box<Self>),
    /// A query for the row.
    Subquery(SubqueryKind, Arc<Union>),
    /// A map of an element's or map's keys: whether all, some, and others with values.
    Projection(Box<Self>, bool, Vec<(Text, Option<Self>)>),
    /// A path.
    Path(Vec<PathPart>),
}
