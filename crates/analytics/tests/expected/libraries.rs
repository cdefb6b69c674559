//! Two real graphs by networkx and igraph. Views and conventions are described with the results.

use std::collections::BTreeMap;

use analytics::algorithms::run as call;
use analytics::communities::modularity;
use analytics::{Params, Run, Table, Value, Values};

use crate::load::{self, Loaded};

fn floats(table: &Table, column: &str) -> Vec<f64> {
    match table.column(column).unwrap() {
        Values::Floats(values) => values.clone(),
        Values::Ints(values) => values.iter().map(|value| *value as f64).collect(),
        Values::Vertices(values) => values.iter().map(|value| f64::from(*value)).collect(),
        other => panic!("{other:?}"),
    }
}

fn figure(table: &Table, name: &str) -> f64 {
    table.figures.iter().find(|figure| figure.0 == name).unwrap().1.as_float().unwrap()
}

/// Compares a column: 1e-6 of the value for what converges, exactly for whole numbers.
fn same(what: &str, found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (at, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let found = if found.is_infinite() { -1.0 } else { *found };
        assert!((found - wanted).abs() <= 1e-6 * wanted.abs() + 1e-12, "{what} of row {at}: {found} {wanted}");
    }
}

fn check(name: &str, load: fn(&std::path::Path) -> Loaded) {
    let (Some(expected), Some(data)) = (crate::folder("RHIZOME_OLAP_EXPECTED"), crate::folder("RHIZOME_OLAP_DATA"))
    else {
        return;
    };
    let loaded = load(&data);
    let wanted = load::columns(&expected.join(format!("{name}.csv")));
    let json: serde_json::Value = serde_json::from_str(&load::text(&expected.join(format!("{name}.json")))).unwrap();
    let run = Run::alone();
    let by_name = |algorithm: &str, params: &[(&str, Value)]| {
        let params = params.iter().fold(Params::new(), |params, (name, value)| params.with(name, value.clone()));
        call(algorithm, &loaded.graph, &params, &run).unwrap()
    };
    let text = |text: &str| Value::Text(text.to_owned());
    let source = Value::Int(i64::from(loaded.number(1)));
    let sharp = [("tolerance", Value::Float(1e-15)), ("max_iterations", Value::Int(3_000))];
    let with = |more: &[(&'static str, Value)]| [&sharp[..], more].concat();
    let column = |name: &str| &wanted[name];
    let by_id = |labels: Vec<f64>| labels.iter().map(|label| loaded.ids[*label as usize] as f64).collect::<Vec<_>>();

    let degree = |direction| floats(&by_name("degree", &[("direction", text(direction))]), "degree");
    same("out_degree", &degree("out"), column("out_degree"));
    same("in_degree", &degree("in"), column("in_degree"));
    same("pagerank", &floats(&by_name("pagerank", &sharp), "score"), column("pagerank"));
    let ten = [("tolerance", Value::Float(0.0)), ("max_iterations", Value::Int(10))];
    same("pagerank_10", &floats(&by_name("pagerank", &ten), "score"), column("pagerank_10"));
    let weighted = with(&[("weighted", Value::Bool(true))]);
    same("pagerank_weighted", &floats(&by_name("pagerank", &weighted), "score"), column("pagerank_weighted"));
    let personal = with(&[("sources", source.clone())]);
    same("ppr", &floats(&by_name("pagerank", &personal), "score"), column("ppr"));
    same("wcc", &by_id(floats(&by_name("wcc", &[]), "component")), column("wcc"));
    same("scc", &by_id(floats(&by_name("scc", &[]), "component")), column("scc"));
    let triangles = by_name("triangles", &[]);
    same("triangles", &floats(&triangles, "triangles"), column("triangles"));
    same("lcc", &floats(&triangles, "coefficient"), column("lcc"));
    same("lcc_ldbc", &floats(&by_name("lcc", &[]), "coefficient"), column("lcc_ldbc"));
    for (figure_name, key) in [
        ("triangles", "total"),
        ("wedges", "wedges"),
        ("transitivity", "transitivity"),
        ("average_coefficient", "average_lcc"),
    ] {
        same(key, &[figure(&triangles, figure_name)], &[json["triangles"][key].as_f64().unwrap()]);
    }
    same("core", &floats(&by_name("kcore", &[]), "core"), column("core"));
    same("betweenness", &floats(&by_name("betweenness", &[]), "score"), column("betweenness"));
    same("closeness", &floats(&by_name("closeness", &[]), "score"), column("closeness"));
    same("harmonic", &floats(&by_name("harmonic", &[]), "score"), column("harmonic"));
    let bfs =
        |direction| floats(&by_name("bfs", &[("sources", source.clone()), ("direction", text(direction))]), "depth");
    same("bfs_out", &bfs("out"), column("bfs_out"));
    same("bfs_both", &bfs("both"), column("bfs_both"));
    same("sssp_out", &floats(&by_name("sssp", &[("source", source.clone())]), "distance"), column("sssp_out"));
    let unweighted = Loaded::new(loaded.ids.clone(), &pairs(&loaded));
    let plain_call = |name: &str, params: &[(&'static str, Value)]| {
        let params = params.iter().fold(Params::new(), |params, (name, value)| params.with(name, value.clone()));
        call(name, &unweighted.graph, &params, &run).unwrap()
    };
    let hits = by_name("hits", &sharp);
    same("hub", &floats(&hits, "hub"), column("hub"));
    same("authority", &floats(&hits, "authority"), column("authority"));
    let vector = plain_call("eigenvector", &sharp);
    same("eigenvector", &floats(&vector, "score"), column("eigenvector"));
    let cdlp = floats(&by_name("cdlp", &[]), "community");
    same("cdlp_10", &by_id(cdlp), column("cdlp_10"));

    let trusses = by_name("ktruss", &[]);
    let numbers = floats(&trusses, "truss");
    for (k, count) in json["truss_edges"].as_object().unwrap() {
        let k: f64 = k.parse().unwrap();
        assert_eq!(numbers.iter().filter(|own| **own >= k).count() as u64, count.as_u64().unwrap(), "truss {k}");
    }
    let plain = unweighted.graph.plain(&run).unwrap();
    let labels = |column: &[f64]| column.iter().map(|label| *label as u32).collect::<Vec<_>>();
    let modular = |labels: &[u32]| modularity(&plain, labels, 1.0).unwrap();
    let known = |name: &str| json["modularity"][name]["modularity"].as_f64().unwrap();
    same("modularity of wcc", &[modular(&labels(column("wcc")))], &[known("of_wcc")]);
    same("modularity of cdlp", &[modular(&labels(column("cdlp_10")))], &[known("of_cdlp_10")]);
    for name in ["louvain", "leiden"] {
        let found = plain_call(name, &[]);
        let value = figure(&found, "modularity");
        assert!(value >= 0.98 * known("leiden_igraph_best_of_20"), "{name}: {value}");
        same(name, &[value], &[modular(&labels(&floats(&found, "community")))]);
    }
    let cuts = by_name("articulation_points", &[]);
    assert_eq!(cuts.len() as u64, json["cuts"]["articulation_points"].as_u64().unwrap());
    assert_eq!(by_name("bridges", &[]).len() as u64, json["cuts"]["bridges"].as_u64().unwrap());
    let forest = by_name("spanning_forest", &[]);
    assert_eq!(forest.len() as u64, json["spanning_forest"]["edges"].as_u64().unwrap());
    same("forest", &[figure(&forest, "weight")], &[json["spanning_forest"]["least_weight"].as_f64().unwrap()]);
    let sizes: BTreeMap<u64, u64> =
        floats(&by_name("kcore", &[]), "core").iter().fold(BTreeMap::new(), |mut sizes, own| {
            *sizes.entry(*own as u64).or_default() += 1;
            sizes
        });
    for (k, count) in json["core"]["vertices_of_core"].as_object().unwrap() {
        assert_eq!(sizes[&k.parse::<u64>().unwrap()], count.as_u64().unwrap(), "core {k}");
    }
}

/// The edges, each with weight 1.
fn pairs(loaded: &Loaded) -> Vec<(u64, u64, f64)> {
    let id = |vertex: u32| loaded.ids[vertex as usize];
    loaded.graph.out().iter().map(|(source, target, _)| (id(source), id(target), 1.0)).collect()
}

#[test]
fn air_routes_are_as_by_networkx_and_igraph() {
    check("air-routes", load::air_routes);
}

#[test]
fn the_grateful_dead_are_as_by_networkx_and_igraph() {
    check("grateful-dead", load::grateful_dead);
}
