//! The operators.

use query_value::{
    Cardinality, Column, DateUnit, Direction, GType, Operator, Order, Pick, Pop, Predicate, Scope, T, Value,
};

use crate::Text;

/// What is done with what comes in.
#[derive(Clone, Debug)]
pub enum Op {
    /// Passes on what a nested pipeline is given.
    Start,
    /// Adds values: before what comes in, or (true) after it, where it is the first operator.
    Inject(Vec<Value>, bool),
    /// Reads elements by id, by index or all.
    Scan(Scan),
    /// From vertices to neighbours or edges.
    Expand(Expand),
    /// Follows edges several times, from neighbours to theirs, where only the last ones matter.
    Walk(Vec<Expand>),
    /// From edges to their ends.
    Ends(Direction),
    /// From an edge to the end that the traverser did not come from.
    OtherEnd,
    /// Keeps elements of which a part or a property passes a test.
    Has(Target, Predicate),
    /// Keeps elements with a property (true) or without it (false).
    HasKey(Text, bool),
    /// Keeps elements of which a part or a property, given to the pipeline, yields something.
    HasChild(Target, Pipeline),
    /// Keeps values that pass a test.
    Is(Predicate),
    /// Keeps those for which the pipeline yields something.
    Filter(Pipeline),
    /// Keeps those for which it yields nothing.
    Not(Pipeline),
    /// Keeps those for which all yield something.
    And(Vec<Pipeline>),
    /// Keeps those for which one yields something.
    Or(Vec<Pipeline>),
    /// Keeps those whose value, or that of a label, passes a test against labels.
    Where(ScopeTest),
    /// From any value to that of a label.
    ScopeStart(Text),
    /// Keeps values equal to that of a label.
    ScopeEnd(Text),
    /// Keeps collections of which any item passes.
    Any(Predicate),
    /// Keeps collections of which all items pass.
    All(Predicate),
    /// Keeps collections of which no item passes.
    NoneOf(Predicate),
    /// Keeps the first of equal ones: by the values of labels, or by modulators.
    Dedup(Vec<Text>, Vec<By>),
    /// Removes repetitions from collections.
    DedupLocal,
    /// Sorts; with a bound, only that many of the first are kept.
    Order(Sort),
    /// Keeps those from one position to another; a negative end is no bound.
    Range(Scope, i64, i64),
    /// Keeps the last.
    Tail(Scope, i64),
    /// Keeps some, by weight.
    Sample(Scope, i64, Vec<By>),
    /// Keeps some by chance.
    Coin(f64),
    /// Ends after milliseconds.
    TimeLimit(i64),
    /// Keeps those whose path has no repetition (true) or one (false), within labels and by modulators.
    PathTest(bool, Place, Vec<By>),
    /// Keeps nothing.
    Discard,
    /// Fails with a message.
    Fail(Option<Text>),
    /// Takes all (or as many as given) before it passes them on.
    Barrier(Option<u64>),
    /// Makes the sum of sacks 1.
    NormSack,
    /// Passes on.
    Identity,
    /// A part of an element.
    Token(T),
    /// How often the named or innermost loop has run.
    Loops(Option<Text>),
    /// A collection's items with their positions, as lists or as a map.
    Index(bool),
    /// One value for each.
    Constant(Value),
    /// Properties or their values.
    Properties(PropertyRead, Vec<Text>),
    /// Properties as a map: which, tokens, modulators, whether as properties.
    ValueMap {
        /// Keys; none: all.
        keys: Vec<Text>,
        /// Which tokens are in it.
        tokens: Tokens,
        /// What is made of the lists of values.
        by: Vec<By>,
        /// Whether properties instead of their values.
        as_properties: bool,
    },
    /// Id, label, ends and single properties as a map.
    ElementMap(Vec<Text>),
    /// The element of a property.
    Element,
    /// A map of names to what modulators make.
    Project(Vec<Text>, Vec<By>),
    /// The values of labels: one value, or a map for several.
    Select(Option<Pop>, Vec<Text>, Vec<By>),
    /// A side of a map.
    SelectColumn(Column),
    /// The value of the label that a pipeline yields.
    SelectChild(Option<Pop>, Pipeline, Vec<By>),
    /// The path.
    Path(Place, Vec<By>),
    /// Paths as a tree: a side effect or a result.
    Tree(Option<Text>, Vec<By>),
    /// The first result of a pipeline.
    Map(Pipeline),
    /// All results of a pipeline.
    FlatMap(Pipeline),
    /// All results of a pipeline for each one, with their paths.
    Local(Pipeline),
    /// Runs a pipeline for its effects.
    SideEffect(Pipeline),
    /// All results of several pipelines; true: there is no input.
    Union(Vec<Pipeline>, bool),
    /// One of several pipelines.
    Choose(Box<Branches>),
    /// All results of the first pipeline that yields something.
    Coalesce(Vec<Pipeline>),
    /// All results of a pipeline, or the input where there is none.
    Optional(Pipeline),
    /// A loop.
    Repeat(Box<Repeat>),
    /// All as a list, or folded by an operator from a seed.
    Fold(Option<(Value, Operator)>),
    /// Items of collections.
    Unfold,
    /// How many.
    Count(Scope),
    /// The sum.
    Sum(Scope),
    /// The smallest.
    Min(Scope),
    /// The largest.
    Max(Scope),
    /// The mean.
    Mean(Scope),
    /// A map of groups: a side effect or a result, by key and by value.
    Group(Option<Text>, By, Pipeline),
    /// A map of counts: a side effect or a result.
    GroupCount(Option<Text>, By),
    /// Collects values in a side effect.
    Aggregate(Scope, Text, By),
    /// Values of side effects.
    Cap(Vec<Text>),
    /// The sack's value.
    SackGet,
    /// Changes the sack.
    SackSet(Operator, By),
    /// A formula of the input, labels and modulators.
    Math(Text, Vec<By>),
    /// A text with values of labels and modulators.
    Format(Text, Vec<By>),
    /// A pure function of the value.
    Function(Function),
    /// Adds a vertex.
    AddVertex(Box<AddVertex>),
    /// Adds an edge.
    AddEdge(Box<AddEdge>),
    /// Sets properties of elements.
    SetProperty(Box<PropertyChange>),
    /// Removes elements and properties.
    Drop,
    /// Finds or adds a vertex.
    MergeVertex(Box<Merge>),
    /// Finds or adds an edge.
    MergeEdge(Box<Merge>),
    /// Collects edges in a side effect.
    Subgraph(Text),
    /// Bindings of labels that fulfil patterns.
    Match(Vec<Pattern>),
    /// Calls a service.
    Call(Box<Call>),
    /// Computes something of the whole graph.
    Algorithm(Box<Algorithm>),
    /// Measures: a side effect or the result.
    Profile(Option<Text>),
}

