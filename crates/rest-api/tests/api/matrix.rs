//! Which endpoint lets whom in: every one that `/apis` lists, by every kind of caller, in all layouts. An endpoint that
//! no rule here is about fails the test, so that a new one is decided about.

use serde_json::{Value, json};

use crate::server::Server;
use crate::users::{add_user, grant};

/// Callers apart from the administrator, who may do everything.
const CALLERS: [&str; 5] = ["norole", "reader", "writer", "schema", "boss"];

/// Everybody who is known.
const KNOWN: &[&str] = &CALLERS;
/// Who has any right on the graph.
const ON_GRAPH: &[&str] = &["reader", "writer", "schema", "boss"];
const READERS: &[&str] = &["reader", "writer", "boss"];
const WRITERS: &[&str] = &["writer", "boss"];
const SCHEMA: &[&str] = &["schema", "boss"];
const MANAGERS: &[&str] = &["boss"];
const ADMINS: &[&str] = &[];

/// What is open to who shows nothing.
const OPEN: [&str; 5] = ["GET /versions", "GET /health", "GET /ready", "GET /openapi.json", "POST {S}/auth/login"];

/// Method and address, either of which may end in `*`, and who is let in. The first that fits counts.
const RULES: &[(&str, &str, &[&str])] = &[
    ("*", "{G}/graph/*", WRITERS),
    ("*", "{G}/traversers/*", READERS),
    ("GET", "{G}/schema*", ON_GRAPH),
    ("*", "{G}/schema/*", SCHEMA),
    ("GET", "{G}/tasks*", READERS),
    ("*", "{G}/tasks*", WRITERS),
    ("GET", "{G}/variables*", READERS),
    ("*", "{G}/variables*", WRITERS),
    ("*", "{G}/jobs/rebuild/*", SCHEMA),
    ("*", "{G}/jobs/*", WRITERS),
    ("*", "{G}/cypher", WRITERS),
    ("*", "{G}/queries*", ON_GRAPH),
    ("GET", "{G}/mode", ON_GRAPH),
    ("GET", "{G}/limits", ON_GRAPH),
    ("PUT", "{G}/limits", ADMINS),
    ("GET", "{G}/graph_read_mode", ON_GRAPH),
    ("GET", "{G}", ON_GRAPH),
    ("*", "{G}", MANAGERS),
    ("GET", "{G}/conf", MANAGERS),
    ("PUT", "{G}/mode", MANAGERS),
    ("PUT", "{G}/graph_read_mode", MANAGERS),
    ("DELETE", "{G}/clear", MANAGERS),
    ("PUT", "{G}/snapshot_*", MANAGERS),
    ("PUT", "{G}/compact", MANAGERS),
    ("GET", "{S}/graphs*", KNOWN),
    ("PUT", "{S}/graphs/manage", MANAGERS),
    ("*", "{S}/auth/login", KNOWN),
    ("*", "{S}/auth/logout", KNOWN),
    ("GET", "{S}/auth/verify", KNOWN),
    ("GET", "{S}/auth/can-i", KNOWN),
    ("*", "{S}/auth/keys*", KNOWN),
    ("GET", "{S}/auth/managers/check", KNOWN),
    ("GET", "{S}/auth/managers/role", KNOWN),
    ("PUT", "{S}/auth/rotate-token-keys", ADMINS),
    ("*", "{S}/auth/managers", MANAGERS),
    ("*", "{S}/auth/users*", MANAGERS),
    ("*", "{S}/auth/groups*", MANAGERS),
    ("*", "{S}/auth/targets*", MANAGERS),
    ("*", "{S}/auth/belongs*", MANAGERS),
    ("*", "{S}/auth/accesses*", MANAGERS),
    ("*", "{S}/auth/projects*", MANAGERS),
    ("*", "/gremlin", WRITERS),
    ("GET", "/", KNOWN),
    ("GET", "/apis", KNOWN),
    ("GET", "/versions", KNOWN),
    ("GET", "/health", KNOWN),
    ("GET", "/ready", KNOWN),
    ("*", "/rhizome/backups*", ADMINS),
    ("*", "/rhizome/freeze", ADMINS),
    ("POST", "/rhizome/thaw", ADMINS),
    ("*", "/rhizome/log-level", ADMINS),
    ("GET", "/rhizome/profile", ADMINS),
    ("GET", "/openapi.json", KNOWN),
    ("GET", "/swagger-ui/*", KNOWN),
    ("GET", "/metrics*", MANAGERS),
    ("GET", "/graphspaces*", KNOWN),
    ("*", "/graphspaces*", MANAGERS),
    ("*", "/exception/trace", ADMINS),
    ("*", "/whiteiplist", ADMINS),
];

fn fits(pattern: &str, text: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == text, |start| text.starts_with(start))
}

/// Who is let in.
fn rule(method: &str, template: &str) -> &'static [&'static str] {
    if method == "GET" && template.starts_with("{G}/graph/") {
        return READERS;
    }
    let found = RULES.iter().find(|(of, pattern, _)| fits(of, method) && fits(pattern, template));
    found.map(|(_, _, who)| *who).unwrap_or_else(|| undecided(method, template))
}

