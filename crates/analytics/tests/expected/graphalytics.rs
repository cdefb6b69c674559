//! The example and validation graphs of LDBC Graphalytics, by its rules: exact for BFS and CDLP, the same partition for
//! WCC, 1e-4 of the value for the others.

use std::collections::BTreeMap;
use std::path::Path;

use analytics::algorithms::run as call;
use analytics::{Params, Run, Value, Values};

use crate::load::{Loaded, text};

fn read(folder: &Path, name: &str, is_directed: bool) -> Loaded {
    let ids = text(&folder.join(format!("{name}.v"))).lines().map(|line| line.trim().parse().unwrap()).collect();
    let mut edges = Vec::new();
    for line in text(&folder.join(format!("{name}.e"))).lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let weight = fields.get(2).map_or(1.0, |weight| weight.parse().unwrap());
        let (a, b) = (fields[0].parse().unwrap(), fields[1].parse().unwrap());
        edges.push((a, b, weight));
        if !is_directed {
            edges.push((b, a, weight));
        }
    }
    Loaded::new(ids, &edges)
}

/// The values of a file by id, in the order of ids.
fn expected(path: &Path) -> Vec<String> {
    let values: BTreeMap<u64, String> = text(path)
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(id, value)| (id.parse().unwrap(), value.trim().to_owned()))
        .collect();
    values.into_values().collect()
}

/// The settings of a graph that are its own.
fn settings(folder: &Path, name: &str) -> BTreeMap<String, String> {
    let prefix = format!("graph.{name}.");
    text(&folder.join(format!("{name}.properties")))
        .lines()
        .filter_map(|line| line.trim().strip_prefix(&prefix)?.split_once('='))
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .collect()
}

fn near(found: f64, wanted: &str) -> bool {
    if wanted.to_lowercase().starts_with("inf") {
        return found.is_infinite();
    }
    let wanted: f64 = wanted.parse().unwrap();
    (found - wanted).abs() <= 1e-4 * wanted.abs()
}

fn check(folder: &Path, name: &str, algorithm: &str) {
    let loaded = read(folder, name, !name.contains("undirected"));
    let settings = settings(folder, name);
    let wanted = expected(&folder.join(format!("{name}-{algorithm}")));
    let setting = |key: &str| settings.get(key).unwrap_or_else(|| panic!("{name} has no {key}"));
    let number = |key: &str| Value::Int(setting(key).parse().unwrap());
    let source = |key: &str| Value::Int(i64::from(loaded.number(setting(key).parse().unwrap())));
    let (called, params, column) = match algorithm {
        "BFS" => ("bfs", Params::new().with("sources", source("bfs.source-vertex")), "depth"),
        "SSSP" => ("sssp", Params::new().with("source", source("sssp.source-vertex")), "distance"),
        "CDLP" => ("cdlp", Params::new().with("max_iterations", number("cdlp.max-iterations")), "community"),
        "PR" => {
            let damping = Value::Float(setting("pr.damping-factor").parse().unwrap());
            let params = Params::new().with("max_iterations", number("pr.num-iterations")).with("damping", damping);
            ("pagerank", params.with("tolerance", Value::Float(0.0)), "score")
        }
        "LCC" => ("lcc", Params::new(), "coefficient"),
        _ => ("wcc", Params::new(), "component"),
    };
    let table = call(called, &loaded.graph, &params, &Run::alone()).unwrap();
    match table.column(column).unwrap() {
        Values::Floats(found) => {
            for (found, wanted) in found.iter().zip(&wanted) {
                assert!(near(*found, wanted), "{name} {algorithm}: {found} {wanted}");
            }
        }
        Values::Ints(found) => {
            let unreached = i64::MAX.to_string();
            let found = found.iter().map(|it| if *it < 0 { unreached.clone() } else { it.to_string() });
            assert_eq!(found.collect::<Vec<_>>(), wanted, "{name} {algorithm}");
        }
        Values::Vertices(found) if algorithm == "CDLP" => {
            // The loops that an undirected graph's two edges make count twice on each side, as all do.
            let found: Vec<String> = found.iter().map(|label| loaded.ids[*label as usize].to_string()).collect();
            assert_eq!(found, wanted, "{name} {algorithm}");
        }
        Values::Vertices(found) => {
            let mut names = BTreeMap::new();
            for (found, wanted) in found.iter().zip(&wanted) {
                assert_eq!(names.entry(*found).or_insert(wanted), &wanted, "{name} {algorithm}");
            }
            let distinct: std::collections::BTreeSet<_> = names.values().collect();
            assert_eq!(distinct.len(), names.len(), "{name} {algorithm}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(table.len(), wanted.len());
}

#[test]
fn graphalytics_graphs_are_valid() {
    let Some(expected) = crate::folder("RHIZOME_OLAP_EXPECTED") else { return };
    let folder = expected.join("graphalytics");
    for algorithm in ["BFS", "CDLP", "LCC", "PR", "SSSP", "WCC"] {
        for kind in ["directed", "undirected"] {
            check(&folder, &format!("example-{kind}"), algorithm);
            check(&folder, &format!("test-{}-{kind}", algorithm.to_lowercase()), algorithm);
        }
    }
}
