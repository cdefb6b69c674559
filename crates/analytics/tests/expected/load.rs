//! Graphs from files, with vertices numbered in the order of their ids.

use std::collections::BTreeMap;
use std::path::Path;

use analytics::{Edge, Graph, Run};

/// A graph with the ids of its vertices.
pub(crate) struct Loaded {
    pub(crate) ids: Vec<u64>,
    pub(crate) graph: Graph,
}

impl Loaded {
    pub(crate) fn new(mut ids: Vec<u64>, edges: &[(u64, u64, f64)]) -> Self {
        ids.sort_unstable();
        let number = |id: u64| u32::try_from(ids.binary_search(&id).unwrap()).unwrap();
        let edges: Vec<Edge> = edges.iter().map(|(a, b, weight)| (number(*a), number(*b), *weight)).collect();
        let graph = Graph::from_edges(ids.len(), &edges, true, &Run::alone()).unwrap();
        Self { ids, graph }
    }

    pub(crate) fn number(&self, id: u64) -> u32 {
        u32::try_from(self.ids.binary_search(&id).unwrap()).unwrap()
    }
}

pub(crate) fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The fields of a line with quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    for character in line.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            other => fields.last_mut().unwrap().push(other),
        }
    }
    fields
}

/// The airports and routes.
pub(crate) fn air_routes(data: &Path) -> Loaded {
    let rows = |name: &str| -> Vec<Vec<String>> {
        text(&data.join("air-routes").join(name)).lines().map(|line| fields(line.trim_end())).collect()
    };
    let (nodes, routes) = (rows("air-routes-latest-nodes.csv"), rows("air-routes-latest-edges.csv"));
    let place = |rows: &[Vec<String>], name: &str| rows[0].iter().position(|own| own.starts_with(name)).unwrap();
    let (id, label) = (place(&nodes, "~id"), place(&nodes, "~label"));
    let ids = nodes[1..].iter().filter(|row| row[label] == "airport").map(|row| row[id].parse().unwrap()).collect();
    let columns = ["~from", "~to", "dist", "~label"].map(|name| place(&routes, name));
    let edges: Vec<_> = routes[1..]
        .iter()
        .filter(|row| row[columns[3]] == "route")
        .map(|row| {
            (row[columns[0]].parse().unwrap(), row[columns[1]].parse().unwrap(), row[columns[2]].parse().unwrap())
        })
        .collect();
    Loaded::new(ids, &edges)
}

/// The value of an attribute in a line of XML.
fn attribute<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.split_once(&format!("{name}=\"")).and_then(|(_, rest)| rest.split_once('"')).map(|(value, _)| value)
}

/// The songs and artists.
pub(crate) fn grateful_dead(data: &Path) -> Loaded {
    let text = text(&data.join("tinkerpop").join("grateful-dead.xml"));
    let ids = text.split("<node ").skip(1).map(|node| attribute(node, "id").unwrap().parse().unwrap()).collect();
    let mut edges = Vec::new();
    for edge in text.split("<edge ").skip(1) {
        let edge = edge.split("</edge>").next().unwrap();
        let weight = edge.split_once("key=\"weight\">").and_then(|(_, rest)| rest.split('<').next());
        let end = |name| attribute(edge, name).unwrap().parse().unwrap();
        edges.push((end("source"), end("target"), weight.map_or(1.0, |weight| weight.parse().unwrap())));
    }
    Loaded::new(ids, &edges)
}

/// The columns of a file by their names.
pub(crate) fn columns(path: &Path) -> BTreeMap<String, Vec<f64>> {
    let text = text(path);
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut columns: BTreeMap<String, Vec<f64>> = names.iter().map(|name| ((*name).to_owned(), Vec::new())).collect();
    for line in lines {
        for (name, value) in names.iter().zip(line.split(',')) {
            columns.get_mut(*name).unwrap().push(value.parse().unwrap());
        }
    }
    columns
}
