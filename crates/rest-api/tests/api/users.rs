//! Logins, users and rights as clients see them, and which endpoint lets whom in.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::server::{ADMIN_PASSWORD, Answer, G, Server};

/// Makes a user whose password is its name.
pub(crate) fn add_user(server: &Server, name: &str) {
    let body = json!({ "user_name": name, "user_password": name }).to_string();
    let made = server.ask("admin", "POST", "/auth/users", &body);
    assert_eq!(made.status, 201, "{}", made.text());
}

/// Gives a user a right to resources of a graph, through a group and a target of their own; returns the right's id.
pub(crate) fn grant(server: &Server, user: &str, permission: &str, graph: &str, resources: &Value) -> String {
    let made = |path: &str, body: &Value| {
        let made = server.ask("admin", "POST", path, &body.to_string());
        assert_eq!(made.status, 201, "{}", made.text());
        made.json()["id"].as_str().unwrap().to_owned()
    };
    let groups = server.ask("admin", "GET", "/auth/groups?limit=-1", "").json();
    let name = format!("{user}-{}", groups["groups"].as_array().unwrap().len());
    let group = made("/auth/groups", &json!({ "group_name": name }));
    let target = json!({
        "target_name": name, "target_graph": graph, "target_url": "x", "target_resources": resources,
    });
    let target = made("/graphspaces/DEFAULT/auth/targets", &target);
    made("/auth/belongs", &json!({ "user": format!("-31:{user}"), "group": group }));
    made("/auth/accesses", &json!({ "group": group, "target": target, "access_permission": permission }))
}

fn is(answer: &Answer, status: u16, class: &str, message: &str) {
    assert_eq!((answer.status, answer.class().as_str()), (status, class), "{}", answer.text());
    let found = answer.json()["message"].as_str().unwrap_or_default().to_owned();
    assert!(found.contains(message), "{found}");
}

#[test]
fn credentials_are_asked_for_but_at_what_is_open() {
    let server = Server::with_users();
    for path in ["/versions", "/openapi.json", "/health", "/ready", "/swagger-ui/"] {
        assert!(server.get(path).status < 400, "{path}");
    }
    let closed = ["/", "/apis", "/metrics", "/graphs", "/nosuch", "/nosuch/auth/login", "/auth/users", "/auth/verify"];
    for path in closed.into_iter().chain([G, "/graphs/nosuch", "/graphs/hugegraph/graph/vertices", "/graphs/versions"])
    {
        for method in ["GET", "POST", "PATCH"] {
            let answer = server.send(method, path, &[], b"");
            is(&answer, 401, "jakarta.ws.rs.NotAuthorizedException", "Authentication credentials are required");
            assert_eq!(answer.header("www-authenticate"), Some("Basic realm=\"rhizome\", charset=\"UTF-8\""));
        }
    }
    for (shown, message) in [
        ("Digest x", "Only HTTP Basic or Bearer authentication is supported"),
        ("Basic eA==", "Invalid syntax for username and password"),
    ] {
        let answer = server.send("GET", "/graphs", &[("Authorization", shown)], b"");
        is(&answer, 400, "jakarta.ws.rs.BadRequestException", message);
    }
    for shown in ["Basic YWRtaW46d3Jvbmc=", "Basic bm9ib2R5Ondyb25n", "Bearer a.b.c", "Bearer rz_a_b"] {
        let answer = server.send("GET", "/graphs", &[("Authorization", shown)], b"");
        is(&answer, 401, "jakarta.ws.rs.NotAuthorizedException", "Authentication failed");
    }
    assert_eq!(server.ask("admin", "GET", "/graphs", "").json(), json!({ "graphs": ["hugegraph"] }));
    assert_eq!(server.ask("admin", "GET", "/nosuch", "").status, 404);
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

/// Sends wrong passwords of a user from several connections at one time; how many were denied, and how many were told
/// to wait.
fn guess(server: &Server, user: &str, guesses: usize) -> (usize, usize) {
    let threads = 8;
    let ask = |at: usize| {
        let shown = basic(user, &format!("wrong {at}"));
        server.send("GET", "/graphs", &[("Authorization", shown.as_str())], b"")
    };
    let ask_some = |first: usize| (first..guesses).step_by(threads).map(ask).collect::<Vec<_>>();
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..threads).map(|first| scope.spawn(move || ask_some(first))).collect();
        asking.into_iter().flat_map(|asked| asked.join().unwrap()).collect()
    });
    let (denied, later): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 401);
    for answer in &denied {
        is(answer, 401, "jakarta.ws.rs.NotAuthorizedException", "Authentication failed");
    }
    for answer in &later {
        let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!(answer.status == 429 && (1..=30).contains(&wait), "{} {wait}", answer.status);
    }
    (denied.len(), later.len())
}

