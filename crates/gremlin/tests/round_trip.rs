//! Trees made at random are printed and parsed again, and give the same tree. Texts made at random never panic.

use gremlin::{Bindings, Bytecode, Expression, Instruction, Op, Predicate, Statement, TypeName, Value, lower, parse};
use proptest::prelude::*;
use proptest::sample::select;
use query_value::{
    Cardinality, Column, Comparison, DateTime, DateUnit, Direction, Duration, Enum, GType, Interval, Merge, Operator,
    Order, Pick, Pop, Scope, T, TextTest,
};

fn text() -> impl Strategy<Value = Value> {
    "[a-zA-Z0-9 \"'\\\\$\n\t\u{0}\u{e9}\u{1f600}]{0,6}".prop_map(|text| Value::Text(text.into()))
}

fn constant<C: Into<Enum> + Copy + std::fmt::Debug + 'static>(all: &'static [C]) -> impl Strategy<Value = Value> {
    select(all).prop_map(|constant| Value::Enum(constant.into()))
}

fn datetime() -> impl Strategy<Value = Value> {
    (0..9999_i32, 1..=12_u8, 1..=28_u8, 0..86_400_000_000_000_u64, -1080..=1080_i32).prop_map(
        |(year, month, day, nanosecond, minutes)| {
            Value::DateTime(DateTime { year, month, day, nanosecond, offset_seconds: minutes * 60 })
        },
    )
}

fn plain() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Boolean),
        any::<i8>().prop_map(Value::Byte),
        any::<i16>().prop_map(Value::Short),
        any::<i32>().prop_map(Value::Int),
        any::<i64>().prop_map(Value::Long),
        any::<i128>().prop_map(|number| Value::BigInteger(number.into())),
        any::<f32>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::Float),
        any::<f64>().prop_filter("a number", |number| !number.is_nan()).prop_map(Value::Double),
        (any::<i64>(), -30..30_i64).prop_map(|(digits, scale)| Value::BigDecimal((digits, scale).into())),
        any::<char>().prop_map(Value::Char),
        text(),
        prop::collection::vec(any::<u8>(), 0..4).prop_map(|bytes| Value::Binary(bytes.into())),
        any::<u128>().prop_map(Value::Uuid),
        datetime(),
        (any::<i32>(), 0..1_000_000_000_u32)
            .prop_map(|(seconds, nanoseconds)| Value::Duration(Duration { seconds: seconds.into(), nanoseconds })),
        constant(T::ALL),
        constant(Direction::ALL),
        constant(Pick::ALL),
        constant(GType::ALL),
    ]
    .boxed()
}

fn predicate(value: BoxedStrategy<Value>) -> BoxedStrategy<Predicate> {
    let comparisons =
        [Comparison::Eq, Comparison::Neq, Comparison::Lt, Comparison::Lte, Comparison::Gt, Comparison::Gte];
    let intervals = [Interval::Inside, Interval::Outside, Interval::Between];
    let tests = [TextTest::StartingWith, TextTest::NotEndingWith, TextTest::Containing, TextTest::NotRegex];
    let several = prop::collection::vec(value.clone(), 0..3);
    let leaf = prop_oneof![
        (select(comparisons.to_vec()), value.clone()).prop_map(|(test, value)| Predicate::Compare(test, value)),
        (select(intervals.to_vec()), value.clone(), value).prop_map(|(test, a, b)| Predicate::Range(test, a, b)),
        several.clone().prop_map(Predicate::Within),
        several.prop_map(Predicate::Without),
        (select(tests.to_vec()), text()).prop_map(|(test, value)| Predicate::Text(test, value)),
        select(GType::ALL).prop_map(|gtype| Predicate::TypeOf(TypeName::Known(gtype))),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        let several = prop::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            several.clone().prop_map(Predicate::and),
            several.prop_map(Predicate::or),
            inner.prop_map(Predicate::negated),
        ]
    })
    .boxed()
}

