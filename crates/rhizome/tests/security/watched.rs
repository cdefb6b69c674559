//! Records and quotas over all protocols.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::run;
use crate::protocols::{Bolt, Gremlin, Http, Login, http};
use crate::{ADMIN_PASSWORD, Guarded};

const BOB: &str = "SECRET-of-bob";
const WRONG: &str = "SECRET-that-is-wrong";
/// What may be in an answer to who has sent it, but in no record.
const VALUE: &str = "SECRET-value";

const OVER_QUOTA: &str = "Neo.TransientError.Request.ResourceExhaustion";

fn with_bob(settings: &[&str]) -> Guarded {
    let guarded = Guarded::start(settings);
    let (readers, _) = guarded.add_readers("readers");
    for (user, password) in [("bob", BOB), ("alice", "another password")] {
        guarded.add_user(user, password);
        guarded.add_to(user, &readers);
    }
    guarded
}

fn bob() -> Login {
    Login::password("bob", BOB)
}

/// All four protocols answer what they are asked: what is refused is given with its code and text.
struct Asking {
    gremlin_http: Http,
    gremlin: Gremlin,
    bolt: Bolt,
    query_api: Http,
}

impl Asking {
    fn new(guarded: &Guarded, login: &Login) -> Self {
        let server = &guarded.server;
        Self {
            gremlin_http: Http::new(&server.gremlin, Some(login)),
            gremlin: Gremlin::open(&server.gremlin, Some(login)).ok().unwrap(),
            bolt: Bolt::open(&server.bolt, login).ok().unwrap(),
            query_api: Http::new(server.rest(), Some(login)),
        }
    }

    /// Asks a text of Gremlin or of Cypher over one protocol; the code and the text of a refusal.
    fn ask(&mut self, protocol: &str, gremlin: &str, cypher: &str) -> Result<(), (String, String)> {
        let refused = |code: String, text: String| Err((code, text));
        match protocol {
            "gremlin over HTTP" => match self.gremlin_http.gremlin(gremlin) {
                reply if reply.status == 200 => Ok(()),
                reply => {
                    let wait = reply.header("retry-after").unwrap_or("-").to_owned();
                    refused(format!("{} {wait}", reply.status), reply.body)
                }
            },
            "gremlin" => match self.gremlin.ask(gremlin) {
                (200 | 204, _) => Ok(()),
                (code, text) => refused(code.to_string(), text),
            },
            "bolt" => self.bolt.ask(cypher).map(drop),
            _ => match self.query_api.cypher(cypher) {
                reply if reply.status == 202 => Ok(()),
                reply => {
                    let code = reply.json()["errors"][0]["code"].as_str().unwrap_or_default().to_owned();
                    let wait = reply.header("retry-after").unwrap_or("-").to_owned();
                    refused(format!("{} {wait} {code}", reply.status), reply.body)
                }
            },
        }
    }
}

const PROTOCOLS: [&str; 4] = ["gremlin over HTTP", "gremlin", "bolt", "query-api"];

/// How a refusal by a quota is told over a protocol.
fn over_quota(protocol: &str) -> String {
    match protocol {
        "gremlin over HTTP" => "429 1".to_owned(),
        "gremlin" => "429".to_owned(),
        "bolt" => OVER_QUOTA.to_owned(),
        _ => format!("429 1 {OVER_QUOTA}"),
    }
}

