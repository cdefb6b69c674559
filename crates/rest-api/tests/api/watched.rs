//! Records, quotas and the disk, as clients meet them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use audit::{Audit, Class, Options};
use serde_json::{Value, json};
use serving::{DiskSpace, Quota, QuotaOptions, Watch};

use crate::server::{G, Limits, Server, wait_until};
use crate::users::{add_user, grant};

fn options(file: &Path) -> Options {
    use Class::{Admin, Denied, Graph, Login, Query, Schema, Users};
    Options {
        file: file.to_owned(),
        classes: vec![Login, Users, Schema, Graph, Admin, Query, Denied],
        file_bytes_max: 1 << 30,
        files_max: 2,
        is_required: false,
        is_chained: true,
        has_query_text: false,
    }
}

fn recorded(file: &Path, count: usize) -> Vec<Value> {
    let mut lines = Vec::new();
    wait_until("the events are written", || {
        let text = std::fs::read_to_string(file).unwrap();
        lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines.len() >= count
    });
    lines
}

fn with_watch(watch: Watch) -> Server {
    Server::with(Limits { has_users: true, watch, ..Limits::default() })
}

/// Class, action, user, graph, target and result.
fn gist(line: &Value) -> String {
    let text = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
    ["class", "action", "user", "graph", "target", "result"].map(text).join("|")
}