fn value(traversal: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop_oneof![4 => plain(), 1 => traversal]
        .prop_recursive(2, 8, 3, |inner| {
            let several = prop::collection::vec(inner.clone(), 0..3);
            prop_oneof![
                several.clone().prop_map(Value::List),
                several.prop_map(Value::Set),
                prop::collection::vec((inner.clone(), inner.clone()), 0..3).prop_map(Value::Map),
                (select(Cardinality::ALL), inner)
                    .prop_map(|(cardinality, value)| Value::WithCardinality(cardinality, Box::new(value))),
            ]
        })
        .boxed()
}

type Calls = BoxedStrategy<Vec<Instruction>>;

/// A call of one of several steps with arguments, and calls after it.
fn call(names: &'static [&'static str], arguments: impl Strategy<Value = Vec<Value>> + 'static) -> Calls {
    (select(names), arguments).prop_map(|(name, arguments)| vec![Instruction::new(name, arguments)]).boxed()
}

fn then(first: Calls, name: &'static str, rest: impl Strategy<Value = Vec<Value>> + 'static) -> Calls {
    (first, rest)
        .prop_map(move |(mut calls, arguments)| {
            calls.push(Instruction::new(name, arguments));
            calls
        })
        .boxed()
}

/// Arguments one after the other; each strategy gives some.
macro_rules! all {
    ($($argument:expr),*) => {
        ($($argument.prop_map(Part::part),)*).prop_map(|parts| joined!(parts, $($argument),*)).boxed()
    };
}
macro_rules! joined {
    ($parts:ident, $a:expr) => {
        $parts.0
    };
    ($parts:ident, $a:expr, $b:expr) => {
        [$parts.0, $parts.1].concat()
    };
    ($parts:ident, $a:expr, $b:expr, $c:expr) => {
        [$parts.0, $parts.1, $parts.2].concat()
    };
}

trait Part {
    fn part(self) -> Vec<Value>;
}
impl Part for Value {
    fn part(self) -> Vec<Value> {
        vec![self]
    }
}
impl Part for Vec<Value> {
    fn part(self) -> Vec<Value> {
        self
    }
}
impl Part for Option<Value> {
    fn part(self) -> Vec<Value> {
        self.into_iter().collect()
    }
}

fn number() -> impl Strategy<Value = Value> {
    any::<i64>().prop_map(Value::Long)
}

fn names(range: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(prop_oneof![9 => text(), 1 => Just(Value::Null)], range)
}