#[test]
fn every_protocol_is_recorded_and_tells_no_secret() {
    let guarded = with_bob(&[]);
    let server = &guarded.server;
    let mut answers: Vec<String> = Vec::new();
    let key = http(server.rest(), Some(&bob()), "POST", "/auth/keys", "{}").json()["key"].as_str().unwrap().to_owned();
    let login = json!({ "user_name": "bob", "user_password": BOB }).to_string();
    let token = http(server.rest(), None, "POST", "/auth/login", &login).json()["token"].as_str().unwrap().to_owned();

    // Logins that fail, and what they are told.
    let (wrong, cut) = (Login::password("bob", WRONG), Login::token(&token[..token.len() - 8]));
    let forging = Login::password("eve\r\n{\"class\":\"login\",\"user\":\"admin\",\"result\":\"ok\"}", WRONG);
    for failing in [&wrong, &cut, &Login::token(&key[..key.len() - 8]), &forging] {
        for address in [server.rest(), &server.gremlin] {
            let reply = Http::new(address, Some(failing)).gremlin("g.inject(1)");
            assert_eq!(reply.status, 401, "{}", reply.body);
            answers.push(reply.body);
        }
        let reply = Http::new(server.rest(), Some(failing)).cypher("RETURN 1");
        assert!(matches!(reply.status, 401 | 429), "{}", reply.body);
        answers.push(reply.body);
        let (code, text) = Bolt::open(&server.bolt, failing).err().unwrap();
        assert!(code.contains("Unauthorized"), "{code}");
        answers.push(text);
        // After five the next one has to wait, which is told too.
        assert!(matches!(Gremlin::open(&server.gremlin, Some(failing)), Err(401 | 429)));
        let mut socket = Gremlin::open(&server.gremlin, None).ok().unwrap();
        assert_eq!(socket.ask("g.inject(1)").0, 407);
        let (code, text) = socket.log_in(failing);
        assert!(matches!(code, 401 | 429), "{text}");
        answers.push(text);
    }

    // Logins that do not, by password, token and key; a known login is let in whoever else fails.
    for login in [bob(), Login::token(&token), Login::token(&key)] {
        let mut asking = Asking::new(&guarded, &login);
        for protocol in PROTOCOLS {
            asking.ask(protocol, "g.V().limit(1)", "MATCH (n) RETURN n LIMIT 1").unwrap();
        }
        let mut socket = Gremlin::open(&server.gremlin, None).ok().unwrap();
        assert_eq!(socket.ask("g.inject(1)").0, 407);
        assert_eq!(socket.log_in(&login).0, 200, "what has waited is answered");
    }
    let mut asking = Asking::new(&guarded, &bob());
    for protocol in PROTOCOLS {
        // What may not be done, and what cannot be read.
        let gremlin = format!("g.addV('person').property('name', '{VALUE}')");
        let cypher = format!("CREATE (:person {{name: '{VALUE}'}})");
        let (code, text) = asking.ask(protocol, &gremlin, &cypher).unwrap_err();
        assert!(code.starts_with("403") || code.ends_with("Forbidden"), "{protocol}: {code} {text}");
        answers.push(text);
        let (_, text) = asking.ask(protocol, "g.nosuch(", "MATCH (").unwrap_err();
        answers.push(text);
    }

    let of = |line: &Value, protocol: &str, class: &str, result: &str| {
        line["protocol"] == protocol && line["class"] == class && line["result"] == result
    };
    let lines = guarded.records_until("the last query", |line| of(line, "query-api", "query", "failed"));
    for protocol in ["gremlin", "bolt", "query-api"] {
        for (class, result) in [("login", "denied"), ("query", "ok"), ("query", "denied"), ("query", "failed")] {
            let found: Vec<_> = lines.iter().filter(|line| of(line, protocol, class, result)).collect();
            let own = found.iter().filter(|line| line["user"] == "bob");
            assert!(own.count() > 0, "{class} {result} over {protocol}: {lines:#?}");
            for line in found {
                assert_eq!(line["address"], "127.0.0.1", "{line}");
                assert!(
                    class == "login" || line["query_sha256"].as_str().is_some_and(|hash| hash.len() == 64),
                    "{line}"
                );
            }
        }
        // A key is there by its id.
        let by_key = lines.iter().find(|line| line["protocol"] == protocol && line["auth"] == "key");
        assert!(by_key.is_some_and(|line| key.contains(line["key"].as_str().unwrap())), "{protocol}");
    }
    let logins = |protocol: &str| lines.iter().filter(|line| of(line, protocol, "login", "ok")).count();
    assert!(logins("bolt") >= 3 && logins("gremlin") >= 3, "{} {}", logins("bolt"), logins("gremlin"));
    assert!(lines.iter().all(|line| line["user"] != "admin" || line["protocol"] == "rest"), "forged lines");
    assert!(lines.iter().any(|line| line["user"].as_str().is_some_and(|user| user.starts_with("eve\r\n"))));

    let (status, out, error) = run(&["audit", "verify", guarded.audit_file().to_str().unwrap()]);
    assert!(status.success(), "{out}{error}");
    let secrets = [ADMIN_PASSWORD, BOB, WRONG, &token, &key, &token[..token.len() - 8], &key[..key.len() - 8]];
    guarded.assert_nothing_of(&secrets);
    guarded.assert_nothing_of(&[&bob().header()[6..], &wrong.header()[6..]]);
    let record = std::fs::read_to_string(guarded.audit_file()).unwrap();
    assert!(!record.contains(VALUE), "a value is in the record");
    for answer in &answers {
        assert!(secrets.iter().all(|secret| !answer.contains(secret)), "{answer}");
    }
}

