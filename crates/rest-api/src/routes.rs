//! The one table of addresses: what is where, with which methods, and on which threads it runs. Whatever only has to
//! know *what is where* reads the [`Directory`] that is made of it.

use auth::Permission::{Delete, Execute, Read, Write};
use auth::ResourceType::{Edge, EdgeLabel, Gremlin, IndexLabel, Metrics, PropertyKey, Task, Var, Vertex, VertexLabel};
use hyper::Method;

use crate::access::Access::{self, Admin, Anywhere, Graph, Manager, Named, Open, Part, User, Whole};
use crate::access::{ANY_EDGE, ANY_VERTEX};
use crate::directory::{Directory, Endpoint, EndpointId};
use crate::names::DEFAULT_SPACE;
use crate::resources::{
    algorithms, api_document, backups, cypher, edge_labels, edges, graph_limits, graph_modes, graph_spaces, graphs,
    gremlin, health, index_labels, metrics, profile, property_keys, schema, server_settings, shards, tasks, testing,
    traversers, users, variables, versions, vertex_labels, vertices,
};
use crate::route::Handler::{self, Never, NewGraph, NotYet, Pooled, PooledWrite, Quick, QuickWrite, Unhurried};
use crate::route::{DELETE, GET, POST, PUT, Route, Scope, graph, server, space};
use crate::watch;
use http_server::Address;
use openapi_document::Operation;

const NOT_YET: &[(Method, Access, Handler)] =
    &[(GET, User, NotYet), (POST, User, NotYet), (PUT, User, NotYet), (DELETE, User, NotYet)];

/// Several processes that replicate a graph.
const RAFT: &str = "one process serves a store, so there are no peers to manage";
/// HugeGraph's own parts around the server.
const CLUSTER: &str = "there is no separate placement driver, store or computing cluster";
/// What only clients know.
const CLIENT_ONLY: &str = "HugeGraph's own open-source server has nothing there either";
/// Analytical property keys.
const OLAP: &str = "values of analytical (OLAP) properties come from a computing cluster, which is not part of this";
const NO_CLUSTER: &[(Method, Access, Handler)] = &[
    (GET, User, Never(CLUSTER)),
    (POST, User, Never(CLUSTER)),
    (PUT, User, Never(CLUSTER)),
    (DELETE, User, Never(CLUSTER)),
];
const NO_RAFT: &[(Method, Access, Handler)] = &[(GET, User, Never(RAFT)), (POST, User, Never(RAFT))];
const ONLY_IN_CLIENTS: &[(Method, Access, Handler)] = &[
    (GET, User, Never(CLIENT_ONLY)),
    (POST, User, Never(CLIENT_ONLY)),
    (PUT, User, Never(CLIENT_ONLY)),
    (DELETE, User, Never(CLIENT_ONLY)),
];

