//! Sessions of browsers, checks of texts, slow queries.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use crate::server::{GRAPH, PAGE, PASSWORD, Server};

#[test]
fn a_session_is_a_cookie_that_ends_with_the_logout() {
    let server = Server::start(true, false);
    assert_eq!(server.session(PAGE).json(), json!({ "auth": true, "user": null, "admin": false, "manager": false }));
    let entered = server.log_in("admin", PASSWORD);
    let admin = json!({ "auth": true, "user": "admin", "admin": true, "manager": true });
    assert_eq!((entered.status, entered.json()), (200, admin.clone()), "{}", entered.body);
    let line = entered.set_cookie().unwrap();
    assert!(line.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{line}");
    assert!(!entered.body.contains(entered.cookie().split("rhizome_session=").nth(1).unwrap().trim()));
    let again = server.session(&entered.cookie());
    assert_eq!(again.json(), admin);
    assert!(again.head.contains("cache-control: no-store"), "{}", again.head);
    // Without the header of pages a cookie is none: another site's form or picture has it sent along at the most.
    let bare = entered.cookie().replace(PAGE, "");
    assert_eq!(server.session(&bare).json()["user"], Value::Null);
    let check = |cookie: &str| {
        let headers = format!("{cookie}Content-Type: application/json\r\n");
        server.send("POST", "/rhizome/gremlin/check", &headers, r#"{"gremlin":"g.V("}"#).status
    };
    assert_eq!((check(&entered.cookie()), check(&bare)), (200, 401));
    let left = server.send("DELETE", "/rhizome/session", &again.cookie(), "");
    assert_eq!((left.status, left.set_cookie().unwrap().contains("Max-Age=0")), (204, true));
    for cookie in [entered.cookie(), again.cookie()] {
        let over = server.session(&cookie);
        assert_eq!(over.json()["user"], Value::Null, "the one before is renewed, and over together with it");
        assert!(over.set_cookie().unwrap().contains("Max-Age=0"), "the browser forgets it");
        assert_eq!(check(&cookie), 401);
    }
}

/// Behind a proxy that speaks TLS this server does not, and a browser sends no origin with a GET: pages say it.
#[test]
fn a_page_behind_tls_keeps_its_cookie_for_tls() {
    let server = Server::start(true, false);
    let entered = server.log_in("admin", PASSWORD);
    assert!(!entered.set_cookie().unwrap().contains("Secure"), "{}", entered.head);
    let renewed = server.session(&entered.cookie().replace(PAGE, "X-Rhizome-UI: https\r\n"));
    assert_eq!(renewed.json()["user"], "admin");
    assert!(renewed.set_cookie().unwrap().ends_with("; Secure"), "{}", renewed.head);
}

#[test]
fn wrong_logins_and_those_of_other_sites_are_refused() {
    let server = Server::start(true, true);
    for (user, password) in [("admin", "wrong"), ("nobody", PASSWORD)] {
        let refused = server.log_in(user, password);
        assert_eq!((refused.status, refused.set_cookie()), (401, None), "{}", refused.body);
        assert!(!refused.head.contains("www-authenticate"), "the browser would open a window of its own");
    }
    let body = json!({ "user": "admin", "password": PASSWORD }).to_string();
    let json_type = "Content-Type: application/json\r\n";
    for (headers, status) in [
        (json_type.to_owned(), 400),
        (format!("{PAGE}Content-Type: text/plain\r\n"), 415),
        (format!("{PAGE}{json_type}Origin: http://evil.example\r\n"), 403),
        (format!("{PAGE}{json_type}Sec-Fetch-Site: cross-site\r\n"), 403),
    ] {
        let refused = server.send("POST", "/rhizome/session", &headers, &body);
        assert_eq!((refused.status, refused.set_cookie()), (status, None), "{headers}{}", refused.body);
    }
    let entered = server.log_in("admin", PASSWORD);
    assert!(entered.set_cookie().unwrap().ends_with("; Secure"), "{}", entered.head);
    let refused = server.send("DELETE", "/rhizome/session", &entered.cookie().replace(PAGE, ""), "");
    assert_eq!(refused.status, 400, "nobody is logged out by another site");
    assert_eq!(server.send("PUT", "/rhizome/session", PAGE, "").status, 405);
    assert_eq!(server.send("GET", "/rhizome/backups", PAGE, "").body, "elsewhere");
    for _ in 0..6 {
        server.log_in("ann", "guess");
    }
    let slowed = server.log_in("ann", "guess");
    assert!(slowed.status == 429 && slowed.head.contains("retry-after"), "{}", slowed.head);
}

#[test]
fn a_new_password_ends_the_sessions_of_a_user() {
    let server = Server::start(true, false);
    let entered = server.log_in("admin", PASSWORD);
    server.queries.accounts().unwrap().set_admin_password("another password").unwrap();
    assert_eq!(server.session(&entered.cookie()).json()["user"], Value::Null);
}

#[test]
fn without_users_everybody_is_in() {
    let server = Server::start(false, false);
    assert_eq!(server.session(PAGE).json(), json!({ "auth": false, "user": null, "admin": true, "manager": true }));
    assert_eq!(server.log_in("admin", PASSWORD).status, 400, "there is nobody to be");
}

#[test]
fn texts_are_checked_and_slow_queries_listed() {
    let server = Server::start(false, false);
    let headers = "Content-Type: application/json\r\n";
    let checked = server.send("POST", "/rhizome/gremlin/check", headers, r#"{"gremlin":"g.V().outt()"}"#);
    assert_eq!(checked.json()["errors"][0]["line"], json!(1), "{}", checked.body);
    let wrong = server.send("POST", "/rhizome/gremlin/check", headers, "{}");
    assert!(wrong.status == 400 && wrong.body.contains("gremlin"), "{}", wrong.body);
    drop(server.queries.enter(GRAPH, "MATCH (n) RETURN n", "anonymous", &Arc::new(AtomicBool::new(false))));
    let slow = server.send("GET", &format!("/rhizome/queries/slow?graph={GRAPH}"), "", "").json();
    assert_eq!(slow["queries"][0]["query"], json!("MATCH (n) RETURN n"));
    assert_eq!(slow["queries"][0]["user"], json!("anonymous"));
    assert_eq!(server.send("GET", "/rhizome/queries/slow", "", "").status, 400);
    assert_eq!(server.send("GET", "/rhizome/queries/slow?graph=other", "", "").status, 404);
}
