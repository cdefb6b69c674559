//! Tokens of an issuer of OpenID Connect, over all protocols.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::run;
use crate::issuer::{AUDIENCE, Issuer, SigningKey, now_s};
use crate::protocols::{Bolt, Gremlin, Http, Login, http};
use crate::{ADMIN_PASSWORD, Guarded, admin, segment};

const LIST: &str = "/graphs/hugegraph/graph/vertices";

fn with_issuer(issuer: &Issuer) -> Guarded {
    with_issuer_and(issuer, &[])
}

fn with_issuer_and(issuer: &Issuer, settings: &[&str]) -> Guarded {
    let (own, audience) = (format!("auth.oidc.issuer={}", issuer.url), format!("auth.oidc.audience={AUDIENCE},other"));
    Guarded::start(&[&[&*own, &*audience], settings].concat())
}

/// The status of each protocol for a token; 0: a connection that was not let in.
fn statuses(guarded: &Guarded, login: &Login) -> Vec<(&'static str, i64)> {
    let server = &guarded.server;
    let list = http(server.rest(), Some(login), "GET", LIST, "").status;
    let gremlin_http = Http::new(&server.gremlin, Some(login)).gremlin("g.V().count()").status;
    let gremlin_rest = Http::new(server.rest(), Some(login)).gremlin("g.V().count()").status;
    let by_header = match Gremlin::open(&server.gremlin, Some(login)) {
        Ok(mut socket) => socket.ask("g.V().count()").0,
        Err(status) => i64::from(status),
    };
    let mut socket = Gremlin::open(&server.gremlin, None).ok().unwrap();
    assert_eq!(socket.ask("g.V().count()").0, 407);
    let by_sasl = socket.log_in(login).0;
    let bolt = match Bolt::open(&server.bolt, login) {
        Ok(mut bolt) => bolt.ask("MATCH (n) RETURN n").map_or(403, |_| 200),
        Err((code, _)) if code == "Neo.ClientError.Security.Unauthorized" => 401,
        Err((code, _)) => panic!("{code}"),
    };
    let query_api = Http::new(server.rest(), Some(login)).cypher("MATCH (n) RETURN n").status;
    vec![
        ("REST", list.into()),
        ("Gremlin over HTTP", gremlin_http.into()),
        ("Gremlin of the API", gremlin_rest.into()),
        ("Gremlin by header", by_header),
        ("Gremlin by SASL", by_sasl),
        ("Bolt", bolt),
        ("Query API", if query_api == 202 { 200 } else { query_api.into() }),
    ]
}

fn assert_all(guarded: &Guarded, what: &str, token: &str, status: i64) {
    for (protocol, found) in statuses(guarded, &Login::token(token)) {
        assert_eq!(found, status, "{what} over {protocol}");
    }
}