/// All routes but those of traversers. The first one that fits counts; those used most come first.
static ROUTES: &[Route] = &[
    graph(
        &["graph", "vertices", "batch"],
        &[
            (POST, Part(Write, Vertex), QuickWrite(vertices::create_batch)),
            (PUT, Part(Write, Vertex), PooledWrite(vertices::update_batch)),
        ],
    ),
    graph(
        &["graph", "vertices", "{id}"],
        &[
            (GET, Part(Read, Vertex), Quick(vertices::get)),
            (PUT, Part(Write, Vertex), PooledWrite(vertices::alter)),
            (DELETE, Part(Delete, Vertex), PooledWrite(vertices::delete)),
        ],
    ),
    graph(
        &["graph", "vertices"],
        &[
            (GET, Part(Read, Vertex), Handler::Read(vertices::list)),
            (POST, Part(Write, Vertex), QuickWrite(vertices::create)),
        ],
    ),
    graph(
        &["graph", "edges", "batch"],
        &[
            (POST, Part(Write, Edge), QuickWrite(edges::create_batch)),
            (PUT, Part(Write, Edge), PooledWrite(edges::update_batch)),
        ],
    ),
    graph(
        &["graph", "edges", "{id}"],
        &[
            (GET, Part(Read, Edge), Quick(edges::get)),
            (PUT, Part(Write, Edge), PooledWrite(edges::alter)),
            (DELETE, Part(Delete, Edge), QuickWrite(edges::delete)),
        ],
    ),
    graph(
        &["graph", "edges"],
        &[(GET, Part(Read, Edge), Handler::Read(edges::list)), (POST, Part(Write, Edge), QuickWrite(edges::create))],
    ),
    graph(&["traversers", "vertices"], &[(GET, Part(Read, Vertex), Handler::Read(vertices::by_ids))]),
    graph(&["traversers", "edges"], &[(GET, Part(Read, Edge), Handler::Read(edges::by_ids))]),
    graph(&["traversers", "vertices", "shards"], &[(GET, ANY_VERTEX, Pooled(shards::of_vertices))]),
    graph(&["traversers", "vertices", "scan"], &[(GET, ANY_VERTEX, Pooled(shards::scan_vertices))]),
    graph(&["traversers", "edges", "shards"], &[(GET, ANY_EDGE, Pooled(shards::of_edges))]),
    graph(&["traversers", "edges", "scan"], &[(GET, ANY_EDGE, Pooled(shards::scan_edges))]),
    graph(&["schema"], &[(GET, Graph, Quick(schema::show))]),
    graph(
        &["schema", "propertykeys"],
        &[(GET, Graph, Quick(property_keys::list)), (POST, Whole(Write, PropertyKey), Pooled(property_keys::create))],
    ),
    graph(
        &["schema", "propertykeys", "{name}"],
        &[
            (GET, Graph, Quick(property_keys::get)),
            (PUT, Named(Write, PropertyKey), Pooled(property_keys::alter)),
            (DELETE, Named(Delete, PropertyKey), Pooled(property_keys::delete)),
        ],
    ),
    graph(
        &["schema", "vertexlabels"],
        &[(GET, Graph, Quick(vertex_labels::list)), (POST, Whole(Write, VertexLabel), Pooled(vertex_labels::create))],
    ),
    graph(
        &["schema", "vertexlabels", "{name}"],
        &[
            (GET, Graph, Quick(vertex_labels::get)),
            (PUT, Named(Write, VertexLabel), Pooled(vertex_labels::alter)),
            (DELETE, Named(Delete, VertexLabel), Pooled(vertex_labels::delete)),
        ],
    ),
    graph(
        &["schema", "edgelabels"],
        &[(GET, Graph, Quick(edge_labels::list)), (POST, Whole(Write, EdgeLabel), Pooled(edge_labels::create))],
    ),
    graph(
        &["schema", "edgelabels", "{name}"],
        &[
            (GET, Graph, Quick(edge_labels::get)),
            (PUT, Named(Write, EdgeLabel), Pooled(edge_labels::alter)),
            (DELETE, Named(Delete, EdgeLabel), Pooled(edge_labels::delete)),
        ],
    ),
    graph(
        &["schema", "indexlabels"],
        &[(GET, Graph, Quick(index_labels::list)), (POST, Whole(Write, IndexLabel), Pooled(index_labels::create))],
    ),
    graph(
        &["schema", "indexlabels", "{name}"],
        &[
            (GET, Graph, Quick(index_labels::get)),
            (PUT, Named(Write, IndexLabel), Pooled(index_labels::alter)),
            (DELETE, Named(Delete, IndexLabel), Pooled(index_labels::delete)),
        ],
    ),
    graph(&["tasks"], &[(GET, Part(Read, Task), Pooled(tasks::list))]),
    graph(
        &["tasks", "{id}"],
        &[
            (GET, Part(Read, Task), Quick(tasks::get)),
            (PUT, Part(Write, Task), Pooled(tasks::cancel)),
            (DELETE, Part(Delete, Task), Pooled(tasks::delete)),
        ],
    ),
    graph(
        &[],
        &[
            (GET, Graph, Quick(graphs::get)),
            (POST, Manager, NewGraph(graphs::create)),
            (PUT, Manager, Pooled(graphs::alter)),
            (DELETE, Manager, Pooled(graphs::remove)),
        ],
    ),
    graph(&["conf"], &[(GET, Manager, Quick(graphs::conf))]),
    graph(&["mode"], &[(GET, Graph, Quick(graph_modes::mode)), (PUT, Manager, Pooled(graph_modes::set_mode))]),
    graph(
        &["graph_read_mode"],
        &[(GET, Graph, Quick(graph_modes::read_mode)), (PUT, Manager, Pooled(graph_modes::set_read_mode))],
    ),
    graph(&["limits"], &[(GET, Graph, Quick(graph_limits::show)), (PUT, Admin, Pooled(graph_limits::set))]),
    graph(&["clear"], &[(DELETE, Manager, Pooled(graphs::clear))]),
    graph(&["graph", "vertices", "olap", "batch"], &[(PUT, User, Never(OLAP))]),
    graph(
        &["jobs", "rebuild", "vertexlabels", "{name}"],
        &[(PUT, Whole(Write, IndexLabel), Pooled(index_labels::rebuild_vertex_label))],
    ),
    graph(
        &["jobs", "rebuild", "edgelabels", "{name}"],
        &[(PUT, Whole(Write, IndexLabel), Pooled(index_labels::rebuild_edge_label))],
    ),
    graph(
        &["jobs", "rebuild", "indexlabels", "{name}"],
        &[(PUT, Whole(Write, IndexLabel), Pooled(index_labels::rebuild))],
    ),
    graph(&["jobs", "algorithm", "{name}"], &[(POST, ANY_VERTEX, Pooled(algorithms::start))]),
    graph(&["jobs", "computer", "{name}"], &[(POST, ANY_VERTEX, Pooled(algorithms::start_computer))]),
    graph(&["jobs", "computerdis"], &[(POST, User, Never(CLUSTER))]),
    graph(&["jobs", "gremlin"], &[(POST, Part(Execute, Gremlin), Pooled(gremlin::start_job))]),
    graph(&["jobs", "cypher"], &[(POST, Part(Execute, Gremlin), Pooled(cypher::start_job))]),
    graph(&["queries"], &[(GET, Graph, Quick(gremlin::running))]),
    graph(&["queries", "{id}"], &[(DELETE, Graph, Quick(gremlin::kill))]),
    graph(&["jobs", "{*}"], NOT_YET),
    graph(&["variables"], &[(GET, Whole(Read, Var), Pooled(variables::list))]),
    graph(
        &["variables", "{name}"],
        &[
            (GET, Whole(Read, Var), Quick(variables::get)),
            (PUT, Whole(Write, Var), Pooled(variables::set)),
            (DELETE, Whole(Delete, Var), Pooled(variables::delete)),
        ],
    ),
    graph(
        &["cypher"],
        &[(GET, Part(Execute, Gremlin), Pooled(cypher::get)), (POST, Part(Execute, Gremlin), Pooled(cypher::post))],
    ),
    graph(&["snapshot_create"], &[(PUT, Manager, Unhurried(graphs::create_snapshot))]),
    graph(&["snapshot_resume"], &[(PUT, Manager, Unhurried(graphs::resume_snapshot))]),
    graph(&["compact"], &[(PUT, Manager, Unhurried(graphs::compact))]),
    graph(&["raft", "{*}"], NO_RAFT),
    graph(&["clone"], &[(POST, User, Never("POST {G}?clone_graph_name=SOURCE does it"))]),
    graph(&["default"], &[(GET, User, Never(graphs::DEFAULT_IS_SET))]),
    graph(&["undefault"], &[(GET, User, Never(graphs::DEFAULT_IS_SET))]),
    space(&["graphs"], &[(GET, User, Quick(graphs::list))]),
    space(&["graphs", "profile"], &[(GET, User, Pooled(graphs::profile))]),
    space(&["graphs", "manage"], &[(PUT, Manager, Quick(graphs::manage))]),
    space(&["schematemplates", "{*}"], ONLY_IN_CLIENTS),
    space(&["services", "{*}"], NO_CLUSTER),
    space(&["configs", "{*}"], ONLY_IN_CLIENTS),
    space(&["default"], ONLY_IN_CLIENTS),
    space(&["role"], ONLY_IN_CLIENTS),
    server(&[], &[(GET, User, Quick(versions::root))]),
    server(&["versions"], &[(GET, Open, Quick(versions::versions))]),
    server(&["apis"], &[(GET, User, Quick(versions::apis))]),
    server(&["health"], &[(GET, Open, Quick(health::show))]),
    server(&["ready"], &[(GET, Open, Quick(health::ready))]),
    server(
        &["rhizome", "log-level"],
        &[(GET, Admin, Quick(server_settings::log_level)), (PUT, Admin, Quick(server_settings::set_log_level))],
    ),
    server(&["rhizome", "profile"], &[(GET, Admin, Unhurried(profile::take))]),
    server(&["rhizome", "backups"], &[(GET, Admin, Pooled(backups::list)), (POST, Admin, Pooled(backups::create))]),
    server(&["rhizome", "backups", "restore"], &[(POST, Admin, Pooled(backups::restore))]),
    server(&["rhizome", "freeze"], &[(GET, Admin, Quick(backups::frozen)), (POST, Admin, Pooled(backups::freeze))]),
    server(&["rhizome", "thaw"], &[(POST, Admin, Pooled(backups::thaw))]),
    server(&["metrics"], &[(GET, Anywhere(Read, Metrics), Quick(metrics::all))]),
    server(&["metrics", "system"], &[(GET, Anywhere(Read, Metrics), Quick(metrics::system))]),
    server(&["metrics", "backend"], &[(GET, Anywhere(Read, Metrics), Quick(metrics::backend))]),
    server(&["metrics", "statistics"], &[(GET, Anywhere(Read, Metrics), Quick(metrics::statistics))]),
    server(&["metrics", "{group}"], &[(GET, Anywhere(Read, Metrics), Quick(metrics::group))]),
    server(&["graphspaces"], &[(GET, User, Quick(graph_spaces::list)), (POST, Manager, Quick(graph_spaces::refuse))]),
    server(&["graphspaces", "profile"], &[(GET, User, Quick(graph_spaces::profile))]),
    server(&["graphspaces", "default"], ONLY_IN_CLIENTS),
    server(
        &["graphspaces", "{space}"],
        &[
            (GET, User, Quick(graph_spaces::get)),
            (PUT, Manager, Quick(graph_spaces::refuse)),
            (DELETE, Manager, Quick(graph_spaces::refuse)),
        ],
    ),
    server(&["gremlin"], &[(GET, User, Handler::Read(gremlin::get)), (POST, User, Handler::Read(gremlin::post))]),
    server(&["openapi.json"], &[(GET, Open, Quick(api_document::show))]),
    server(&["swagger-ui", "{*}"], &[(GET, Open, Quick(api_document::page))]),
    server(
        &["exception", "trace"],
        &[(GET, Admin, Quick(server_settings::trace)), (PUT, Admin, Quick(server_settings::set_trace))],
    ),
    server(
        &["whiteiplist"],
        &[
            (GET, Admin, Quick(server_settings::white_list)),
            (POST, Admin, Quick(server_settings::change_white_list)),
            (PUT, Admin, Quick(server_settings::switch_white_list)),
        ],
    ),
    server(&["arthas"], &[(PUT, User, Never("it diagnoses a Java process, and this is none"))]),
    server(&["pd", "{*}"], NO_CLUSTER),
    server(&["hstore", "{*}"], NO_CLUSTER),
    server(&["kvstore", "{*}"], NO_CLUSTER),
    server(&["vermeer", "{*}"], NO_CLUSTER),
    server(&["schematemplates", "{*}"], ONLY_IN_CLIENTS),
    server(&["test", "panic"], &[(GET, User, Quick(testing::panic)), (POST, User, Pooled(testing::panic))]),
    graph(&["test", "sleep"], &[(GET, User, Pooled(testing::sleep)), (POST, User, Pooled(testing::sleep))]),
    graph(
        &["test", "hold"],
        &[
            (GET, User, Pooled(testing::hold)),
            (POST, User, Pooled(testing::hold)),
            (PUT, User, Quick(testing::release)),
        ],
    ),
];