/// Which tokens `valueMap()` has.
pub type Tokens = u8;

/// What is read from the graph.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Edges instead of vertices.
    pub is_edges: bool,
    /// Ids or elements; none: all.
    pub ids: Option<Vec<Value>>,
    /// Any of these labels; none: all.
    pub labels: Option<Vec<Text>>,
    /// What properties must pass.
    pub conditions: Vec<(Target, Predicate)>,
    /// At most this many; none: all.
    pub limit: Option<u64>,
    /// Whether there is no input.
    pub is_start: bool,
    /// Whether only the number of elements is wanted: one value stands for all.
    pub is_counted: bool,
    /// The properties that are looked at; none: any may be.
    pub properties: Option<Vec<Text>>,
    /// What is wanted instead of elements: each value once, standing for as many elements as have it, in the order in
    /// which they are found.
    pub grouped: Option<Grouping>,
}

impl Scan {
    /// Whether it gives everything, or everything of some labels.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let Self { ids, conditions, limit, is_start, .. } = self;
        *is_start && ids.is_none() && conditions.is_empty() && limit.is_none()
    }
}

/// What elements are put together by.
#[derive(Clone, Debug, PartialEq)]
pub enum Grouping {
    /// Their labels.
    Label,
    /// The first value of a property.
    First(Text),
    /// All values of a property, of which only an auto graph has several.
    All(Text),
}