#[test]
fn tokens_of_the_issuer_log_in_to_all_protocols() {
    let (issuer, rsa, elliptic) = (Issuer::start(), SigningKey::rsa(), SigningKey::elliptic());
    issuer.publish(&[("r", &rsa), ("e", &elliptic)]);
    let guarded = with_issuer(&issuer);
    let (readers, rights) = guarded.add_readers("readers");
    // A user of the store with the same name is somebody else.
    guarded.add_user("alice", "a password of alice");
    let claims = issuer.claims("alice", &["readers", "nosuch"]);
    let (token, other) = (rsa.token("r", &claims), elliptic.token("e", &claims));
    assert_all(&guarded, "a token by RSA", &token, 200);
    assert_all(&guarded, "a token by an elliptic curve", &other, 200);
    let ask = |token: &str, method: &str, path: &str, body: &str| {
        http(guarded.server.rest(), Some(&Login::token(token)), method, path, body)
    };
    assert_eq!(ask(&token, "GET", "/auth/verify", "").json()["user_name"], "oidc:alice");

    // Rights are those of the groups; the name gives none, nor does the name of a group that is not there.
    let nobody = rsa.token("r", &issuer.claims("bob", &[]));
    assert_all(&guarded, "a token without groups", &nobody, 403);
    assert_eq!(ask(&nobody, "GET", "/auth/verify", "").status, 200);
    let admin_name = rsa.token("r", &issuer.claims("admin", &["admin", "-31:admin"]));
    assert_all(&guarded, "a token with the administrator's name", &admin_name, 403);
    for (method, path, body) in [
        ("GET", "/auth/users", String::new()),
        ("PUT", "/auth/users/admin", json!({ "user_password": "another password" }).to_string()),
        ("PUT", "/auth/rotate-token-keys", String::new()),
        ("DELETE", LIST, String::new()),
    ] {
        let reply = ask(&admin_name, method, path, &body);
        assert!(matches!(reply.status, 403 | 405), "{method} {path}: {} {}", reply.status, reply.body);
    }
    assert_eq!(http(guarded.server.rest(), Some(&admin()), "GET", "/auth/users", "").status, 200);

    // What it may not have: keys of its own, names of the issuer's users, an end of its token here.
    assert_eq!(ask(&token, "POST", "/auth/keys", "{}").status, 403);
    let taken = json!({ "user_name": "oidc:alice", "user_password": "a password of alice" }).to_string();
    assert_eq!(guarded.admin("POST", "/auth/users", &taken).status, 400);
    assert_eq!(ask(&token, "DELETE", "/auth/logout", "").status, 400);

    // A task has its rights.
    let job = json!({ "gremlin": "g.V().count()", "aliases": {}, "bindings": {}, "language": "gremlin-groovy" });
    let started = ask(&token, "POST", "/graphs/hugegraph/jobs/gremlin", &job.to_string());
    assert_eq!(started.status, 201, "{}", started.body);
    let path = format!("/graphs/hugegraph/tasks/{}", started.json()["task_id"]);
    let mut task = Value::Null;
    for _ in 0..600 {
        task = ask(&token, "GET", &path, "").json();
        if task["task_status"] == "success" || task["task_status"] == "failed" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(task["task_result"], "[1]", "{task}");

    // What is not the issuer's for here.
    let with = |name: &str, value: Value| {
        let mut claims = claims.clone();
        claims[name] = value;
        rsa.token("r", &claims)
    };
    let stranger = SigningKey::rsa();
    for (what, token) in [
        ("one that has ended", with("exp", json!(now_s() - 600))),
        ("one that is not valid yet", with("nbf", json!(now_s() + 600))),
        ("one for others", with("aud", json!("somebody else"))),
        ("one of another issuer", with("iss", json!("https://id.example.org"))),
        ("one by a stranger", stranger.token("r", &claims)),
        ("one by an unknown key", rsa.token("unknown", &claims)),
        ("one without a signature", rsa.token_with(&json!({ "alg": "none", "kid": "r" }), &claims)),
    ] {
        assert_all(&guarded, what, &token, 401);
    }

    // A right that is taken from the group is gone for the next request, on open connections too.
    let login = Login::token(&token);
    let mut gremlin = Gremlin::open(&guarded.server.gremlin, Some(&login)).ok().unwrap();
    let mut bolt = Bolt::open(&guarded.server.bolt, &login).ok().unwrap();
    assert!(gremlin.ask("g.V().count()").0 == 200 && bolt.ask("MATCH (n) RETURN n") == Ok(1));
    for right in &rights {
        assert_eq!(guarded.admin("DELETE", &format!("/auth/accesses/{}", segment(right)), "").status, 204);
    }
    assert_eq!(gremlin.ask("g.V().count()").0, 403);
    assert!(bolt.ask("MATCH (n) RETURN n").is_err());
    assert_all(&guarded, "a token whose group has no rights", &token, 403);
    assert_eq!(guarded.admin("DELETE", &format!("/auth/groups/{}", segment(&readers)), "").status, 204);

    // The first request with a token is a login.
    let login = |line: &Value| line["class"] == "login" && line["user"] == "oidc:alice" && line["result"] == "ok";
    let lines = guarded.records_until("a login by a token", |line| login(line) && line["protocol"] == "rest");
    assert!(lines.iter().filter(|line| login(line)).all(|line| line["auth"] == "oidc"));
    guarded.assert_nothing_of(&[&token, &other, token.split('.').nth(2).unwrap(), ADMIN_PASSWORD]);
}

#[test]
fn without_the_issuer_passwords_still_log_in() {
    let (issuer, key) = (Issuer::start(), SigningKey::rsa());
    issuer.publish(&[]);
    let guarded = with_issuer(&issuer);
    let token = key.token("r", &issuer.claims("alice", &[]));
    let ask = |login: &Login| http(guarded.server.rest(), Some(login), "GET", "/graphs", "");
    let refused = ask(&Login::token(&token));
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{}", refused.body);
    assert!(refused.body.contains("the keys of the issuer"), "{}", refused.body);
    assert_eq!(ask(&admin()).status, 200);
    guarded.server.logged(&["auth.oidc"]);
}

#[test]
fn settings_that_cannot_be_used_stop_the_start_and_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let start = |settings: &[&str]| {
        let mut arguments = vec!["serve", "--data", data.to_str().unwrap()];
        settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
        let (status, _, error) = run(&arguments);
        assert!(!status.success());
        error
    };
    let (users, audience) = ("auth.enabled=true", "auth.oidc.audience=rhizome");
    let error = start(&[users, audience, "auth.oidc.issuer=http://id.example.org"]);
    assert!(error.contains("'auth.oidc.issuer' is 'http://id.example.org': it must begin with https://"), "{error}");
    let error = start(&[users, "auth.oidc.issuer=https://id.example.org"]);
    assert!(error.contains("'auth.oidc.audience' is ''"), "{error}");
    let error = start(&[audience, "auth.oidc.issuer=https://id.example.org"]);
    assert!(error.contains("auth.enabled = true"), "{error}");
    let error = start(&[users, audience]);
    assert!(error.contains("'auth.oidc.issuer' is ''"), "{error}");
}