#[expect(clippy::panic, reason = "test code")]
fn undecided(method: &str, template: &str) -> ! {
    panic!("{method} {template} is not in RULES: say there who may call it")
}

/// Every endpoint that answers, as the server lists them.
fn endpoints(server: &Server) -> Vec<(String, String)> {
    let apis = server.ask("admin", "GET", "/apis", "").json();
    let groups = apis["apis"].as_object().unwrap().values().flat_map(|group| group.as_object().unwrap().values());
    let each = groups.flat_map(|entries| entries.as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    each.map(|entry| (text(&entry["method"]), text(&entry["url"]))).collect()
}

/// The addresses of a template, in all layouts.
fn addresses(template: &str) -> Vec<String> {
    let prefixes: &[(&str, &str)] = match template.split('/').next() {
        Some("{G}") => &[("{G}", "/graphs/hugegraph"), ("{G}", "/graphspaces/DEFAULT/graphs/hugegraph")],
        Some("{S}") if template.starts_with("{S}/auth") => {
            &[("{S}", ""), ("{S}", "/graphspaces/DEFAULT"), ("{S}", "/graphs/hugegraph")]
        }
        Some("{S}") => &[("{S}", ""), ("{S}", "/graphspaces/DEFAULT")],
        _ => &[("", "")],
    };
    let element = if template.contains("/vertices/{id}") { "%22nosuch%22" } else { "nosuch" };
    let fixed = [("{space}", "DEFAULT"), ("{group}", "server"), ("{id}", element), ("{name}", "nosuch"), ("{*}", "x")];
    let mut filled = fixed.iter().fold(template.to_owned(), |path, (from, to)| path.replace(from, to));
    if template == "/gremlin" {
        filled.push_str("?gremlin=g.V().limit(1)");
    }
    prefixes.iter().map(|(from, to)| filled.replacen(from, to, 1)).collect()
}

fn body(method: &str, template: &str) -> &'static str {
    match (method, template) {
        ("POST", "/gremlin") => r#"{"gremlin":"g.V().limit(1)"}"#,
        ("POST", "{G}/jobs/gremlin") => r#"{"gremlin":"g.V().limit(1)","aliases":{}}"#,
        ("POST", "{G}/cypher" | "{G}/jobs/cypher") => "RETURN 1",
        ("POST" | "PUT", _) => "{}",
        _ => "",
    }
}

#[test]
fn every_endpoint_lets_in_whom_it_says() {
    let server = Server::with_users();
    for user in CALLERS {
        add_user(&server, user);
    }
    let all = |kinds: &[&str]| kinds.iter().map(|kind| json!({ "type": kind })).collect::<Value>();
    grant(&server, "reader", "READ", "hugegraph", &all(&["ALL"]));
    for permission in ["READ", "WRITE", "DELETE", "EXECUTE"] {
        grant(&server, "writer", permission, "hugegraph", &all(&["VERTEX", "EDGE", "VAR", "TASK", "GREMLIN"]));
        grant(&server, "schema", permission, "hugegraph", &all(&["SCHEMA"]));
    }
    let manager = json!({ "user": "boss", "type": "SPACE" }).to_string();
    assert_eq!(server.ask("admin", "POST", "/auth/managers", &manager).status, 201);
    let endpoints = endpoints(&server);
    assert!(endpoints.len() > 150, "{}", endpoints.len());
    let mut wrong = Vec::new();
    for (method, template) in &endpoints {
        let (may, body) = (rule(method, template), body(method, template));
        let is_open = OPEN.contains(&&*format!("{method} {template}")) || template.starts_with("/swagger-ui");
        for path in addresses(template) {
            let strangers: [&[(&str, &str)]; 2] = [
                &[("Content-Type", "application/json")],
                &[("Content-Type", "application/json"), ("Authorization", "Bearer rz_no_such")],
            ];
            for headers in strangers {
                let status = server.send(method, &path, headers, body.as_bytes()).status;
                if (status == 401) == is_open {
                    wrong.push(format!("{method} {path} without credentials, or with wrong ones: {status}"));
                }
            }
            for user in CALLERS.into_iter().chain(["admin"]) {
                let answer = server.ask(user, method, &path, body);
                let expected = user == "admin" || may.contains(&user);
                if (answer.status != 403) != expected || (answer.status == 401 && !is_open) {
                    wrong.push(format!("{method} {path} as {user}: {} {}", answer.status, answer.text()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is there and what is not is nobody's business who has not said who it is.
#[test]
fn unknown_methods_and_addresses_are_never_open() {
    let server = Server::with_users();
    let mut templates: Vec<String> = endpoints(&server).into_iter().map(|(_, template)| template).collect();
    templates.sort();
    templates.dedup();
    for template in templates {
        for path in addresses(&template) {
            for (method, path) in [("PATCH", path.clone()), ("OPTIONS", path.clone()), ("GET", format!("{path}/x/y/z"))]
            {
                let status = server.send(method, &path, &[], b"").status;
                assert!(status == 401 || template.starts_with("/swagger-ui"), "{method} {path}: {status}");
            }
        }
    }
}