/// Which edges are followed.
#[derive(Clone, Debug)]
pub struct Expand {
    /// In which direction.
    pub direction: Direction,
    /// Of these labels; none: all.
    pub labels: Option<Vec<Text>>,
    /// Whether to the edges instead of the neighbours.
    pub to_edges: bool,
    /// Whether properties of the edges are needed.
    pub properties: bool,
    /// At most this many for each vertex.
    pub limit: Option<u64>,
    /// What properties of edges are tested for next: edges that fail may be left out.
    pub conditions: Vec<(Text, Predicate)>,
    /// Only edges for which this yields something.
    pub edge_filter: Option<Pipeline>,
    /// Whether only the number of edges is wanted: what comes in stands for as many. With `is_distinct`: the number of
    /// neighbours that did not come before, of which none comes again.
    pub is_counted: bool,
    /// Whether a neighbour is wanted the first time only; it may still come again.
    pub is_distinct: bool,
}

impl Expand {
    /// All edges in a direction, with their properties.
    #[must_use]
    pub fn new(direction: Direction) -> Self {
        Self {
            direction,
            labels: None,
            to_edges: false,
            properties: true,
            limit: None,
            conditions: Vec::new(),
            edge_filter: None,
            is_counted: false,
            is_distinct: false,
        }
    }
}

/// Of what a test is.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A property.
    Property(Text),
    /// A part of the element.
    Token(T),
}

/// A test against labels.
#[derive(Clone, Debug)]
pub struct ScopeTest {
    /// The label whose value is tested; none: the value itself.
    pub start: Option<Text>,
    /// The test; its texts name labels.
    pub predicate: Predicate,
    /// What is made of each side, in turn.
    pub by: Vec<By>,
}

/// A modulator.
#[derive(Clone, Debug, Default)]
pub enum By {
    /// The value itself.
    #[default]
    Identity,
    /// A part of the element.
    Token(T),
    /// A side of a map.
    Column(Column),
    /// A property's value.
    Property(Text),
    /// What a pipeline yields first.
    Child(Pipeline),
    /// Null where the modulator inside yields nothing.
    Productive(Box<By>),
    /// A modulator with its order.
    Ordered(Box<ByOrder>),
}

/// How all are sorted.
#[derive(Clone, Debug, Default)]
pub struct Sort {
    /// What is compared, in turn; none: the values themselves.
    pub by: Vec<By>,
    /// How many of the first are wanted; none: all.
    pub limit: Option<u64>,
}

/// A modulator of a sort.
#[derive(Clone, Debug)]
pub struct ByOrder {
    /// What is compared.
    pub by: By,
    /// How.
    pub order: Order,
}

/// Part of a path.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// From this label.
    pub from: Option<Text>,
    /// To this label.
    pub to: Option<Text>,
}

/// What is made of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyRead {
    /// Their values.
    Values,
    /// Themselves.
    Properties,
}

/// One of several ways.
#[derive(Clone, Debug)]
pub struct Branches {
    /// What is decided by.
    pub choice: Choice,
    /// The ways.
    pub cases: Vec<Case>,
    /// Whether the first that fits is taken alone (`choose`), or all (`branch`).
    pub is_first: bool,
}

/// What is decided by.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Whether a pipeline yields something.
    Test(Pipeline),
    /// Whether the value passes.
    Predicate(Predicate),
    /// What a modulator gives.
    Value(By),
}

/// A way and when it is taken.
#[derive(Clone, Debug)]
pub enum Case {
    /// When a pipeline that is given the choice yields something.
    Test(Pipeline, Pipeline),
    /// When the choice equals a value.
    Value(Value, Pipeline),
    /// When the choice passes.
    Predicate(Predicate, Pipeline),
    /// As a constant says.
    Pick(Pick, Pipeline),
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// Its name for `loops()`.
    pub name: Option<Text>,
    /// What is repeated.
    pub body: Pipeline,
    /// When it ends; none: when nothing is left.
    pub until: Option<Pipeline>,
    /// How many rounds.
    pub times: Option<i64>,
    /// Whether the end is tested before the first round.
    pub until_first: bool,
    /// What is also passed on.
    pub emit: Option<Pipeline>,
    /// Whether before the first round.
    pub emit_first: bool,
}