/// A CA and a certificate for this machine in a folder.
fn certificates(folder: &Path) {
    let (status, _, error) = run(&["cert", "dev", "--dir", folder.to_str().unwrap()]);
    assert!(status.success(), "{error}");
}

#[test]
fn keys_of_the_issuer_are_fetched_over_https_by_its_own_ca() {
    let folder = tempfile::tempdir().unwrap();
    let (own, other) = (folder.path().join("own"), folder.path().join("other"));
    certificates(&own);
    certificates(&other);
    let (issuer, key) =
        (Issuer::start_with_tls(&own.join("server.pem"), &own.join("server-key.pem")), SigningKey::rsa());
    assert!(issuer.url.starts_with("https://"));
    issuer.publish(&[("r", &key)]);
    let ask = |guarded: &Guarded| {
        let token = key.token("r", &issuer.claims("alice", &["readers"]));
        http(guarded.server.rest(), Some(&Login::token(&token)), "GET", "/graphs", "")
    };
    let ca = |folder: &Path| format!("auth.oidc.ca={}", folder.join("ca.pem").display());
    // By the discovery document, and by an address that the settings name.
    let keys = format!("auth.oidc.jwks_url={}/keys", issuer.url);
    for settings in [vec![ca(&own)], vec![ca(&own), keys]] {
        let before = issuer.fetches();
        let guarded = with_issuer_and(&issuer, &settings.iter().map(String::as_str).collect::<Vec<_>>());
        let answered = ask(&guarded);
        assert_eq!((answered.status, issuer.fetches()), (200, before + 1), "{}", answered.body);
    }
    // Another CA, and those of the system, do not know it: nothing is fetched, and the log says why and what to do.
    let before = issuer.fetches();
    let foreign = [other.join("ca.pem").display().to_string(), "auth.oidc.ca".to_owned()];
    for (settings, said) in [(vec![ca(&other)], foreign), (vec![], ["system".to_owned(), "auth.oidc.ca".to_owned()])] {
        let guarded = with_issuer_and(&issuer, &settings.iter().map(String::as_str).collect::<Vec<_>>());
        let refused = ask(&guarded);
        assert_eq!(refused.status, 503, "{}", refused.body);
        let line = guarded.server.logged(&["cannot be fetched"]);
        assert!(line.contains("certificate") && said.iter().all(|part| line.contains(part.as_str())), "{line}");
        assert_eq!(http(guarded.server.rest(), Some(&admin()), "GET", "/graphs", "").status, 200);
    }
    assert_eq!(issuer.fetches(), before);
    // A file that is no certificate is named.
    std::fs::write(folder.path().join("empty.pem"), "nothing").unwrap();
    let guarded = with_issuer_and(&issuer, &[&format!("auth.oidc.ca={}", folder.path().join("empty.pem").display())]);
    assert_eq!(ask(&guarded).status, 503);
    guarded.server.logged(&["cannot be fetched", "empty.pem"]);
}
