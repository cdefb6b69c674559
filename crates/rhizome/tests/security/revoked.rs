//! Rights, passwords, users and tokens that are taken back while connections work.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::protocols::{Bolt, Gremlin, Http, Login, http};
use crate::{Guarded, segment};

/// Connections of each protocol.
const EACH: usize = 16;

/// How long something may go on that is not allowed any more.
const GRACE: Duration = Duration::from_secs(1);

const LIST: &str = "/graphs/hugegraph/graph/vertices?limit=1";

/// Asks again and again over one connection; when it had an answer last, in milliseconds since the beginning.
struct Worker {
    last_ms: AtomicU64,
    answers: AtomicU64,
}

/// A question that is answered or refused.
type Question = Box<dyn FnMut() -> bool + Send>;

fn questions(guarded: &Guarded, login: &Login) -> Vec<(&'static str, Question)> {
    let server = &guarded.server;
    let mut all: Vec<(&'static str, Question)> = Vec::new();
    for _ in 0..EACH {
        let mut rest = Http::new(server.rest(), Some(login));
        all.push(("rest", Box::new(move || rest.ask("GET", LIST, "").status == 200)));
        let mut gremlin = Gremlin::open(&server.gremlin, Some(login)).ok().unwrap();
        // After a request that is asked for a login, others would wait for that.
        let mut is_out = false;
        let ask = move || {
            let code = if is_out { 401 } else { gremlin.ask("g.V().limit(1)").0 };
            is_out = matches!(code, 401 | 407);
            matches!(code, 200 | 204)
        };
        all.push(("gremlin", Box::new(ask)));
        let mut bolt = Bolt::open(&server.bolt, login).ok().unwrap();
        all.push(("bolt", Box::new(move || bolt.ask("MATCH (n) RETURN n LIMIT 1").is_ok())));
        let mut query_api = Http::new(server.rest(), Some(login));
        all.push(("query-api", Box::new(move || query_api.cypher("MATCH (n) RETURN n LIMIT 1").status == 202)));
    }
    all
}

/// Has 64 connections work, takes something back, and checks that none has an answer later than that by more than a
/// second.
fn until_taken_back(guarded: &Guarded, what: &str, login: &Login, take_back: impl FnOnce()) {
    let questions = questions(guarded, login);
    let (start, stop) = (Instant::now(), AtomicBool::new(false));
    let new = |_: &_| Worker { last_ms: AtomicU64::new(0), answers: AtomicU64::new(0) };
    let workers: Vec<Worker> = questions.iter().map(new).collect();
    let protocols: Vec<&str> = questions.iter().map(|(protocol, _)| *protocol).collect();
    let taken_back = std::thread::scope(|scope| {
        for ((_, mut ask), worker) in questions.into_iter().zip(&workers) {
            let stop = &stop;
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    // When it was asked: an answer may be late because the machine is busy.
                    let asked = start.elapsed();
                    if ask() {
                        worker.last_ms.store(u64::try_from(asked.as_millis()).unwrap(), Ordering::Relaxed);
                        worker.answers.fetch_add(1, Ordering::Relaxed);
                    } else {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                }
            });
        }
        while workers.iter().any(|worker| worker.answers.load(Ordering::Relaxed) < 3) {
            assert!(start.elapsed() < Duration::from_secs(60), "not all connections are answered");
            std::thread::sleep(Duration::from_millis(10));
        }
        take_back();
        let taken_back = start.elapsed();
        std::thread::sleep(GRACE + Duration::from_secs(1));
        stop.store(true, Ordering::Relaxed);
        taken_back
    });
    let latest = u64::try_from((taken_back + GRACE).as_millis()).unwrap();
    for (worker, protocol) in workers.iter().zip(protocols) {
        let last = worker.last_ms.load(Ordering::Relaxed);
        assert!(last <= latest, "{what}: {protocol} answered {} ms after that", last - latest);
    }
}