/// Another value, given or yielded by a pipeline.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A value.
    Value(Value),
    /// What a pipeline yields.
    Child(Pipeline),
}

/// Pure functions of a value.
#[derive(Clone, Debug)]
pub enum Function {
    /// `asBool()`.
    AsBool,
    /// `asDate()`.
    AsDate,
    /// `asNumber()`.
    AsNumber(Option<GType>),
    /// `asString()`.
    AsString(Scope),
    /// `concat()`.
    Concat(Vec<Argument>),
    /// `conjoin()`.
    Conjoin(Text),
    /// `dateAdd()`.
    DateAdd(DateUnit, i64),
    /// `dateDiff()`.
    DateDiff(Argument),
    /// `length()`.
    Length(Scope),
    /// `toLower()`.
    ToLower(Scope),
    /// `toUpper()`.
    ToUpper(Scope),
    /// `trim()`.
    Trim(Scope),
    /// `lTrim()`.
    LTrim(Scope),
    /// `rTrim()`.
    RTrim(Scope),
    /// `replace()`.
    Replace(Scope, Option<Text>, Option<Text>),
    /// `split()`.
    Split(Scope, Option<Text>),
    /// `substring()`.
    Substring(Scope, i64, Option<i64>),
    /// `reverse()`.
    Reverse,
    /// `combine()`.
    Combine(Argument),
    /// `difference()`.
    Difference(Argument),
    /// `disjunct()`.
    Disjunct(Argument),
    /// `intersect()`.
    Intersect(Argument),
    /// `merge()`.
    Merge(Argument),
    /// `product()`.
    Product(Argument),
    /// `order(Scope.local)`.
    OrderLocal(Vec<By>),
}

/// A new vertex.
#[derive(Clone, Debug, Default)]
pub struct AddVertex {
    /// Its label; none: the default.
    pub label: Option<Argument>,
    /// Its id.
    pub id: Option<Argument>,
    /// Its properties.
    pub properties: Vec<PropertyChange>,
    /// Whether there is no input.
    pub is_start: bool,
}

/// A new edge.
#[derive(Clone, Debug)]
pub struct AddEdge {
    /// Its label.
    pub label: Argument,
    /// Its id.
    pub id: Option<Argument>,
    /// Where it starts; none: at the input.
    pub from: Option<Argument>,
    /// Where it ends; none: at the input.
    pub to: Option<Argument>,
    /// Its properties.
    pub properties: Vec<PropertyChange>,
    /// Whether there is no input.
    pub is_start: bool,
}

/// Properties to set.
#[derive(Clone, Debug)]
pub struct PropertyChange {
    /// How values join those already there; none: as the graph does.
    pub cardinality: Option<Cardinality>,
    /// The key.
    pub key: Argument,
    /// The value; none: `key` is a map of keys and values.
    pub value: Option<Argument>,
    /// Properties of the property.
    pub meta: Vec<(Argument, Argument)>,
}

/// What `mergeV()` and `mergeE()` look for and write.
#[derive(Clone, Debug, Default)]
pub struct Merge {
    /// What is looked for.
    pub search: Option<MergeMap>,
    /// What is added.
    pub on_create: Option<MergeMap>,
    /// What is changed.
    pub on_match: Option<MergeMap>,
    /// The vertex an edge comes from.
    pub out_vertex: Option<MergeMap>,
    /// The vertex an edge goes to.
    pub in_vertex: Option<MergeMap>,
    /// Properties of new elements that a strategy adds.
    pub added: Vec<(Value, Value)>,
    /// Whether there is no input.
    pub is_start: bool,
}