/// All routes.
fn routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().chain(traversers::all().map(|traverser| &traverser.route)).chain(users::ROUTES)
}

/// What `/openapi.json` says about each endpoint, with the name of its area.
pub(crate) fn operations() -> impl Iterator<Item = (&'static str, &'static Operation)> {
    let of_traversers = traversers::all().flat_map(|traverser| traverser.operations);
    rest_description::operations().chain(of_traversers.map(|operation| (rest_description::TRAVERSERS, operation)))
}

/// What is at an address.
pub(crate) enum Found {
    /// An endpoint, and where the names of the graph and the parameter are among the segments.
    Endpoint { id: EndpointId, access: Access, handler: Handler, scope: Scope, graph_at: usize, param_at: usize },
    /// A route without this method; those it has.
    NoMethod { allow: String },
    /// A graph space that does not exist.
    NoSpace,
    /// Nothing.
    Nothing,
}

/// Finds what is at an address. `HEAD` counts as `GET`.
pub(crate) fn find(address: &Address, method: &Method, test_routes: bool) -> Found {
    let (scope, graph_at, from) = match (address.raw(0), address.len()) {
        ("auth", _) => (Scope::Space, 0, 0),
        // Where clients up to 1.5 look for users: the graph has no meaning there.
        ("graphs", 4..) if address.raw(2) == "auth" => (Scope::Space, 0, 2),
        ("graphspaces", 6..) if address.raw(2) == "graphs" && address.raw(4) == "auth" => (Scope::Space, 0, 4),
        ("graphs", 1) => (Scope::Space, 0, 0),
        ("graphs", 2) if graphs::is_reserved(address.raw(1)) => (Scope::Space, 0, 0),
        ("graphs", _) => (Scope::Graph, 1, 2),
        ("graphspaces", 3) => (Scope::Space, 0, 2),
        ("graphspaces", 4) if address.raw(2) == "graphs" && graphs::is_reserved(address.raw(3)) => (Scope::Space, 0, 2),
        ("graphspaces", 4..) if address.raw(2) == "graphs" => (Scope::Graph, 3, 4),
        ("graphspaces", 4..) => (Scope::Space, 0, 2),
        _ => (Scope::Server, 0, 0),
    };
    if address.raw(0) == "graphspaces" && scope != Scope::Server && address.raw(1) != DEFAULT_SPACE {
        return Found::NoSpace;
    }
    let fits = |route: &Route| route.scope == scope && fits(route.path, address, from);
    let mut first = 0;
    let found = routes().find(|route| {
        let fits = fits(route);
        if !fits {
            first += route.endpoints.len();
        }
        fits
    });
    let Some(route) = found else { return Found::Nothing };
    if route.is_for_tests() && !test_routes {
        return Found::Nothing;
    }
    let wanted = if *method == Method::HEAD { &GET } else { method };
    match route.endpoints.iter().enumerate().find(|(_, (method, ..))| method == wanted) {
        Some((endpoint, (_, access, handler))) => Found::Endpoint {
            id: EndpointId(first + endpoint),
            access: *access,
            handler: *handler,
            scope,
            graph_at,
            param_at: address.len().saturating_sub(1),
        },
        None => {
            let names: Vec<&str> = route.endpoints.iter().map(|(method, ..)| method.as_str()).collect();
            Found::NoMethod { allow: names.join(", ") }
        }
    }
}

