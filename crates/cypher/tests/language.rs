//! What is Cypher and what is not, and why not.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use cypher::{Arity, Callables, Facts, Signature, Type, check, parse};

struct Known;

impl Callables for Known {
    fn function(&self, name: &str) -> Option<Arity> {
        ["size", "labels", "type", "rand", "range", "length", "id", "abs"]
            .contains(&name)
            .then_some(Arity { min: 0, max: 3 })
    }

    fn procedure(&self, name: &str) -> Option<Signature> {
        (name == "db.labels").then(|| Signature {
            arguments: Vec::new(),
            columns: vec![("label".to_owned(), Type::String)],
            is_write: false,
        })
    }
}

fn read(text: &str) -> Result<Facts, String> {
    let outcome = parse(text).and_then(|statement| check(&statement, &Known));
    outcome.map_err(|error| format!("{:?} {}", error.kind, error.detail))
}

/// The columns of a query.
fn columns(text: &str) -> Vec<String> {
    read(text).unwrap_or_else(|error| panic!("{text}: {error}")).columns
}

fn refused(text: &str, error: &str) {
    assert_eq!(read(text).unwrap_err(), error, "{text}");
}

#[test]
fn columns_are_named_by_their_text() {
    assert_eq!(columns("MATCH (n) RETURN n . name, count( * ), n AS m"), ["n . name", "count( * )", "m"]);
    assert_eq!(columns("MATCH (a)-[r]->(b) RETURN *"), ["a", "r", "b"]);
    assert_eq!(columns("CALL db.labels()"), ["label"]);
    assert_eq!(columns("CALL db.labels() YIELD label AS l"), ["l"]);
    assert!(columns("CREATE (n)").is_empty());
}

#[test]
fn later_spellings_are_read() {
    for text in [
        "CYPHER 5 runtime=slotted MATCH (n:A|B&!C) RETURN n",
        "MATCH (n WHERE n.x > 1)-[r:R WHERE r.w < 2]->{1,3}(m) RETURN n",
        "MATCH p = SHORTEST 2 (a)-[:R*]->(b) RETURN p",
        "MATCH (n) FILTER n.x > 1 LET y = n.x + 1 RETURN y OFFSET 1 LIMIT 2",
        "FOR x IN [1, 2] RETURN x NEXT RETURN x + 1 AS y",
        "MATCH (n) RETURN COUNT { (n)-->() } AS c, COLLECT { MATCH (n)-->(m) RETURN m } AS l",
        "MATCH (n) CALL (n) { RETURN 1 AS one } RETURN one",
        "MATCH (n) RETURN n {.*, a: 1, .b} AS m, n.x IS :: INTEGER NOT NULL AS t, 1_000 AS k, 0xFF AS h",
        "RETURN CASE 3 WHEN > 2 THEN 1 ELSE 2 END AS x",
        "UNWIND $rows AS row MERGE (n:L {id: row.id}) ON CREATE SET n += row ON MATCH SET n.seen = true",
        "MATCH (n) SET n[$key] = 1, n:A:B REMOVE n.x, n:C FINISH",
        "SHOW INDEXES YIELD name, labelsOrTypes WHERE name = 'a' RETURN name",
        "CREATE VECTOR INDEX v IF NOT EXISTS FOR (n:D) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 3}}",
        "CREATE CONSTRAINT c IF NOT EXISTS FOR (n:A) REQUIRE (n.a, n.b) IS NODE KEY",
        "MATCH (n) CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF 100 ROWS",
        "WITH 1 AS `a ``b` RETURN `a ``b`",
        "RETURN -9223372036854775808 AS least",
    ] {
        assert!(read(text).is_ok(), "{text}: {:?}", read(text));
    }
}

