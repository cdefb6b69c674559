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
