//! Every traversal of TinkerPop's feature files is parsed, lowered, printed and parsed again. The files are not part of
//! this repository: `scripts/gremlin-features.sh` fetches them and names their folder in `RHIZOME_GREMLIN_FEATURES`.

#![expect(clippy::expect_used, reason = "helpers of tests fail the test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gremlin::{Bindings, ElementReference, Expression, Statement, Text, Traversal, Value, lower, parse};
use query_value::ElementKind;

/// Traversals in the files of 3.8.1; fewer would mean that some were not found.
const TEXTS_MIN: usize = 2_000;

#[derive(Default)]
struct Case {
    place: String,
    parameters: BTreeMap<Text, Value>,
    script: String,
}

#[test]
#[ignore = "needs the feature files: scripts/gremlin-features.sh"]
fn every_feature_parses() {
    let folder = std::env::var("RHIZOME_GREMLIN_FEATURES").expect("RHIZOME_GREMLIN_FEATURES");
    let mut cases = Vec::new();
    collect(Path::new(&folder), &mut cases);
    let mut failures = Vec::new();
    for case in &cases {
        if let Err(problem) = check(case) {
            failures.push(format!("{}: {problem}\n    {}", case.place, case.script));
        }
    }
    println!("{} of {} texts", cases.len() - failures.len(), cases.len());
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
    assert!(cases.len() >= TEXTS_MIN, "only {} texts in {folder}", cases.len());
}

fn collect(folder: &Path, cases: &mut Vec<Case>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, cases);
        } else if path.extension().is_some_and(|extension| extension == "feature") {
            read(&path, cases);
        }
    }
}

fn read(path: &Path, cases: &mut Vec<Case>) {
    let text = fs::read_to_string(path).expect("a feature file");
    let mut parameters = BTreeMap::new();
    let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
    while let Some((number, line)) = lines.next() {
        if line.starts_with("Scenario:") {
            parameters.clear();
        } else if let Some((name, value)) = line.strip_prefix("And using the parameter ").and_then(definition) {
            parameters.insert(name.into(), value);
        } else if line == "And the traversal of" || line == "And the graph initializer of" {
            lines.next();
            let script: Vec<_> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "\"\"\"").collect();
            let place = format!("{}:{number}", path.file_name().unwrap_or_default().display());
            cases.push(Case { place, parameters: parameters.clone(), script: script.join("\n") });
        }
    }
}

/// `name defined as "value"`. Values are only as exact as parsing needs them.
fn definition(rest: &str) -> Option<(&str, Value)> {
    let (name, value) = rest.split_once(" defined as \"")?;
    let value = value.strip_suffix('"')?;
    let element =
        |kind| Value::Element(Box::new(ElementReference { kind, id: Value::Long(1), label: "person".into() }));
    let value = match value.split_once('[').map_or("", |(kind, _)| kind) {
        "v" | "e" if value.contains("].") => Value::Long(1),
        "v" => element(ElementKind::Vertex),
        "e" => element(ElementKind::Edge),
        "m" => Value::Map(vec![("name".into(), "marko".into())].into_iter().map(pair).collect()),
        "l" => Value::List(vec![Value::Int(1), Value::Int(2)]),
        "s" => Value::Set(vec![Value::Int(1)]),
        "d" => Value::Int(1),
        "" if value == "null" => Value::Null,
        _ => Value::Text(value.into()),
    };
    Some((name, value))
}

fn pair((key, value): (Text, Text)) -> (Value, Value) {
    (Value::Text(key), Value::Text(value))
}

fn check(case: &Case) -> Result<(), String> {
    let script = parse(&case.script, case.parameters.keys().map(Text::as_str)).map_err(|error| error.to_string())?;
    for statement in &script.statements {
        let Statement::Expression(Expression::Query(query)) = statement else {
            return Err(format!("not a traversal: {statement:?}"));
        };
        let mut bindings = Bindings(case.parameters.clone());
        match lower(&query.bytecode, &mut bindings) {
            Ok(traversal) => again(&traversal)?,
            // The suite expects these at execution; here they are found earlier.
            Err(error) if error.to_string().contains("The repeat()-traversal was not defined") => {}
            Err(error) => return Err(error.located(&case.script).to_string()),
        }
    }
    Ok(())
}

/// The canonical text gives the same tree.
fn again(traversal: &Traversal) -> Result<(), String> {
    let text = traversal.to_string();
    let script = parse(&text, []).map_err(|error| format!("again: {error} in {text}"))?;
    let [Statement::Expression(Expression::Query(query))] = script.statements.as_slice() else {
        return Err(format!("again: {script:?}"));
    };
    let second =
        lower(&query.bytecode, &mut Bindings::default()).map_err(|error| format!("again: {error} in {text}"))?;
    // Not a number differs from itself.
    let is_same = second == *traversal || (text.contains("NaN") && second.to_string() == text);
    if is_same { Ok(()) } else { Err(format!("another tree: {text}\n{second}")) }
}