#[test]
fn what_is_taken_back_ends_on_open_connections() {
    let guarded = Guarded::start(&[]);
    let (readers, _) = guarded.add_readers("readers");
    let mut belongs = Vec::new();
    for user in ["a", "b", "c", "d"] {
        guarded.add_user(user, &format!("password of {user}"));
        belongs.push(guarded.add_to(user, &readers));
    }
    let login = |user: &str| Login::password(user, &format!("password of {user}"));
    let done = |method: &str, path: &str, body: &str| {
        let reply = guarded.admin(method, path, body);
        assert!(matches!(reply.status, 200 | 204), "{method} {path}: {} {}", reply.status, reply.body);
    };

    until_taken_back(&guarded, "a right", &login("a"), || {
        done("DELETE", &format!("/auth/belongs/{}", segment(&belongs[0])), "");
    });
    until_taken_back(&guarded, "a password", &login("b"), || {
        done("PUT", "/auth/users/b", &json!({ "user_password": "another password" }).to_string());
    });
    until_taken_back(&guarded, "a user", &login("c"), || done("DELETE", "/auth/users/c", ""));
    let server = &guarded.server;
    let body = json!({ "user_name": "d", "user_password": "password of d" }).to_string();
    let token = http(server.rest(), None, "POST", "/auth/login", &body).json()["token"].as_str().unwrap().to_owned();
    let login = Login::token(&token);
    until_taken_back(&guarded, "a token", &login, || {
        assert_eq!(http(server.rest(), Some(&login), "DELETE", "/auth/logout", "").status, 204);
    });
}

#[test]
fn open_transactions_end_with_the_rights_they_began_with() {
    let guarded = Guarded::start(&[]);
    let (readers, rights) = guarded.add_readers("readers");
    guarded.add_user("a", "password of a");
    guarded.add_user("bystander", "another password");
    guarded.add_to("a", &readers);
    let (server, login) = (&guarded.server, Login::password("a", "password of a"));
    let query = json!({ "statement": "MATCH (n) RETURN n" }).to_string();
    let (mut bolt, mut idle) =
        (Bolt::open(&server.bolt, &login).ok().unwrap(), Bolt::open(&server.bolt, &login).ok().unwrap());
    for bolt in [&mut bolt, &mut idle] {
        bolt.begin().unwrap();
        assert_eq!(bolt.ask_in_transaction("MATCH (n) RETURN n"), Ok(1));
    }
    let mut http = Http::new(server.rest(), Some(&login));
    let begun = http.ask("POST", "/db/hugegraph/query/v2/tx", &query);
    assert_eq!(begun.status, 202, "{}", begun.body);
    let path = format!("/db/hugegraph/query/v2/tx/{}", begun.json()["transaction"]["id"].as_str().unwrap());

    // What is changed about others is nothing to them.
    guarded.add_to("bystander", &readers);
    assert_eq!(bolt.ask_in_transaction("MATCH (n) RETURN n"), Ok(1));
    assert_eq!(http.ask("POST", &path, &query).status, 202);

    // The right to read goes, that to ask stays.
    assert_eq!(guarded.admin("DELETE", &format!("/auth/accesses/{}", segment(&rights[0])), "").status, 204);
    let expired = "Neo.ClientError.Security.AuthorizationExpired";
    assert_eq!(bolt.ask_in_transaction("MATCH (n) RETURN n").unwrap_err().0, expired);
    assert_eq!(idle.commit().unwrap_err().0, expired);
    let refused = http.ask("POST", &path, &query);
    assert_eq!((refused.status, &refused.json()["errors"][0]["code"]), (403, &json!(expired)), "{}", refused.body);
    assert_eq!(http.ask("POST", &path, &query).status, 404, "it has ended");
    let mut anew = Bolt::open(&server.bolt, &login).ok().unwrap();
    assert_eq!(anew.ask("MATCH (n) RETURN n"), Ok(0), "as if there were none");
}
