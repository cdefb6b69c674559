//! Running one scenario.

use std::collections::BTreeMap;

use graph_access::{Budget, GraphWrite};
use gremlin::{Bindings, Expression, Statement, lower};
use query_exec::{Execution, Settings};
use query_value::{Reference, Value};

use crate::graphs::{Graphs, Toy};
use crate::scenario::{Check, Scenario};
use crate::text;

pub(crate) enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

/// Elements by the names that the suite gives them.
#[derive(Default)]
pub(crate) struct Names {
    vertices: BTreeMap<String, Value>,
    edges: BTreeMap<String, Value>,
}

impl Names {
    pub(crate) fn vertex(&self, name: &str) -> Option<Value> {
        self.vertices.get(name).map(|id| Reference::vertex(id.clone(), "".into()).to_value())
    }

    pub(crate) fn edge(&self, name: &str) -> Option<Value> {
        self.edges.get(name).cloned()
    }

    fn read(toy: &Toy, unit: &mut dyn GraphWrite) -> Self {
        let mut names = Self { vertices: toy.vertices.clone(), edges: BTreeMap::new() };
        let mut name_of = BTreeMap::new();
        let read = |unit: &mut dyn GraphWrite, query: &str| evaluate(unit, query, &[]).unwrap_or_default();
        for (value, _) in read(unit, "g.V().hasNot('name').project('v').by()").into_iter().chain(read(unit, "g.V()")) {
            let value = if let Value::Map(map) = &value { map.values().next().unwrap().clone() } else { value };
            let Value::Vertex(vertex) = &value else { continue };
            let name = vertex.properties.iter().flat_map(|all| all.iter()).find(|property| property.key == "name");
            let name = match name.map(|name| &name.value) {
                Some(Value::String(name)) => name.to_string(),
                _ => text::of(&vertex.id),
            };
            names.vertices.insert(name.clone(), vertex.id.clone());
            name_of.insert(text::of(&vertex.id), name);
        }
        for (value, _) in read(unit, "g.E()") {
            let Value::Edge(edge) = &value else { continue };
            let name = |reference: &Reference| name_of.get(&text::of(&reference.id)).cloned().unwrap_or_default();
            names.edges.insert(format!("{}-{}->{}", name(&edge.source), edge.label, name(&edge.target)), value.clone());
        }
        names
    }
}

/// Runs a script of one or more queries; the results of the last.
fn evaluate(
    unit: &mut dyn GraphWrite,
    script: &str,
    parameters: &[(String, Value)],
) -> Result<Vec<(Value, u64)>, String> {
    let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let parsed = gremlin::parse(script, names).map_err(|error| format!("parse: {error}"))?;
    let mut results = Vec::new();
    for statement in &parsed.statements {
        let Statement::Expression(Expression::Query(query)) = statement else { return Err("not a query".to_owned()) };
        let mut bindings = Bindings::default();
        for (name, value) in parameters {
            let value = gremlin::Value::from_plain(value).map_err(|error| error.to_string())?;
            bindings.0.insert(name.as_str().into(), value);
        }
        let traversal = lower(&query.bytecode, &mut bindings).map_err(|error| error.to_string())?;
        let plan = gremlin_plan::plan(&traversal).map_err(|error| error.to_string())?;
        let mut execution = Execution::writing(&plan, unit, &Settings::default()).map_err(|error| error.to_string())?;
        results = execution.collect().map_err(|error| match &error.step {
            Some(step) => format!("{error} (in {step})"),
            None => error.to_string(),
        })?;
    }
    Ok(results)
}

pub(crate) fn run(graphs: &Graphs, scenario: &Scenario) -> Outcome {
    if scenario.is_unsupported {
        return Outcome::Skipped("unsupported".to_owned());
    }
    for tag in ["@AllowNullPropertyValues"] {
        if scenario.tags.iter().any(|own| own == tag) {
            return Outcome::Skipped(tag.to_owned());
        }
    }
    if scenario.traversal.contains("g.io(") {
        return Outcome::Skipped("io".to_owned());
    }
    let toy = graphs.get(&scenario.graph);
    let budget = Budget::new(std::time::Duration::from_secs(20), std::sync::Arc::default());
    let mut unit = toy.graph.transaction(&budget);
    if let Some(script) = &scenario.initializer
        && let Err(error) = evaluate(&mut unit, script, &[])
    {
        return Outcome::Failed(format!("initializer: {error}"));
    }
    let names = Names::read(toy, &mut unit);
    let mut parameters = Vec::new();
    let mut script = scenario.traversal.clone();
    for (name, value) in &scenario.side_effects {
        script = format!("g.withSideEffect(\"{name}\", {name}){}", script.strip_prefix('g').unwrap_or_default());
        match text::parse(&names, value) {
            Some(value) => parameters.push((name.clone(), value)),
            None => return Outcome::Skipped(format!("side effect {value}")),
        }
    }
    for (name, value) in &scenario.parameters {
        match text::parse(&names, value) {
            Some(value) => parameters.push((name.clone(), value)),
            None => return Outcome::Skipped(format!("parameter {value}")),
        }
    }
    let mut results = evaluate(&mut unit, &script, &parameters);
    if scenario.is_next
        && let Ok(results) = &mut results
        && let Some((first, _)) = results.first().cloned()
    {
        let items = match &first {
            Value::List(items) => items.to_vec(),
            Value::Set(items) => items.iter().cloned().collect(),
            Value::Path(path) => path.objects.clone(),
            Value::Map(map) => map.iter().map(|(key, value)| Value::map([(key.clone(), value.clone())])).collect(),
            Value::BulkSet(_) => match unfold(&first) {
                Some(items) => items,
                None => vec![first.clone()],
            },
            other => vec![other.clone()],
        };
        *results = items.into_iter().map(|item| (item, 1)).collect();
    }
    for check in &scenario.checks {
        if let Err(why) = self::check(check, &results, &names, &mut unit, &parameters) {
            return Outcome::Failed(why);
        }
    }
    Outcome::Passed
}