#[test]
fn names_are_known_and_of_one_kind() {
    refused("RETURN x", "SyntaxError UndefinedVariable");
    refused("MATCH (n)-[n]->() RETURN n", "SyntaxError VariableTypeConflict");
    refused("MATCH (a)-[r]->()-[r]->(a) RETURN r", "SyntaxError RelationshipUniquenessViolation");
    refused("MATCH (a) CREATE (a)", "SyntaxError VariableAlreadyBound");
    refused("MATCH (a) WITH a.x RETURN 1", "SyntaxError NoExpressionAlias");
    refused("RETURN 1 AS a, 2 AS a", "SyntaxError ColumnNameConflict");
    refused("MATCH () RETURN *", "SyntaxError NoVariablesInScope");
    refused("RETURN 1 AS a UNION RETURN 2 AS b", "SyntaxError DifferentColumnsInUnion");
    refused("MATCH (a) RETURN DISTINCT a.x ORDER BY a.y", "SyntaxError UndefinedVariable");
    assert_eq!(columns("MATCH (a) RETURN DISTINCT a.x ORDER BY a.x"), ["a.x"]);
}

#[test]
fn aggregates_stand_where_rows_are_put_together() {
    refused("MATCH (a) WHERE count(a) > 1 RETURN a", "SyntaxError InvalidAggregation");
    refused("RETURN count(count(*))", "SyntaxError NestedAggregation");
    refused("RETURN count(rand())", "SyntaxError NonConstantExpression");
    refused("MATCH (a) RETURN a.x + count(*)", "SyntaxError AmbiguousAggregationExpression");
    refused("MATCH (a) RETURN a.x ORDER BY max(a.y)", "SyntaxError InvalidAggregation");
    assert_eq!(columns("MATCH (a) RETURN a.x, a.x + count(*) AS c ORDER BY a.x + count(*)"), ["a.x", "c"]);
}

#[test]
fn types_that_are_known_are_checked() {
    refused("RETURN 1 AND true", "SyntaxError InvalidArgumentType");
    refused("WITH 1 AS n RETURN n.x", "TypeError InvalidArgumentType");
    refused("MATCH (n) RETURN length(n)", "SyntaxError InvalidArgumentType");
    refused("MATCH (n) RETURN n LIMIT -1", "SyntaxError NegativeIntegerArgument");
    refused("MATCH (n) RETURN n SKIP n.x", "SyntaxError NonConstantExpression");
    refused("MATCH (n) DELETE n:A", "SyntaxError InvalidDelete");
    refused("RETURN nothing(1)", "SyntaxError UnknownFunction");
    refused("MATCH (n) RETURN (n)-->()", "SyntaxError UnexpectedSyntax");
    refused("RETURN 9223372036854775808", "SyntaxError IntegerOverflow");
}

#[test]
fn what_is_nested_too_deeply_or_too_long_is_refused() {
    let nested = format!("RETURN {}1{}", "[".repeat(500), "]".repeat(500));
    refused(&nested, "SyntaxError None");
    let chain = format!("RETURN 1{}", " + 1".repeat(5_000));
    refused(&chain, "SyntaxError None");
    let deep = format!("RETURN {}1{}", "[".repeat(60), "]".repeat(60));
    assert!(read(&deep).is_ok());
    // What could be a pattern or an expression at every level takes no exponential time.
    let doubtful = format!("RETURN {}1{}", "(a:$(".repeat(60), "))-1".repeat(60));
    assert!(read(&doubtful).is_err());
}

#[test]
fn a_place_is_named() {
    let text = "MATCH (n)\nRETURN m";
    let error = parse(text).and_then(|statement| check(&statement, &Known)).unwrap_err();
    assert_eq!(error.placed(text).message, "Variable `m` not defined (line 2, column 8)");
}

/// Words of queries.
const WORDS: &str = "MATCH|RETURN|WITH|\\(|\\)|\\[|\\]|\\{|\\}|-|>|<|:|,|n|\\.|1|'a'|\\*|AS|IN|\\||\\$|WHERE|NOT|x|=";

proptest::proptest! {
    #[test]
    fn nothing_panics(words in proptest::collection::vec(WORDS, 0..40)) {
        drop(read(&words.join(" ")));
    }
}