/// A map of a merge.
#[derive(Clone, Debug)]
pub struct MergeMap {
    /// The map.
    pub map: Argument,
    /// How values join those already there.
    pub cardinality: Option<Cardinality>,
}

/// What labels must fulfil.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A pipeline leads from the value of one label to that of another.
    Join(Join),
    /// A condition, once these labels have values.
    Test(Pipeline, Vec<Text>),
    /// All patterns of one of these lists.
    Any(Vec<Vec<Self>>),
}

/// A pipeline from the value of one label to that of another.
#[derive(Clone, Debug)]
pub struct Join {
    /// The label it starts at.
    pub start: Text,
    /// How it goes on.
    pub body: Pipeline,
    /// The label that its results are values of; none: any result will do.
    pub end: Option<Text>,
    /// Labels that conditions within refer to.
    pub refers: Vec<Text>,
}

/// A call of a service.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Its name; none: the list of services.
    pub service: Option<Text>,
    /// Its parameters.
    pub parameters: Vec<(Value, Value)>,
    /// More parameters, from a pipeline.
    pub child: Option<Pipeline>,
    /// Parameters of `with()`.
    pub options: Vec<(Text, Argument)>,
    /// Whether there is no input.
    pub is_start: bool,
}

/// An algorithm over the whole graph.
#[derive(Clone, Debug)]
pub struct Algorithm {
    /// Which one.
    pub kind: AlgorithmKind,
    /// All vertices of the graph.
    pub vertices: Pipeline,
    /// From a vertex to the edges that are followed.
    pub edges: Pipeline,
    /// Whether what comes in is all vertices, so that it distinguishes none.
    pub is_whole: bool,
}

/// Algorithms over the whole graph.
#[derive(Clone, Debug)]
pub enum AlgorithmKind {
    /// Makes ranks a property.
    PageRank {
        /// The part of a rank that is passed on along edges.
        alpha: f64,
        /// How many rounds at most.
        times: u64,
        /// The property's key.
        property: Text,
    },
    /// Makes clusters by votes of neighbours a property.
    PeerPressure {
        /// How many rounds at most.
        times: u64,
        /// The property's key.
        property: Text,
    },
    /// Makes components a property.
    ConnectedComponent {
        /// The property's key.
        property: Text,
    },
    /// From vertices to the shortest paths that begin at them.
    ShortestPath(ShortestPath),
}

/// Which shortest paths are wanted.
#[derive(Clone, Debug, Default)]
pub struct ShortestPath {
    /// What a path's last vertex must yield; none: any will do.
    pub target: Option<Pipeline>,
    /// The distance of an edge; none: 1.
    pub distance: Option<By>,
    /// How long paths may be.
    pub distance_max: Option<f64>,
    /// Whether edges are in the paths.
    pub includes_edges: bool,
}

impl AlgorithmKind {
    /// The name of its step.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::PageRank { .. } => "pageRank",
            Self::PeerPressure { .. } => "peerPressure",
            Self::ConnectedComponent { .. } => "connectedComponent",
            Self::ShortestPath(_) => "shortestPath",
        }
    }
}

/// What a side effect is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideEffectKind {
    /// A bag of values.
    Bulk,
    /// A map of groups.
    Group,
    /// A map of counts.
    Counts,
    /// A tree.
    Tree,
    /// A graph.
    Graph,
}

/// Operators in order; each takes what the one before gives.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// The operators.
    pub nodes: Vec<Node>,
}

/// An operator at its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does.
    pub op: Op,
    /// Names its results have in paths.
    pub labels: Vec<Text>,
    /// The step it was made from, as a user knows it: for errors and profiles.
    pub name: Text,
}

impl Node {
    /// An operator without labels.
    #[must_use]
    pub fn new(op: Op, name: &str) -> Self {
        Self { op, labels: Vec::new(), name: name.into() }
    }
}

impl Pipeline {
    /// A pipeline of these operators.
    #[must_use]
    pub fn new(nodes: Vec<Node>) -> Self {
        Self { nodes }
    }
}