fn unfold(value: &Value) -> Option<Vec<Value>> {
    let Value::BulkSet(items) = value else { return None };
    Some(items.iter().flat_map(|(item, count)| vec![item.clone(); usize::try_from(*count).unwrap()]).collect())
}

fn check(
    check: &Check,
    results: &Result<Vec<(Value, u64)>, String>,
    names: &Names,
    unit: &mut dyn GraphWrite,
    parameters: &[(String, Value)],
) -> Result<(), String> {
    if let Check::Error(message) = check {
        return match (results, message) {
            (Ok(results), _) => Err(format!("no error, but {} results", results.len())),
            (Err(_), None) => Ok(()),
            (Err(error), Some((how, text))) => {
                let error = error.split(" (in ").next().unwrap_or_default();
                let fits = match how.as_str() {
                    "starting" => error.to_lowercase().starts_with(&text.to_lowercase()),
                    "ending" => error.to_lowercase().ends_with(&text.to_lowercase()),
                    _ => error.to_lowercase().contains(&text.to_lowercase()),
                };
                if fits { Ok(()) } else { Err(format!("error '{error}', wanted '{text}'")) }
            }
        };
    }
    if let Check::GraphCount(count, query) = check {
        let found: u64 = evaluate(unit, query, parameters)?.iter().map(|(_, bulk)| bulk).sum();
        return if found == u64::try_from(*count).unwrap() {
            Ok(())
        } else {
            Err(format!("{query}: {found}, wanted {count}"))
        };
    }
    let results = results.as_ref().map_err(Clone::clone)?;
    let found: Vec<String> =
        results.iter().flat_map(|(value, bulk)| vec![text::of(value); usize::try_from(*bulk).unwrap()]).collect();
    let expected = |rows: &[String]| {
        rows.iter()
            .map(|row| text::parse(names, row).map(|value| text::of(&value)).ok_or_else(|| format!("unknown {row}")))
            .collect::<Result<Vec<_>, _>>()
    };
    let same = |mut found: Vec<String>, mut expected: Vec<String>, is_ordered: bool| {
        if !is_ordered {
            found.sort();
            expected.sort();
        }
        if found == expected { Ok(()) } else { Err(format!("found {found:?}\n    wanted {expected:?}")) }
    };
    match check {
        Check::Empty => same(found, Vec::new(), true),
        Check::Count(count) => {
            if found.len() == *count {
                Ok(())
            } else {
                Err(format!("{} results, wanted {count}", found.len()))
            }
        }
        Check::Ordered(rows) => same(found, expected(rows)?, true),
        Check::Unordered(rows) => same(found, expected(rows)?, false),
        Check::Of(rows) => {
            let expected = expected(rows)?;
            match found.iter().find(|found| !expected.contains(found)) {
                None => Ok(()),
                Some(other) => Err(format!("{other} is not one of {expected:?}")),
            }
        }
        Check::Subgraph(header, rows) => {
            let Some((Value::Graph(graph), _)) = results.first() else { return Err("no graph".to_owned()) };
            let found = if header == "edges" {
                graph.edges.values().map(|edge| text::of(&Value::Edge(std::sync::Arc::clone(edge)))).collect()
            } else {
                graph.vertices.values().map(|vertex| text::of(&Value::Vertex(std::sync::Arc::clone(vertex)))).collect()
            };
            same(found, expected(rows)?, false)
        }
        Check::Tree(lines) => {
            let Some((Value::Tree(tree), _)) = results.first() else { return Err("no tree".to_owned()) };
            let mut found = Vec::new();
            paths(tree, "", &mut found);
            let mut stack: Vec<(usize, String)> = Vec::new();
            let mut wanted = Vec::new();
            for line in lines.lines().filter(|line| !line.trim().is_empty()) {
                let indent = line.find("|--").ok_or("no tree line")?;
                let value = text::parse(names, line[indent + 3..].trim()).ok_or("unknown")?;
                stack.retain(|(own, _)| *own < indent);
                stack.push((indent, text::of(&value)));
                wanted.push(stack.iter().map(|(_, text)| format!("/{text}")).collect::<String>());
            }
            same(found, wanted, false)
        }
        Check::Error(_) | Check::GraphCount(..) => Ok(()),
    }
}

fn paths(tree: &query_value::Tree, prefix: &str, out: &mut Vec<String>) {
    for (key, inner) in &tree.0 {
        let path = format!("{prefix}/{}", text::of(key));
        out.push(path.clone());
        paths(inner, &path, out);
    }
}