#[test]
fn a_thousand_wrong_passwords_delay_who_guesses_and_nobody_else() {
    let server = Server::with_users();
    for user in ["bob", "alice"] {
        add_user(&server, user);
    }
    assert_eq!(server.ask("bob", "GET", "/graphs", "").status, 200);
    let (denied, later) = guess(&server, "bob", 1_000);
    assert_eq!(denied + later, 1_000);
    // Five are free, and some were on their way when the fifth had failed.
    assert!(denied <= 30, "{denied} passwords were looked at");
    // One that is known is, and so is everybody else.
    assert_eq!(server.ask("bob", "GET", "/graphs", "").status, 200);
    assert_eq!(server.ask("alice", "GET", "/graphs", "").status, 200);
    let (denied, _) = guess(&server, "nobody", 100);
    assert!(denied <= 30, "who is not there is not told apart: {denied}");
    // The administrator gets in from the machine itself, with a password that was not seen before.
    let changed = json!({ "user_password": "another" }).to_string();
    assert_eq!(server.ask("admin", "PUT", "/auth/users/admin", &changed).status, 200);
    guess(&server, "admin", 1_000);
    let began = std::time::Instant::now();
    let shown = basic("admin", "another");
    let login = [("Authorization", shown.as_str())];
    crate::server::wait_until("the administrator is let in", || {
        server.send("GET", "/graphs", &login, b"").status == 200
    });
    assert!(began.elapsed() < std::time::Duration::from_secs(3), "{:?}", began.elapsed());
}

#[test]
fn a_token_is_given_shown_and_ended() {
    let server = Server::with_users();
    let login = json!({ "user_name": "admin", "user_password": ADMIN_PASSWORD, "token_expire": 10 }).to_string();
    let answer = server.post("/auth/login", &login);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    let bearer = format!("Bearer {token}");
    let verify = || server.send("GET", "/auth/verify", &[("Authorization", &bearer)], b"");
    assert_eq!(verify().json(), json!({ "user_name": "admin", "user_id": "-31:admin" }));
    assert_eq!(server.send("GET", "/graphs", &[("Authorization", &bearer)], b"").status, 200);
    for (method, path) in [("GET", "/auth/verify"), ("DELETE", "/auth/logout")] {
        let message = "Only HTTP Bearer authentication is supported";
        is(&server.ask("admin", method, path, ""), 400, "jakarta.ws.rs.BadRequestException", message);
    }
    assert_eq!(server.send("DELETE", "/graphs/any/auth/logout", &[("Authorization", &bearer)], b"").status, 204);
    assert_eq!(verify().status, 401);
    let wrong = json!({ "user_name": "admin", "user_password": "x" }).to_string();
    let class = "jakarta.ws.rs.NotAuthorizedException";
    is(&server.post("/auth/login", &wrong), 401, class, "Incorrect username or password");
    assert_eq!(server.post("/auth/login", "{}").status, 400);
}

#[test]
fn each_generation_of_clients_reads_its_own_form() {
    let server = Server::with_users();
    add_user(&server, "bob");
    let resources = json!([{ "type": "VERTEX", "label": "person" }, { "type": "GREMLIN" }]);
    grant(&server, "bob", "READ", "hugegraph", &resources);
    let ask = |path: &str| server.ask("admin", "GET", path, "").json();
    let (vertex, gremlin) = (
        json!({ "type": "VERTEX", "label": "person", "properties": null }),
        json!({ "type": "GREMLIN", "label": "*", "properties": null }),
    );
    let map = json!({ "VERTEX#person": [vertex], "GREMLIN": [gremlin] });
    let list = json!([vertex, gremlin]);
    assert_eq!(ask("/graphspaces/DEFAULT/auth/targets")["targets"][0]["target_resources"], map);
    assert_eq!(ask("/auth/targets")["targets"][0]["target_resources"], map);
    assert_eq!(ask("/graphs/x/auth/targets")["targets"][0]["target_resources"], list);
    let new = json!({ "roles": { "DEFAULT": { "hugegraph": { "READ": map } } } });
    assert_eq!(ask("/graphspaces/DEFAULT/auth/users/-31:bob/role"), new);
    assert_eq!(ask("/graphs/x/auth/users/bob/role"), json!({ "roles": { "hugegraph": { "READ": list } } }));
    let user = ask("/auth/users/bob");
    assert_eq!((&user["user_password"], &user["user_creator"]), (&json!("******"), &json!("admin")));
    assert!(user.get("user_phone").is_none());
    assert_eq!(ask("/auth/belongs")["belongs"][0]["link"], "ug");
    assert!(ask("/graphs/x/auth/belongs")["belongs"][0].get("link").is_none());
    assert_eq!(server.ask("admin", "GET", "/graphspaces/other/auth/users", "").status, 404);
    let changed = json!({ "user_password": "******", "user_phone": "1" }).to_string();
    assert_eq!(server.ask("admin", "PUT", "/auth/users/bob", &changed).json()["user_phone"], "1");
    assert_eq!(server.ask("bob", "GET", "/auth/users/bob", "").status, 200, "the password is as it was");
}

