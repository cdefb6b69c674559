//! Who is let in where: every address of the crate, by every kind of caller.

use serde_json::{Value, json};

use crate::server::{GRAPH, Server};

/// Callers apart from the administrator, who may do everything.
const CALLERS: [&str; 4] = ["norole", "reader", "writer", "boss"];
const KNOWN: &[&str] = &CALLERS;
const READERS: &[&str] = &["reader", "writer", "boss"];
const WRITERS: &[&str] = &["writer", "boss"];
const MANAGERS: &[&str] = &["boss"];
const ADMINS: &[&str] = &[];

/// Method, address, and who is let in.
const RULES: &[(&str, &str, &[&str])] = &[
    ("POST", "/rhizome/gremlin/check", KNOWN),
    ("GET", "/rhizome/queries/slow", READERS),
    ("GET", "/rhizome/documents", READERS),
    ("GET", "/rhizome/document", READERS),
    ("PUT", "/rhizome/document", WRITERS),
    ("DELETE", "/rhizome/document", WRITERS),
    ("GET", "/rhizome/metrics/series", MANAGERS),
    ("GET", "/rhizome/load-tests", ADMINS),
    ("POST", "/rhizome/load-tests", ADMINS),
    ("DELETE", "/rhizome/load-tests", ADMINS),
    ("GET", "/rhizome/load-tests/report", ADMINS),
];

/// What is open to who shows nothing. Sessions have tests of their own.
const OPEN: [(&str, &str); 2] = [("GET", "/rhizome/openapi.json"), ("GET", "/rhizome/session")];
const LOGINS: [(&str, &str); 2] = [("POST", "/rhizome/session"), ("DELETE", "/rhizome/session")];

fn path(method: &str, template: &str) -> String {
    // Another one for each method, so that none depends on the order.
    let name = method.to_lowercase();
    match template {
        "/rhizome/queries/slow" => format!("{template}?graph={GRAPH}"),
        "/rhizome/documents" => format!("{template}?graph={GRAPH}&kind=scene"),
        "/rhizome/document" => format!("{template}?graph={GRAPH}&kind=scene&name={name}"),
        _ => template.to_owned(),
    }
}

fn make(server: &Server, path: &str, body: &Value) -> String {
    let made = server.ask("admin", "POST", path, &body.to_string());
    assert_eq!(made.status, 201, "{path}: {}", made.body);
    made.json()["id"].as_str().unwrap_or_default().to_owned()
}

fn grant(server: &Server, user: &str, permissions: &[&str]) {
    let group = make(server, "/auth/groups", &json!({ "group_name": format!("of_{user}") }));
    let target = json!({
        "target_name": format!("of_{user}"), "target_graph": GRAPH, "target_url": "127.0.0.1",
        "target_resources": [{ "type": "VAR" }],
    });
    let target = make(server, "/auth/targets", &target);
    let of_user = server.ask("admin", "GET", "/auth/users?limit=-1", "").json();
    let users = of_user["users"].as_array().unwrap();
    let id = users.iter().find(|one| one["user_name"] == user).unwrap()["id"].clone();
    make(server, "/auth/belongs", &json!({ "user": id, "group": group }));
    for permission in permissions {
        make(server, "/auth/accesses", &json!({ "group": group, "target": target, "access_permission": permission }));
    }
}

#[test]
fn every_address_lets_in_whom_it_says() {
    let server = Server::with(true, false, true);
    for user in CALLERS {
        make(&server, "/auth/users", &json!({ "user_name": user, "user_password": user }));
    }
    grant(&server, "reader", &["READ"]);
    grant(&server, "writer", &["READ", "WRITE", "DELETE"]);
    make(&server, "/auth/managers", &json!({ "user": "boss", "type": "SPACE" }));
    let described = server.ask("", "GET", "/rhizome/openapi.json", "").json();
    let mut wrong = Vec::new();
    for (template, methods) in described["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|key| *key != "servers" && *key != "parameters") {
            let method = method.to_uppercase();
            let (method, at) = (method.as_str(), path(&method, template));
            if LOGINS.contains(&(method, template.as_str())) {
                continue;
            }
            let body = match (method, template.as_str()) {
                ("POST", "/rhizome/gremlin/check") => r#"{"gremlin":"g.V()"}"#,
                ("PUT", _) => r#"{"content":1}"#,
                ("POST", _) => "{}",
                _ => "",
            };
            if OPEN.contains(&(method, template.as_str())) {
                assert_eq!(server.ask("", method, &at, body).status, 200, "{method} {at}");
                continue;
            }
            let rule = RULES.iter().find(|(of, known, _)| *of == method && *known == template);
            let (_, _, may) = rule.unwrap_or_else(|| undecided(method, template));
            let status = server.ask("", method, &at, body).status;
            if status != 401 {
                wrong.push(format!("{method} {at} without credentials: {status}"));
            }
            for user in CALLERS.into_iter().chain(["admin"]) {
                let answer = server.ask(user, method, &at, body);
                let expected = user == "admin" || may.contains(&user);
                if (answer.status != 403) != expected || answer.status == 401 || answer.status >= 500 {
                    wrong.push(format!("{method} {at} as {user}: {} {}", answer.status, answer.body));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[expect(clippy::panic, reason = "test code")]
fn undecided(method: &str, template: &str) -> ! {
    panic!("{method} {template} is not in RULES: say there who may call it")
}