#[test]
fn requests_of_a_user_are_counted_over_all_protocols() {
    let guarded = with_bob(&["quotas.user_requests_per_second=3"]);
    let (mut bob, mut alice) = (Asking::new(&guarded, &bob()), Asking::new(&guarded, &alice()));
    for protocol in PROTOCOLS {
        std::thread::sleep(Duration::from_millis(1_100));
        let answers: Vec<_> = (0..30).map(|_| bob.ask(protocol, "g.inject(1)", "RETURN 1")).collect();
        assert!(answers[0].is_ok(), "{protocol}: {:?}", answers[0]);
        let (code, text) = answers.into_iter().find_map(Result::err).unwrap();
        assert_eq!(code, over_quota(protocol), "{protocol}: {text}");
        assert!(text.contains("quotas.user_requests_per_second"), "{protocol}: {text}");
        // One protocol's requests count for the others, and nobody else's.
        let other = if protocol == "bolt" { "gremlin" } else { "bolt" };
        let refused = (0..10).any(|_| bob.ask(other, "g.inject(1)", "RETURN 1").is_err());
        assert!(refused, "{other} after {protocol}");
        alice.ask(protocol, "g.inject(1)", "RETURN 1").unwrap();
    }
}

fn alice() -> Login {
    Login::password("alice", "another password")
}

#[test]
fn queries_of_a_user_are_counted_while_they_run() {
    let guarded = with_bob(&["quotas.user_running_queries_max=1"]);
    let server = &guarded.server;
    let (mut bob, mut alice) = (Asking::new(&guarded, &bob()), Asking::new(&guarded, &alice()));
    for protocol in PROTOCOLS {
        bob.ask(protocol, "g.inject(1)", "RETURN 1").unwrap();
    }
    // A transaction has its share until it ends.
    let mut transactions = Http::new(server.rest(), Some(&crate::watched::bob()));
    let begun = transactions.ask("POST", "/db/hugegraph/query/v2/tx", &json!({ "statement": "RETURN 1" }).to_string());
    assert_eq!(begun.status, 202, "{}", begun.body);
    let id = begun.json()["transaction"]["id"].as_str().unwrap().to_owned();
    for protocol in PROTOCOLS {
        // What a transaction of Cypher holds, no short query of Gremlin goes around.
        let (code, text) = bob.ask(protocol, "g.inject(1)", "RETURN 1").unwrap_err();
        assert_eq!(code, over_quota(protocol), "{protocol}: {text}");
        assert!(text.contains("quotas.user_running_queries_max"), "{protocol}: {text}");
        alice.ask(protocol, "g.inject(1)", "RETURN 1").unwrap();
    }
    let listed = http(server.rest(), Some(&crate::watched::bob()), "GET", "/graphs/hugegraph/graph/vertices", "");
    assert_eq!(listed.status, 429, "{}", listed.body);
    assert_eq!(transactions.ask("DELETE", &format!("/db/hugegraph/query/v2/tx/{id}"), "").status, 200);
    for protocol in PROTOCOLS {
        bob.ask(protocol, "g.inject(1)", "RETURN 1").unwrap();
    }
    bob.bolt.begin().unwrap();
    bob.bolt.ask_in_transaction("RETURN 1").unwrap();
    let (code, _) = bob.ask("gremlin", "g.inject(1)", "").unwrap_err();
    assert_eq!(code, over_quota("gremlin"));
    bob.bolt.commit().unwrap();
    bob.ask("gremlin", "g.inject(1)", "").unwrap();
}