#[test]
fn who_did_what_is_recorded_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.log");
    let audit = Audit::open(options(&file)).unwrap();
    let server = with_watch(Watch::new(audit, QuotaOptions::default(), DiskSpace::unwatched()));
    let admin = |method: &str, path: &str, body: &str| server.ask("admin", method, path, body).status;
    add_user(&server, "bob");
    grant(&server, "bob", "READ", "hugegraph", &json!([{ "type": "VERTEX" }]));
    assert_eq!(server.ask("bob", "POST", &format!("{G}/graph/vertices"), r#"{"label":"SECRET-label"}"#).status, 403);
    let login = r#"{"user_name":"bob","user_password":"SECRET-password"}"#;
    assert_eq!(server.post("/auth/login", login).status, 401);
    assert_eq!(server.send("GET", "/graphs", &[("Authorization", "Bearer SECRET-token")], b"").status, 401);
    assert!(admin("POST", &format!("{G}/schema/propertykeys"), r#"{"name":"age","data_type":"INT"}"#) < 300);
    assert_eq!(admin("POST", "/gremlin", r#"{"gremlin":"g.V('SECRET-value').nosuch()"}"#), 400);
    assert_eq!(admin("GET", &format!("{G}/cypher?cypher=RETURN%20'SECRET'"), ""), 200);
    assert_eq!(admin("DELETE", &format!("{G}/clear"), ""), 400);
    assert_eq!(admin("GET", &format!("{G}/graph/vertices"), ""), 200);
    let lines = recorded(&file, 14);
    let gists: Vec<String> = lines.iter().map(gist).collect();
    let expected = [
        "login|authenticate|admin|-|-|ok",
        "users|POST {S}/auth/users|admin|-|bob|ok",
        "users|POST {S}/auth/groups|admin|-|bob-0|ok",
        "users|POST {S}/auth/targets|admin|-|bob-0|ok",
        "users|POST {S}/auth/belongs|admin|-|-31:bob > -37:bob-0|ok",
        "users|POST {S}/auth/accesses|admin|-|-37:bob-0 > READ > -45:bob-0|ok",
        "login|authenticate|bob|-|-|ok",
        "write|POST {G}/graph/vertices|bob|hugegraph|-|denied",
        "login|POST {S}/auth/login|bob|-|-|denied",
        "login|authenticate|-|-|-|denied",
        "schema|POST {G}/schema/propertykeys|admin|hugegraph|age|ok",
        "query|POST /gremlin|admin|-|-|failed",
        "query|GET {G}/cypher|admin|hugegraph|-|ok",
        "graph|DELETE {G}/clear|admin|hugegraph|-|failed",
    ];
    assert_eq!(gists, expected);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("SECRET"), "{text}");
    for line in &lines {
        assert_eq!((&line["address"], &line["protocol"]), (&json!("127.0.0.1"), &json!("rest")), "{line}");
        assert!(line["request"].as_str().is_some_and(|id| !id.is_empty()), "{line}");
    }
    assert_eq!(lines[11]["query_sha256"], audit::query_hash("g.V('SECRET-value').nosuch()"));
    assert_eq!(lines[12]["query_sha256"], audit::query_hash("RETURN 'SECRET'"));
    let headers = [("X-Request-Id", "my-1"), ("Authorization", "Basic Ym9iOmJvYg==")];
    assert_eq!(server.send("GET", &format!("{G}/conf"), &headers, b"").status, 403);
    assert_eq!(recorded(&file, 15)[14]["request"], "my-1");
    assert_eq!(audit::verify(&[file]).unwrap().problem, None);
}

#[test]
fn what_must_be_recorded_and_cannot_is_refused() {
    let options = Options { is_required: true, is_chained: false, ..options(Path::new("/dev/full")) };
    let watch = Watch::new(Audit::open(options).unwrap(), QuotaOptions::default(), DiskSpace::unwatched());
    let server = Server::with(Limits { watch, ..Limits::default() });
    let body = r#"{"name":"age","data_type":"INT"}"#;
    let refused = server.post(&format!("{G}/schema/propertykeys"), body);
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{}", refused.text());
    assert!(refused.text().contains("audit.required"), "{}", refused.text());
    assert_eq!(server.get(&format!("{G}/schema/propertykeys/age")).status, 404, "it was not made");
    assert_eq!(server.get(&format!("{G}/graph/vertices")).status, 200, "reading is not recorded");
}

#[test]
fn a_user_over_its_quota_is_told_when_to_come_again() {
    let user = Quota { requests_per_second: 3, ..Quota::default() };
    let quotas = QuotaOptions { user, exempt_users: vec!["admin".to_owned()], ..QuotaOptions::default() };
    let server = with_watch(Watch::new(Audit::off(), quotas, DiskSpace::unwatched()));
    for user in ["bob", "alice"] {
        add_user(&server, user);
        grant(&server, user, "READ", "hugegraph", &json!([{ "type": "ALL" }]));
        // The password is known from now on.
        assert_eq!(server.ask(user, "GET", "/auth/can-i?permission=READ&type=VERTEX", "").status, 200);
    }
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let path = format!("{G}/graph/vertices");
    let answers: Vec<_> = (0..20).map(|_| server.ask("bob", "GET", &path, "")).collect();
    let over = answers.iter().find(|answer| answer.status == 429).unwrap();
    assert!(answers.iter().take(3).all(|answer| answer.status == 200));
    assert_eq!(over.header("retry-after"), Some("1"));
    assert!(over.text().contains("quotas.user_requests_per_second"), "{}", over.text());
    assert_eq!(server.ask("alice", "GET", &path, "").status, 200, "others are served");
    assert!((0..10).all(|_| server.ask("admin", "GET", &path, "").status == 200));
    assert_eq!(server.get("/versions").status, 200);
}

#[test]
fn a_graph_has_limits_of_its_own() {
    let server = Server::with_users();
    add_user(&server, "bob");
    grant(&server, "bob", "READ", "hugegraph", &json!([{ "type": "ALL" }]));
    let limits = format!("{G}/limits");
    let none = json!({
        "requests_per_second": 0, "bytes_per_second": 0, "running_queries_max": 0, "query_memory_max": 0,
        "traverser_depth_max": 0, "traverser_degree_max": 0, "traverser_capacity_max": 0, "traverser_limit_max": 0,
        "query_timeout_ms": 0, "own": false,
    });
    assert_eq!(server.ask("bob", "GET", &limits, "").json(), none);
    assert_eq!(server.ask("bob", "PUT", &limits, r#"{"requests_per_second":9}"#).status, 403);
    for wrong in [r#"{"requests":3}"#, r#"{"requests_per_second":-1}"#, "[]", "3"] {
        assert_eq!(server.ask("admin", "PUT", &limits, wrong).status, 400, "{wrong}");
    }
    let set = server.ask("admin", "PUT", &limits, r#"{"requests_per_second":3}"#).json();
    assert_eq!((&set["requests_per_second"], &set["own"]), (&json!(3), &json!(true)));
    let list = format!("{G}/graph/vertices");
    let answers: Vec<_> = (0..30).map(|_| server.ask("bob", "GET", &list, "")).collect();
    let over = answers.iter().find(|answer| answer.status == 429).unwrap();
    assert!(answers[..2].iter().all(|answer| answer.status == 200));
    assert!(over.text().contains("requests_per_second of the graph's own limits"), "{}", over.text());
    assert_eq!(server.ask("bob", "GET", "/graphs", "").status, 200, "of this graph only");
    wait_until("the limits are taken back", || server.ask("admin", "PUT", &limits, "{}").status == 200);
    assert_eq!(server.ask("bob", "GET", &limits, "").json(), none);
    assert!((0..30).all(|_| server.ask("bob", "GET", &list, "").status == 200));
}

#[test]
fn a_graph_bounds_the_work_of_one_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.log");
    let audit = Audit::open(options(&file)).unwrap();
    let server = with_watch(Watch::new(audit, QuotaOptions::default(), DiskSpace::unwatched()));
    for (kind, body) in [
        ("schema/propertykeys", r#"{"name":"name"}"#),
        ("schema/vertexlabels", r#"{"name":"person","properties":["name"],"primary_keys":["name"]}"#),
        ("schema/edgelabels", r#"{"name":"knows","source_label":"person","target_label":"person"}"#),
        ("graph/vertices", r#"{"label":"person","properties":{"name":"a"}}"#),
    ] {
        let made = server.ask("admin", "POST", &format!("{G}/{kind}"), body);
        assert!(made.status < 300, "{}", made.text());
    }
    let ask = |method: &str, path: &str, body: &Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = server.ask("admin", method, &format!("{G}/{path}"), &body);
        (answer.status, answer.text())
    };
    let set = |limits: Value| assert_eq!(ask("PUT", "limits", &limits).0, 200, "{limits}");
    let step = |degree: i64| json!({ "direction": "BOTH", "max_degree": degree });
    let k_out = |depth: u64, degree: i64| {
        let steps = json!({ "direction": "BOTH", "max_degree": degree });
        json!({ "source": "1:a", "steps": steps, "max_depth": depth })
    };
    let requests = [
        ("GET", "traversers/kneighbor?source=%221:a%22&max_depth=5", Value::Null, "traverser_depth_max"),
        ("POST", "traversers/kout", k_out(5, 10), "traverser_depth_max"),
        ("POST", "traversers/count", json!({ "source": "1:a", "steps": vec![step(10); 5] }), "traverser_depth_max"),
        ("GET", "traversers/kout?source=%221:a%22&max_depth=1&max_degree=101", Value::Null, "traverser_degree_max"),
        ("GET", "traversers/kout?source=%221:a%22&max_depth=1&max_degree=-1", Value::Null, "traverser_degree_max"),
        ("POST", "traversers/kneighbor", k_out(1, 1_000), "traverser_degree_max"),
        (
            "GET",
            "traversers/shortestpath?source=%221:a%22&target=%221:a%22&max_depth=1&capacity=20000",
            Value::Null,
            "traverser_capacity_max",
        ),
        ("GET", "traversers/rays?source=%221:a%22&max_depth=1&limit=1001", Value::Null, "traverser_limit_max"),
        (
            "POST",
            "traversers/customizedpaths",
            json!({ "sources": { "ids": ["1:a"] }, "steps": [step(100)], "limit": 2_000 }),
            "traverser_limit_max",
        ),
    ];
    for (method, path, body, _) in &requests {
        let (status, text) = ask(method, path, body);
        assert_eq!(status, 200, "{path}: {text}");
    }
    set(json!({
        "traverser_depth_max": 4, "traverser_degree_max": 100, "traverser_capacity_max": 10_000,
        "traverser_limit_max": 1_000,
    }));
    for (method, path, body, limit) in &requests {
        let (status, text) = ask(method, path, body);
        assert!(status == 400 && text.contains(&format!("({limit} of the graph's own limits)")), "{path}: {text}");
    }
    // What is not given is no more than that, and other graphs have no such bounds.
    for path in [
        "traversers/kout?source=%221:a%22&max_depth=4",
        "traversers/shortestpath?source=%221:a%22&target=%221:a%22&max_depth=4",
        "traversers/sameneighbors?vertex=%221:a%22&other=%221:a%22",
    ] {
        let (status, text) = ask("GET", path, &Value::Null);
        assert_eq!(status, 200, "{path}: {text}");
    }
    let (status, text) =
        ask("POST", "traversers/customizedpaths", &json!({ "sources": { "ids": ["1:a"] }, "steps": [{}] }));
    assert_eq!(status, 200, "{text}");

    // The time of queries, whoever asks how: what takes that long is stopped.
    set(json!({ "query_timeout_ms": 30 }));
    let slow = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(b)";
    let gremlin = "g.V().repeat(__.identity()).until(__.has('name', 'nobody'))";
    let in_query = [
        server.ask("admin", "POST", &format!("{G}/cypher"), slow),
        server.ask("admin", "POST", "/gremlin", &json!({ "gremlin": gremlin }).to_string()),
    ];
    for answer in &in_query {
        let text = answer.text();
        assert!(text.contains("30 ms (query_timeout_ms of the graph's own limits)"), "{} {text}", answer.status);
    }
    set(json!({}));
    assert_eq!(ask("GET", "traversers/kneighbor?source=%221:a%22&max_depth=5", &Value::Null).0, 200);
    let change = "graph|PUT {G}/limits|admin|hugegraph|-|ok";
    wait_until("the changes are recorded", || {
        recorded(&file, 3).iter().filter(|line| gist(line) == change).count() == 3
    });
}

static FREE: AtomicU64 = AtomicU64::new(100);

#[test]
fn on_a_disk_that_is_nearly_full_only_what_adds_is_refused() {
    let disk = DiskSpace::measured(PathBuf::new(), 100, |_| Ok((FREE.load(Ordering::Relaxed), 10_000)));
    let server =
        Server::with(Limits { watch: Watch::new(Audit::off(), QuotaOptions::default(), disk), ..Limits::default() });
    server.make_schema();
    let person = |name: &str| json!({ "label": "person", "properties": { "name": name } }).to_string();
    let made = server.post(&format!("{G}/graph/vertices"), &person("a"));
    assert_eq!(made.status, 201, "{}", made.text());
    FREE.store(99, Ordering::Relaxed);
    wait_until("the disk is looked at", || server.post(&format!("{G}/graph/vertices"), &person("a")).status == 507);
    let gremlin = |text: &str| server.post("/gremlin", &json!({ "gremlin": text }).to_string()).status;
    let cypher = |text: &str| server.post(&format!("{G}/cypher"), text).status;
    let refused = server.post(&format!("{G}/graph/vertices"), &person("b"));
    assert!(refused.text().contains("storage.disk_free_min"), "{}", refused.text());
    assert_eq!(server.post(&format!("{G}/schema/propertykeys"), r#"{"name":"x"}"#).status, 507);
    assert_eq!(gremlin("g.addV('person').property('name', 'c')"), 507);
    assert_eq!(cypher("CREATE (:person {name: 'c'})"), 507);
    assert_eq!(cypher("MATCH (n:person) SET n.age = 3"), 507);
    // Reads and deletions go on.
    assert_eq!(server.get(&format!("{G}/graph/vertices")).json()["vertices"].as_array().unwrap().len(), 1);
    assert_eq!(gremlin("g.V().count()"), 200);
    assert_eq!(cypher("MATCH (n:person) WHERE n.name = 'nosuch' DETACH DELETE n"), 200);
    assert_eq!(gremlin("g.V().hasLabel('person').drop()"), 200);
    assert_eq!(server.get(&format!("{G}/graph/vertices")).json()["vertices"], json!([]));
    FREE.store(100, Ordering::Relaxed);
    wait_until("writes go on", || server.post(&format!("{G}/graph/vertices"), &person("b")).status == 201);
}