/// Everything that there is, as data, in the order of the routes.
pub(crate) fn directory() -> Directory {
    let described = |method: &Method, template: &str| {
        operations().find(|(_, operation)| operation.template == template && operation.method == method.as_str())
    };
    let endpoints = routes().flat_map(|route| {
        route.endpoints.iter().map(move |(method, access, handler)| {
            let template = route.template();
            let described = described(method, &template);
            let (class, adds) = (watch::class_of(route, method), watch::adds(route, method, *access));
            let watched = (class, adds, *access == Open);
            Endpoint::new(method, template, route.path, route.state(*handler), described, watched)
        })
    });
    Directory::new(endpoints.collect())
}

fn fits(pattern: &[&str], address: &Address, from: usize) -> bool {
    let given = address.len() - from;
    if let Some((&"{*}", before)) = pattern.split_last() {
        return given >= before.len() && begins(before, address, from);
    }
    given == pattern.len() && begins(pattern, address, from)
}

fn begins(pattern: &[&str], address: &Address, from: usize) -> bool {
    pattern.iter().enumerate().all(|(at, part)| part.starts_with('{') || *part == address.raw(from + at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str) -> Option<(String, String)> {
        let address = Address::new(path.parse().unwrap());
        match find(&address, &GET, false) {
            Found::Endpoint { id, graph_at, .. } => {
                Some((directory().get(id).unwrap().template.clone(), address.raw(graph_at).to_owned()))
            }
            _ => None,
        }
    }

    #[test]
    fn both_layouts_lead_to_the_same_route() {
        for path in
            ["/graphs/g/graph/vertices/%22a%2Fb%22", "/graphspaces/DEFAULT/graphs/g/graph/vertices/%22a%2Fb%22/"]
        {
            let expected = ("{G}/graph/vertices/{id}".to_owned(), "g".to_owned());
            assert_eq!(found(path), Some(expected));
        }
        assert_eq!(found("/graphspaces/DEFAULT/graphs").unwrap().0, "{S}/graphs");
        assert_eq!(found("/graphs/").unwrap().0, "{S}/graphs");
        assert_eq!(found("/graphs/g").unwrap().0, "{G}");
        assert_eq!(found("/graphspaces/DEFAULT").unwrap().0, "/graphspaces/{space}");
        assert_eq!(found("/").unwrap().0, "/");
        assert_eq!(found("/metrics/?type=json").unwrap().0, "/metrics");
    }

    #[test]
    fn what_is_not_there_is_told_apart() {
        let find = |path: &str, method: &Method| find(&Address::new(path.parse().unwrap()), method, false);
        assert!(matches!(find("/graphspaces/other/graphs/g/mode", &GET), Found::NoSpace));
        assert!(matches!(find("/nosuch", &GET), Found::Nothing));
        assert!(matches!(find("/graphs/g/graph/vertices/1/2", &GET), Found::Nothing));
        assert!(matches!(find("/test/panic", &GET), Found::Nothing));
        assert!(matches!(find("/graphs/g/mode", &Method::PATCH), Found::NoMethod { allow } if allow == "GET, PUT"));
        assert!(matches!(find("/graphs/g/traversers/nosuch", &GET), Found::Nothing));
    }

    #[test]
    fn no_route_hides_another() {
        let directory = directory();
        let mut first = 0;
        for route in routes() {
            let scope = match route.scope {
                Scope::Server => "",
                Scope::Space => "graphspaces/DEFAULT/",
                Scope::Graph => "graphs/g/",
            };
            let path = route.path.join("/").replace(['{', '}', '*'], "x");
            let address = Address::new(format!("/{scope}{path}").parse().unwrap());
            let Found::Endpoint { id, .. } = find(&address, &route.endpoints[0].0, true) else {
                panic!("{path} is not found")
            };
            assert_eq!(id, EndpointId(first), "{path} is taken by {}", directory.get(id).unwrap().template);
            first += route.endpoints.len();
        }
    }
}
