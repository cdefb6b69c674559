//! All operations of a traversal and of its source, each with its typed arguments.
//!
//! A line of the tables below is all there is to an operation here: name, fields, and how the arguments of a call are
//! taken and written follow from it. What a step does is told in Apache TinkerPop's reference documentation.

use crate::argument::{Argument, Arguments, Leading, Nullable, ValueTest};
use crate::error::ErrorKind;
use crate::forms::{
    AnyName, AnyOf, BarrierKind, Choose, Concatenated, Has, LeadingPop, MapArgument, NewLabel, PropertyWrite, Reduce,
    Selection, StrategyArgument, Test,
};
use crate::predicate::Predicate;
use crate::traversal::Traversal;
use crate::value::{Text, Value};
use query_value::{DateUnit, Direction, GType, Operator, Scope};

macro_rules! operations {
    ($(#[$doc:meta])* $type:ident { $($variant:ident $name:literal { $($field:ident: $argument:ty),* })* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $type {
            $(
                #[doc = concat!("`", $name, "()`.")]
                $variant { $(#[doc = concat!("Argument `", stringify!($field), "`.")] $field: $argument),* },
            )*
        }

        impl $type {
            /// The names of all operations.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The operation's name in scripts and bytecode.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $name),* }
            }

            /// Makes the operation of a call; none if the name is none of them.
            pub(crate) fn from_call(name: &str, mut arguments: Arguments<'_>) -> Result<Option<Self>, ErrorKind> {
                let operation = match name {
                    $($name => Self::$variant { $($field: Argument::take(&mut arguments)?),* },)*
                    _ => return Ok(None),
                };
                arguments.finish()?;
                Ok(Some(operation))
            }

            /// The arguments of the call that makes this operation.
            #[must_use]
            pub fn arguments(&self) -> Vec<Value> {
                #[allow(unused_mut, clippy::allow_attributes, reason = "most operations have arguments")]
                let mut out = Vec::new();
                match self { $(Self::$variant { $($field),* } => { $($field.put(&mut out);)* }),* }
                out
            }
        }
    };
}

operations! {
    /// What a step does.
    ///
    /// `To`, `ToE` and `ToV` are also written `out()`, `inE()`, `bothV()` and so on; `aggregate(Scope.local, ..)` is also
    /// `store(..)`, and `discard()` was `none()` before 3.8.
    Op {
        Start "" {}
        AddE "addE" { label: NewLabel }
        AddV "addV" { label: Option<NewLabel> }
        Aggregate "aggregate" { scope: Scope, key: Text }
        All "all" { test: Predicate }
        And "and" { traversals: Vec<Traversal> }
        Any "any" { test: Predicate }
        AsBool "asBool" {}
        AsDate "asDate" {}
        AsNumber "asNumber" { gtype: Option<GType> }
        AsString "asString" { scope: Scope }
        Barrier "barrier" { kind: BarrierKind }
        Branch "branch" { selector: Traversal }
        Call "call" { service: Leading<Text>, parameters: Leading<MapArgument>, traversal: Option<Traversal> }
        Cap "cap" { key: Text, keys: Vec<Nullable> }
        Choose "choose" { choose: Choose }
        Coalesce "coalesce" { traversals: Vec<Traversal> }
        Coin "coin" { probability: f64 }
        Combine "combine" { other: Value }
        Concat "concat" { others: Concatenated }
        Conjoin "conjoin" { delimiter: Text }
        ConnectedComponent "connectedComponent" {}
        Constant "constant" { value: Value }
        Count "count" { scope: Scope }
        CyclicPath "cyclicPath" {}
        DateAdd "dateAdd" { unit: DateUnit, amount: i64 }
        DateDiff "dateDiff" { other: Value }
        Dedup "dedup" { scope: Scope, labels: Vec<Nullable> }
        Difference "difference" { other: Value }
        Discard "discard" {}
        Disjunct "disjunct" { other: Value }
        Drop "drop" {}
        E "E" { ids: Vec<Value> }
        Element "element" {}
        ElementMap "elementMap" { keys: Vec<Nullable> }
        Fail "fail" { message: Option<Text> }
        Filter "filter" { test: Test }
        FlatMap "flatMap" { traversal: Traversal }
        Fold "fold" { reduce: Option<Reduce> }
        Format "format" { format: Text }
        Group "group" { key: Option<Text> }
        GroupCount "groupCount" { key: Option<Text> }
        Has "has" { has: Has }
        HasId "hasId" { ids: AnyOf }
        HasKey "hasKey" { keys: AnyName }
        HasLabel "hasLabel" { labels: AnyName }
        HasNot "hasNot" { key: Nullable }
        HasValue "hasValue" { values: AnyOf }
        Id "id" {}
        Identity "identity" {}
        Index "index" {}
        Inject "inject" { values: Vec<Value> }
        Intersect "intersect" { other: Value }
        Io "io" { file: Text }
        Is "is" { test: ValueTest }
        Key "key" {}
        Label "label" {}
        Length "length" { scope: Scope }
        Limit "limit" { scope: Scope, count: i64 }
        Local "local" { traversal: Traversal }
        Loops "loops" { name: Option<Text> }
        LTrim "lTrim" { scope: Scope }
        Map "map" { traversal: Traversal }
        Match "match" { traversals: Vec<Traversal> }
        Math "math" { expression: Text }
        Max "max" { scope: Scope }
        Mean "mean" { scope: Scope }
        Merge "merge" { other: Value }
        MergeE "mergeE" { map: Option<MapArgument> }
        MergeV "mergeV" { map: Option<MapArgument> }
        Min "min" { scope: Scope }
        None "none" { test: Predicate }
        Not "not" { traversal: Traversal }
        Optional "optional" { traversal: Traversal }
        Or "or" { traversals: Vec<Traversal> }
        Order "order" { scope: Scope }
        OtherV "otherV" {}
        PageRank "pageRank" { alpha: Option<f64> }
        Path "path" {}
        PeerPressure "peerPressure" {}
        Product "product" { other: Value }
        Profile "profile" { key: Option<Text> }
        Project "project" { key: Text, keys: Vec<Nullable> }
        Properties "properties" { keys: Vec<Nullable> }
        Property "property" { property: PropertyWrite }
        PropertyMap "propertyMap" { keys: Vec<Nullable> }
        Range "range" { scope: Scope, low: i64, high: i64 }
        Repeat "repeat" { name: Leading<Text>, body: Traversal }
        Replace "replace" { scope: Scope, from: Nullable, to: Nullable }
        Reverse "reverse" {}
        RTrim "rTrim" { scope: Scope }
        Sack "sack" { operator: Option<Operator> }
        Sample "sample" { scope: Scope, count: i64 }
        Select "select" { pop: LeadingPop, what: Selection }
        ShortestPath "shortestPath" {}
        SideEffect "sideEffect" { traversal: Traversal }
        SimplePath "simplePath" {}
        Skip "skip" { scope: Scope, count: i64 }
        Split "split" { scope: Scope, separator: Nullable }
        Subgraph "subgraph" { key: Text }
        Substring "substring" { scope: Scope, start: i64, end: Option<i64> }
        Sum "sum" { scope: Scope }
        Tail "tail" { scope: Scope, count: Option<i64> }
        TimeLimit "timeLimit" { milliseconds: i64 }
        To "to" { direction: Direction, labels: Vec<Nullable> }
        ToE "toE" { direction: Direction, labels: Vec<Nullable> }
        ToLower "toLower" { scope: Scope }
        ToUpper "toUpper" { scope: Scope }
        ToV "toV" { direction: Direction }
        Tree "tree" { key: Option<Text> }
        Trim "trim" { scope: Scope }
        Unfold "unfold" {}
        Union "union" { traversals: Vec<Traversal> }
        V "V" { ids: Vec<Value> }
        Value "value" {}
        ValueMap "valueMap" { tokens: Leading<bool>, keys: Vec<Nullable> }
        Values "values" { keys: Vec<Nullable> }
        Where "where" { start: Leading<Text>, test: Test }
    }
}

operations! {
    /// What a call on the traversal source sets for the whole traversal.
    SourceOp {
        With "with" { key: Text, value: Option<Value> }
        WithBulk "withBulk" { is_used: bool }
        WithComputer "withComputer" { options: Vec<Value> }
        WithPath "withPath" {}
        WithSack "withSack" { seed: Value, merge: Option<Operator> }
        WithSideEffect "withSideEffect" { key: Text, value: Value, reducer: Option<Operator> }
        WithStrategies "withStrategies" { strategies: Vec<StrategyArgument> }
        WithoutStrategies "withoutStrategies" { strategies: Vec<StrategyArgument> }
    }
}

impl Op {
    /// Whether `by()` may follow.
    #[must_use]
    pub fn takes_by(&self) -> bool {
        matches!(
            self,
            Self::Order { .. }
                | Self::Group { .. }
                | Self::GroupCount { .. }
                | Self::Dedup { .. }
                | Self::Sample { .. }
                | Self::Aggregate { .. }
                | Self::CyclicPath {}
                | Self::SimplePath {}
                | Self::Path {}
                | Self::Tree { .. }
                | Self::Project { .. }
                | Self::Select { .. }
                | Self::Where { .. }
                | Self::Sack { .. }
                | Self::Math { .. }
                | Self::PropertyMap { .. }
                | Self::ValueMap { .. }
                | Self::Format { .. }
        )
    }

    /// Whether `option()` may follow.
    #[must_use]
    pub fn takes_option(&self) -> bool {
        matches!(self, Self::Branch { .. } | Self::Choose { .. } | Self::MergeV { .. } | Self::MergeE { .. })
    }

    /// Whether `from()` and `to()` may follow.
    #[must_use]
    pub fn takes_ends(&self) -> bool {
        matches!(self, Self::AddE { .. } | Self::Path {} | Self::SimplePath {} | Self::CyclicPath {})
    }

    /// Whether the step writes to the graph or to a file.
    #[must_use]
    pub fn is_write(&self) -> bool {
        matches!(
            self,
            Self::AddV { .. }
                | Self::AddE { .. }
                | Self::MergeV { .. }
                | Self::MergeE { .. }
                | Self::Property { .. }
                | Self::Drop {}
                | Self::Io { .. }
        )
    }
}

/// Whether a name is that of a step, a modulator or another spelling of one.
#[must_use]
pub fn is_step(name: &str) -> bool {
    !name.is_empty() && (Op::NAMES.contains(&name) || crate::names::is_modulator(name) || crate::names::is_alias(name))
}