#[test]
fn without_users_there_is_nothing_to_change() {
    let server = Server::start();
    for (method, path, body) in [("GET", "/auth/users", ""), ("POST", "/auth/login", "{}"), ("GET", "/auth/can-i", "")]
    {
        let answer = server.ask("admin", method, path, body);
        is(&answer, 500, "java.lang.IllegalStateException", "Unconfigured authenticator");
    }
}

#[test]
fn what_one_may_do_can_be_asked_and_ends_with_the_right() {
    let server = Server::with_users();
    add_user(&server, "bob");
    let right = grant(&server, "bob", "READ", "hugegraph", &json!([{ "type": "VERTEX", "label": "person" }]));
    let can = |query: &str| {
        let answer = server.ask("bob", "GET", &format!("/auth/can-i?{query}"), "").json();
        (answer["allowed"].as_bool().unwrap(), answer["extent"].as_str().unwrap().to_owned())
    };
    assert_eq!(can("permission=READ&type=VERTEX"), (false, "part".to_owned()));
    assert_eq!(can("permission=READ&type=VERTEX&label=person"), (true, "all".to_owned()));
    assert_eq!(can("permission=WRITE&type=VERTEX"), (false, "none".to_owned()));
    assert_eq!(server.ask("bob", "GET", "/auth/can-i?permission=X&type=VERTEX", "").status, 400);
    let list = format!("{G}/graph/vertices");
    assert_eq!(server.ask("bob", "GET", &list, "").status, 200);
    assert_eq!(server.ask("admin", "DELETE", &format!("/auth/accesses/{}", right.replace('>', "%3E")), "").status, 204);
    let class = "jakarta.ws.rs.ForbiddenException";
    let message = "Permission denied: read Resource{graphspace=DEFAULT,graph=hugegraph,type=VERTEX,operated=*}";
    is(&server.ask("bob", "GET", &list, ""), 403, class, message);
}

#[test]
fn keys_stand_for_passwords_and_are_taken_back() {
    let server = Server::with_users();
    add_user(&server, "bob");
    grant(&server, "bob", "READ", "hugegraph", &json!([{ "type": "ALL" }]));
    grant(&server, "bob", "WRITE", "hugegraph", &json!([{ "type": "ALL" }]));
    let made = server.ask("bob", "POST", "/auth/keys", r#"{"read_only":true,"key_description":"for a report"}"#);
    assert_eq!(made.status, 201);
    let (id, key) = (made.json()["id"].as_str().unwrap().to_owned(), made.json()["key"].as_str().unwrap().to_owned());
    let bearer = format!("Bearer {key}");
    let ask = |method: &str, path: &str, body: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        server.send(method, path, &headers, body.as_bytes()).status
    };
    assert_eq!(ask("GET", &format!("{G}/graph/vertices"), ""), 200);
    assert_eq!(ask("POST", &format!("{G}/graph/vertices"), "{}"), 403);
    let shown = server.ask("bob", "GET", "/auth/keys", "");
    assert_eq!(shown.json()["keys"][0]["key_description"], "for a report");
    assert!(!shown.text().contains(&key));
    assert_eq!(server.ask("admin", "GET", "/auth/keys", "").json()["keys"], json!([]));
    assert_eq!(server.ask("bob", "DELETE", &format!("/auth/keys/{id}"), "").status, 204);
    assert_eq!(ask("GET", &format!("{G}/graph/vertices"), ""), 401);
}