/// Calls of every form of argument.
fn step(traversal: BoxedStrategy<Value>) -> Calls {
    let value = value(traversal.clone());
    let test = predicate(value.clone()).prop_map(|predicate| Value::Predicate(Box::new(predicate))).boxed();
    let either = prop_oneof![test.clone(), traversal.clone()].boxed();
    let several = prop::collection::vec(value.clone(), 0..3).boxed();
    let map = prop::collection::vec((text(), value.clone()), 0..3).prop_map(Value::Map).boxed();
    let scope = || prop::option::of(constant(Scope::ALL));
    let traversals = prop::collection::vec(traversal.clone(), 0..3).boxed();
    let by = all![
        prop_oneof![text(), traversal.clone(), constant(T::ALL), constant(Column::ALL)],
        prop::option::of(constant(Order::ALL))
    ];
    let pairs = all![text(), value.clone()];
    let select_names = all![prop::option::of(constant(Pop::ALL)), names(1..3)];
    let repeat = call(&["repeat"], all![prop::option::of(text()), traversal.clone()]);
    let loops = prop_oneof![
        then(then(repeat.clone(), "times", all![number()]), "emit", Just(vec![])),
        then(then(repeat.clone(), "until", all![either.clone()]), "emit", all![either.clone()]),
        (call(&["emit", "until"], all![either.clone()]), repeat).prop_map(|(a, b)| [a, b].concat()),
    ];
    let choose = call(&["choose", "branch"], all![traversal.clone()]);
    prop_oneof![
        call(
            &["id", "label", "path", "identity", "unfold", "discard", "none", "store", "otherV", "inV", "bothV"],
            Just(vec![])
        )
        .prop_map(|calls| calls.into_iter().filter(|call| call.name != "store").collect()),
        call(&["count", "sum", "max", "mean", "order", "trim", "asString", "length"], all![scope()]),
        call(
            &["out", "inE", "both", "values", "valueMap", "elementMap", "properties", "hasLabel", "concat"],
            names(1..3)
        ),
        call(&["toE", "to"], all![constant(Direction::ALL), names(0..2)]),
        call(&["dedup"], all![scope(), names(0..3)]),
        call(&["limit", "skip", "tail", "sample"], all![scope(), number()]),
        call(&["range"], all![scope(), number(), number()]),
        call(&["hasId", "hasValue", "is"], all![test.clone()]),
        call(&["hasId", "hasValue"], prop::collection::vec(value.clone(), 1..3)),
        call(&["inject", "V", "E"], several),
        call(&["has"], all![names(1..3), prop_oneof![value.clone(), test.clone()]]),
        call(&["has"], all![constant(T::ALL), value.clone()]),
        call(&["hasNot", "has"], names(1..2)),
        call(&["and", "or", "union", "coalesce", "match"], traversals),
        call(&["filter", "where"], all![either.clone()]),
        call(&["where"], all![text(), test.clone()]),
        call(&["local", "map", "flatMap", "not", "optional", "sideEffect"], all![traversal.clone()]),
        call(&["constant", "combine", "merge", "dateDiff", "product"], all![value.clone()]),
        call(&["fold"], all![value.clone(), constant(Operator::ALL)]),
        call(&["sack"], all![prop::option::of(constant(Operator::ALL))]),
        call(&["dateAdd"], all![constant(DateUnit::ALL), number()]),
        call(&["asNumber"], all![prop::option::of(constant(GType::ALL))]),
        call(
            &["coin", "pageRank"],
            all![any::<f64>().prop_filter("a number", |n| !n.is_nan()).prop_map(Value::Double)]
        ),
        call(&["replace"], all![scope(), names(2..3)]),
        call(&["aggregate"], all![scope(), text()]),
        call(&["mergeV", "mergeE", "addV", "addE"], all![traversal.clone()]),
        call(&["property"], all![prop::option::of(constant(Cardinality::ALL)), pairs.clone(), pairs]),
        call(&["property", "mergeV"], all![map.clone()]),
        call(&["call"], all![text(), map.clone(), prop::option::of(traversal.clone())]),
        call(&["choose"], all![either, traversal.clone(), prop::option::of(traversal.clone())]),
        then(choose, "option", all![prop_oneof![value.clone(), test], traversal.clone()]),
        then(call(&["mergeV"], all![map.clone()]), "option", all![constant(Merge::ALL), map]),
        then(call(&["select"], select_names), "by", by.clone()),
        then(call(&["group", "groupCount", "tree"], all![prop::option::of(text())]), "by", by),
        then(then(call(&["addE"], all![text()]), "from", all![text()]), "to", all![traversal]),
        then(call(&["valueMap"], Just(vec![])), "with", all![text(), prop::option::of(value)]),
        then(call(&["count"], Just(vec![])), "as", prop::collection::vec(text(), 1..3)),
        then(Just(vec![]).boxed(), "as", prop::collection::vec(text(), 1..3)),
        loops,
    ]
    .boxed()
}

fn calls(depth: u32) -> Calls {
    let traversal = if depth == 0 {
        Just(Value::Bytecode(Box::default())).boxed()
    } else {
        let nested = calls(depth - 1);
        nested.prop_map(|steps| Value::Bytecode(Box::new(Bytecode { source: vec![], steps }))).boxed()
    };
    prop::collection::vec(step(traversal), 0..4).prop_map(|steps| steps.concat()).boxed()
}