#[test]
fn bytes_of_a_user_are_counted_over_all_protocols() {
    let guarded = with_bob(&["quotas.user_bytes_per_second=50KB"]);
    let mut bob = Asking::new(&guarded, &bob());
    // As much as three seconds give, so that the next request is refused on a slow machine too.
    let long = "x".repeat(150_000);
    let (gremlin, cypher) = (format!("g.inject('{long}')"), format!("RETURN '{long}' AS x"));
    for protocol in PROTOCOLS {
        // What the protocol before has used up comes back with time.
        let deadline = Instant::now() + Duration::from_secs(60);
        while let Err((code, text)) = bob.ask(protocol, &gremlin, &cypher) {
            assert!(text.contains("quotas.user_bytes_per_second"), "{protocol}: {code} {text}");
            assert!(Instant::now() < deadline, "{protocol}: the quota never came back");
            std::thread::sleep(Duration::from_millis(50));
        }
        let (code, text) = bob.ask(protocol, "g.inject(1)", "RETURN 1").unwrap_err();
        assert!(text.contains("quotas.user_bytes_per_second"), "{protocol}: {code} {text}");
    }
}

#[test]
fn who_a_trusted_proxy_names_is_recorded_and_delayed() {
    let guarded = with_bob(&["server.trusted_proxies=127.0.0.0/8"]);
    let server = &guarded.server;
    let ask = |login: &Login, from: &str| {
        Http::new(server.rest(), Some(login)).with("X-Forwarded-For", from).ask("GET", "/graphs", "")
    };
    let wrong = Login::password("alice", WRONG);
    let statuses: Vec<u16> = (0..8).map(|_| ask(&wrong, "127.0.0.1, 203.0.113.9").status).collect();
    assert_eq!(statuses[..5], [401; 5]);
    assert_eq!(statuses[7], 429, "{statuses:?}");
    // Somebody from elsewhere, behind the same proxy, does not wait.
    assert_eq!(ask(&wrong, "198.51.100.7").status, 401);
    assert_eq!(ask(&alice(), "198.51.100.8").status, 200);
    let of = |line: &Value, address: &str| line["class"] == "login" && line["address"] == address;
    let lines = guarded.records_until("the login from elsewhere", |line| of(line, "198.51.100.8"));
    assert!(lines.iter().any(|line| of(line, "203.0.113.9") && line["result"] == "denied"), "{lines:#?}");
    assert!(lines.iter().all(|line| line["user"] != "alice" || line["address"] != "127.0.0.1"), "{lines:#?}");

    // Without the setting nobody is believed.
    let guarded = with_bob(&[]);
    let server = &guarded.server;
    let reply = Http::new(server.rest(), Some(&wrong)).with("X-Forwarded-For", "203.0.113.9").ask("GET", "/graphs", "");
    assert_eq!(reply.status, 401);
    guarded.records_until("the login", |line| line["user"] == "alice" && line["address"] == "127.0.0.1");
}
