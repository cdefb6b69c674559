//! All operations of a traversal and of its source, each with its typed arguments.
//!
//! A line of the table is all there is to an operation in this crate: name, fields, and how the arguments of a call are
//! taken and written follow from it. What a step does is told in Apache TinkerPop's reference documentation.

/// Passes the tables of steps and of the source's calls to a macro, which makes types or functions of them.
macro_rules! operations {
    ($make:ident) => {
        $make! {
            /// What a step does.
            ///
            /// `To`, `ToE` and `ToV` are also written `out()`, `inE()`, `bothV()` and so on, `discard()` was `none()`
            /// before 3.8, and `aggregate(Scope.local, ..)` is also `store(..)`.
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
        $make! {
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
    };
}

pub(crate) use operations;
