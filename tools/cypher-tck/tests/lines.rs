//! The program as the suite's runner uses it. Being here, it has cargo compile the program along with the tests, with
//! their features.

use std::io::Write as _;
use std::process::{Command, Stdio};

#[test]
fn each_line_is_answered_with_a_line() {
    let mut program =
        Command::new(env!("CARGO_BIN_EXE_cypher-tck")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let requests = "{\"query\": \"CREATE (:a {k: 1}), (:a {k: 2})\"}\n\
                    {\"query\": \"MATCH (n:a) WHERE n.k > $k RETURN n.k AS k\", \"parameters\": {\"k\": 1}}\n\
                    {\"query\": \"RETURN n\"}\n\
                    {\"graph\": \"auto\"}\n\
                    {\"query\": \"MATCH (n) RETURN count(*) AS n\"}\n";
    program.stdin.take().unwrap().write_all(requests.as_bytes()).unwrap();
    let out = program.wait_with_output().unwrap();
    let lines = String::from_utf8(out.stdout).unwrap();
    let answers: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(out.status.success(), "{answers:?}");
    let [created, read, unknown, emptied, counted] = answers.as_slice() else { unreachable!("{answers:?}") };
    assert_eq!(created, &serde_json::json!({"columns": [], "rows": []}));
    assert_eq!(read, &serde_json::json!({"columns": ["k"], "rows": [[2]]}));
    assert_eq!(unknown.pointer("/error/phase").unwrap(), "compile time", "{unknown}");
    assert_eq!(emptied, &serde_json::json!({}));
    assert_eq!(counted, &serde_json::json!({"columns": ["n"], "rows": [[0]]}));
}