fn source() -> Calls {
    let strategy = ("[A-Z][a-z]{1,5}(Strategy)?", prop::collection::vec(("[a-z]{1,5}", plain()), 0..3));
    let strategy = strategy.prop_map(|(name, options)| {
        let options = options.into_iter().map(|(key, value)| (key.as_str().into(), value)).collect();
        Value::Strategy(Box::new(gremlin::Strategy { name: name.as_str().into(), options }))
    });
    let call = prop_oneof![
        call(&["withStrategies", "withoutStrategies"], prop::collection::vec(strategy, 1..3)),
        call(&["withSack"], all![plain(), prop::option::of(constant(Operator::ALL))]),
        call(&["withSideEffect"], all![text(), plain()]),
        call(&["withBulk"], all![any::<bool>().prop_map(Value::Boolean)]),
    ];
    prop_oneof![Just(vec![]), call].boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn printing_and_parsing_gives_the_same_tree(source in source(), steps in calls(2)) {
        let mut start = vec![Instruction::new("V", vec![])];
        start.extend(steps);
        let bytecode = Bytecode { source, steps: start };
        let first = match lower(&bytecode, &mut Bindings::default()) {
            Ok(traversal) => traversal,
            Err(error) => return Err(TestCaseError::fail(format!("{error}: {bytecode}"))),
        };
        let printed = first.to_string();
        let script = parse(&printed, []).map_err(|error| TestCaseError::fail(format!("{error}: {printed}")))?;
        let [Statement::Expression(Expression::Query(query))] = script.statements.as_slice() else {
            return Err(TestCaseError::fail(format!("{printed}: {script:?}")));
        };
        let second = lower(&query.bytecode, &mut Bindings::default())
            .map_err(|error| TestCaseError::fail(format!("{error}: {printed}")))?;
        prop_assert_eq!(&first, &second, "{}", printed);
        // The calls a tree is printed as are those it is made of.
        let third = lower(&first.to_bytecode(), &mut Bindings::default());
        prop_assert_eq!(third, Ok(first));
    }

    #[test]
    fn any_text_is_answered(script in "\\PC{0,60}") {
        let _ = parse(&script, []).map_err(|error| error.to_string());
    }

    #[test]
    fn any_tokens_are_answered(parts in prop::collection::vec(select(PARTS), 0..30)) {
        let script = parts.concat();
        if let Ok(script) = parse(&script, ["x"]) {
            for statement in script.statements {
                if let Statement::Expression(Expression::Query(query)) = statement {
                    let _ = lower(&query.bytecode, &mut Bindings::default()).map(|traversal| traversal.to_string());
                }
            }
        }
    }
}

const PARTS: &[&str] = &[
    "g",
    ".",
    "V",
    "()",
    "(",
    ")",
    "__",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    ";",
    "\n",
    "..",
    "1",
    "-",
    "'a'",
    "\"",
    "x",
    "=",
    "def ",
    "return ",
    "P.gt",
    "within",
    "T.id",
    "not",
    "list",
    "Cardinality",
    "out",
    "has",
    "repeat",
    "times",
    "as",
    "by",
    "new ",
    "SeedStrategy",
    "option",
    "local",
    "next",
    "graph.schema()",
    "it",
    "->",
    "0x",
    "1e5",
    "datetime",
    " ",
];

#[test]
fn steps_are_known_by_their_names() {
    assert!(Op::NAMES.iter().skip(1).all(|name| gremlin::is_step(name)));
    assert!(!gremlin::is_step("") && !gremlin::is_step("foo"));
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("[", "]"), ("__.map(", ")"), ("P.not(", ")"), ("(", ")"), ("{", "}"), ("x.get(", ")")] {
        let script = format!("g.V().is({}1{})", open.repeat(50_000), close.repeat(50_000));
        let error = parse(&script, []).expect_err(open);
        assert!(error.to_string().contains("NESTING_MAX"), "{error}");
    }
    let chain = format!("g.V().is(P.gt(1){})", ".and(P.lt(2)).or(P.lt(3))".repeat(20_000));
    assert!(parse(&chain, []).is_err());
    let mut value = Value::Int(1);
    for _ in 0..1_000 {
        value = Value::List(vec![value]);
    }
    let bytecode = Bytecode { source: vec![], steps: vec![Instruction::new("inject", vec![value])] };
    assert!(lower(&bytecode, &mut Bindings::default()).is_err());
    assert!(parse(&" ".repeat(gremlin::limits::SCRIPT_BYTES_MAX + 1), []).is_err());
}

#[test]
fn a_script_of_the_largest_size_is_parsed() {
    let script = format!("g.inject(0){}", ".out()".repeat(100_000));
    assert!(parse(&script, []).is_ok());
}
