//! Users over a store in memory: logins, rights, and what ends them.

#![expect(clippy::unwrap_used, reason = "test code")]

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use auth::{
    Accounts, AuthError, Authenticate, Caller, ConditionReader, Credentials, Editor, HIDDEN_PASSWORD, Options,
    Permission, Resource, ResourceType, TargetInput, UserInput, ids,
};
use graph_host::{Store, StoreOptions};
use key_codec::tables::TABLES;
use kv::{Engine, MemoryEngine};

const ADMIN_PASSWORD: &str = "correct horse";

fn options() -> Options {
    let conditions = ConditionReader { check: |_| Ok(()), read: |_, _, _| None };
    Options { password_length_min: 2, token_seconds: 60, conditions, stale: None }
}

fn store(engine: &Arc<dyn Engine>) -> Arc<Store> {
    Arc::new(Store::open(Arc::clone(engine), StoreOptions::default()).unwrap())
}

fn accounts() -> Accounts {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
    let accounts = Accounts::open(store(&engine), options()).unwrap();
    accounts.set_admin_password(ADMIN_PASSWORD).unwrap();
    accounts
}

fn password<'a>(user: &'a str, password: &'a str) -> Credentials<'a> {
    Credentials::Password { user, password }
}

fn admin(accounts: &Accounts) -> Caller {
    accounts.check(password("admin", ADMIN_PASSWORD), None).unwrap()
}

fn add_user(accounts: &Accounts, name: &str, with: &str) {
    let input = UserInput { name: Some(name.to_owned()), password: Some(with.to_owned()), ..UserInput::default() };
    Editor::new(accounts, &admin(accounts)).create_user(&input).unwrap();
}

/// Gives a user, through a group and a target of its own, a right; returns the id of the right.
fn grant(accounts: &Accounts, user: &str, permission: Permission, graph: &str, resource: Resource) -> String {
    let (caller, name) = (admin(accounts), format!("{user}-{}-{}-{graph}", permission.name(), resource.key()));
    let editor = Editor::new(accounts, &caller);
    let group = editor.create_group(Some(&name), None).unwrap();
    let target = TargetInput {
        name: Some(name),
        graph: Some(graph.to_owned()),
        url: Some("x".to_owned()),
        resources: Some(vec![resource]),
    };
    let target = editor.create_target(&target).unwrap();
    editor.create_belong(Some(&ids::user(user)), Some(&group), None).unwrap();
    editor.create_access(Some(&group), Some(&target), Some(&permission.name().to_owned()), None).unwrap()
}

#[test]
fn a_login_is_known_after_it_was_checked_once() {
    let accounts = accounts();
    let right = password("admin", ADMIN_PASSWORD);
    assert!(accounts.known(right).is_none());
    assert!(accounts.check(right, None).unwrap().is_admin());
    assert_eq!(accounts.known(right).unwrap().name(), "admin");
    for wrong in [password("admin", "wrong"), password("nobody", ADMIN_PASSWORD), password("", "")] {
        assert!(accounts.known(wrong).is_none());
        assert_eq!(accounts.check(wrong, None).unwrap_err(), AuthError::Failed);
    }
    assert_eq!(accounts.check(Credentials::None, None).unwrap_err(), AuthError::Required);
}

#[test]
fn users_survive_the_process_and_other_servers_see_changes() {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
    let first = Accounts::open(store(&engine), options()).unwrap();
    assert!(!first.has_admin());
    first.set_admin_password(ADMIN_PASSWORD).unwrap();
    let second = Accounts::open(store(&engine), options()).unwrap();
    add_user(&first, "bob", "pw");
    assert!(second.check(password("bob", "pw"), None).is_err());
    // A change of the second one is made to what the first one has left.
    add_user(&second, "alice", "pw");
    let bob = second.check(password("bob", "pw"), None).unwrap();
    first.refresh().unwrap();
    assert!(first.check(password("alice", "pw"), None).is_ok());
    Editor::new(&first, &admin(&first)).delete_user("bob").unwrap();
    assert!(second.renew(&bob).is_ok(), "not read yet");
    second.refresh().unwrap();
    assert_eq!(second.renew(&bob).unwrap_err(), AuthError::Failed);
}

#[test]
fn records_that_are_too_old_let_nobody_in() {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
    let stale = Duration::from_millis(50);
    let accounts = Accounts::open(store(&engine), Options { stale: Some(stale), ..options() }).unwrap();
    accounts.set_admin_password(ADMIN_PASSWORD).unwrap();
    let right = password("admin", ADMIN_PASSWORD);
    // Hashing may take longer than the records are good for.
    let login = std::iter::repeat_with(|| {
        accounts.refresh().unwrap();
        accounts.check(right, None)
    });
    let caller = login.take(100).find_map(Result::ok).unwrap();
    std::thread::sleep(stale * 2);
    assert!(accounts.known(right).is_none());
    for refused in [accounts.check(right, None), accounts.renew(&caller)] {
        let error = refused.unwrap_err();
        assert!(matches!(&error, AuthError::Storage(text) if text.contains("cluster.stale_ms")), "{error}");
    }
    // As soon as they are read again, a login is what it was.
    let renewed = std::iter::repeat_with(|| {
        accounts.refresh().unwrap();
        accounts.renew(&caller)
    });
    assert!(renewed.take(100).any(|renewed| renewed.is_ok()));
}

#[test]
fn what_ends_a_login_ends_it_at_once() {
    let accounts = accounts();
    add_user(&accounts, "bob", "first");
    let bob = accounts.check(password("bob", "first"), None).unwrap();
    let token = accounts.token_for(&bob, 0).unwrap();
    let other = accounts.token_for(&bob, 1_000_000).unwrap();
    let by_token = accounts.known(Credentials::Token(&token)).unwrap();
    let (key_id, key) = Editor::new(&accounts, &bob).create_key(true, None, None).unwrap();
    let by_key = accounts.known(password("bob", &key)).unwrap();
    assert_eq!(accounts.known(Credentials::Token(&key)).unwrap().name(), "bob");
    assert!(accounts.known(password("admin", &key)).is_none(), "the key of another user");
    assert!(accounts.token_for(&by_key, 0).is_err() && accounts.token_for(&by_token, 0).is_err());
    assert!([&bob, &by_token, &by_key].into_iter().all(|caller| accounts.renew(caller).is_ok()));

    accounts.log_out(&token).unwrap();
    assert!(accounts.known(Credentials::Token(&token)).is_none() && accounts.renew(&by_token).is_err());
    assert!(accounts.known(Credentials::Token(&other)).is_some(), "only the one");

    let new = UserInput { password: Some("second".to_owned()), ..UserInput::default() };
    Editor::new(&accounts, &bob).update_user("bob", &new).unwrap();
    assert!(accounts.renew(&bob).is_err() && accounts.known(Credentials::Token(&other)).is_none());
    assert!(accounts.known(password("bob", "first")).is_none());
    assert_eq!(accounts.check(password("bob", "first"), None).unwrap_err(), AuthError::Failed);
    assert!(accounts.renew(&by_key).is_ok(), "keys are taken back one by one");
    let bob = accounts.check(password("bob", "second"), None).unwrap();
    Editor::new(&accounts, &bob).delete_key(&key_id).unwrap();
    assert!(accounts.renew(&by_key).is_err() && accounts.known(Credentials::Token(&key)).is_none());

    let token = accounts.token_for(&bob, 0).unwrap();
    accounts.rotate_token_keys().unwrap();
    assert!(accounts.known(Credentials::Token(&token)).is_some());
    accounts.rotate_token_keys().unwrap();
    assert!(accounts.known(Credentials::Token(&token)).is_none());
}

#[test]
fn a_password_that_is_not_shown_stays_and_hashes_of_hugegraph_log_in() {
    let accounts = accounts();
    let caller = admin(&accounts);
    let editor = Editor::new(&accounts, &caller);
    // "secret", hashed by HugeGraph's cost of 4.
    let hash = bcrypt::hash("secret", 4).unwrap();
    let input = UserInput { name: Some("old".to_owned()), password: Some(hash.clone()), ..UserInput::default() };
    let id = editor.create_user(&input).unwrap();
    let stored = |accounts: &Accounts| accounts.read(|document| document.users[&id].password_hash.clone());
    assert_eq!(stored(&accounts), hash);
    assert!(accounts.check(password("old", &hash), None).is_err(), "the hash is no password");
    let old = accounts.check(password("old", "secret"), None).unwrap();
    assert!(stored(&accounts).starts_with("$argon2id$"));
    assert!(accounts.renew(&old).is_ok() && accounts.check(password("old", "secret"), None).is_ok());
    let before = stored(&accounts);
    let shown =
        UserInput { password: Some(HIDDEN_PASSWORD.to_owned()), phone: Some("1".to_owned()), ..UserInput::default() };
    editor.update_user(&id, &shown).unwrap();
    assert_eq!(stored(&accounts), before);
    // Who is no administrator has no say in hashes.
    let input = UserInput { password: Some(hash.clone()), ..UserInput::default() };
    Editor::new(&accounts, &old).update_user(&id, &input).unwrap();
    assert!(accounts.check(password("old", &hash), None).is_ok());
}

#[test]
fn guessing_is_slowed_down_and_locks_nobody_out() {
    let accounts = accounts();
    add_user(&accounts, "bob", "right");
    let from = |text: &str| Some(text.parse::<IpAddr>().unwrap());
    let outcomes: Vec<_> =
        (0..8).map(|_| accounts.check(password("bob", "wrong"), from("10.0.0.1")).unwrap_err()).collect();
    assert_eq!(outcomes[..5], vec![AuthError::Failed; 5]);
    assert!(outcomes[5..].iter().all(|error| matches!(error, AuthError::Throttled { .. })), "{outcomes:?}");
    let right = password("bob", "right");
    assert!(matches!(accounts.check(right, from("10.0.0.2")), Err(AuthError::Throttled { .. })), "the same network");
    assert!(accounts.check(right, from("10.0.1.1")).is_ok());
    assert!(accounts.check(right, from("10.0.0.1")).is_ok(), "who is known is not asked again");
    assert!(accounts.check(password("admin", ADMIN_PASSWORD), from("127.0.0.1")).is_ok());
}

#[test]
fn an_unknown_user_takes_as_long_as_a_wrong_password() {
    let accounts = accounts();
    let mut took = [Vec::new(), Vec::new()];
    for round in 0..7 {
        for (which, user) in ["admin", "nobody"].into_iter().enumerate() {
            let from = Some(format!("10.{round}.{which}.1").parse().unwrap());
            let started = std::time::Instant::now();
            assert_eq!(accounts.check(password(user, "wrong"), from).unwrap_err(), AuthError::Failed);
            took[which].push(started.elapsed());
        }
    }
    let [known, unknown] = took.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    let ratio = known.as_secs_f64() / unknown.as_secs_f64();
    assert!((0.5..2.0).contains(&ratio), "{known:?} and {unknown:?}");
}

#[test]
fn rights_are_those_of_groups_and_end_with_them() {
    let accounts = accounts();
    for user in ["bob", "reader"] {
        add_user(&accounts, user, "pw");
    }
    let person = Resource { label: "person".to_owned(), ..Resource::whole(ResourceType::Vertex) };
    let right = grant(&accounts, "bob", Permission::Read, "g*", person);
    let all = grant(&accounts, "reader", Permission::Read, "*", Resource::whole(ResourceType::All));
    let login = |user| accounts.check(password(user, "pw"), None).unwrap();
    let (bob, reader) = (login("bob"), login("reader"));
    let (read, vertex, edge) = (Permission::Read, ResourceType::Vertex, ResourceType::Edge);
    assert!(bob.may("g1", read, vertex) && !bob.may_all("g1", read, vertex));
    assert!(bob.may_named("g1", read, vertex, "person") && !bob.may_named("g1", read, vertex, "software"));
    assert!(!bob.may("other", read, vertex) && !bob.may("g1", read, edge) && !bob.may("g1", Permission::Write, vertex));
    assert!(bob.knows("g1") && !bob.knows("other") && !bob.is_admin() && !bob.is_manager());
    assert!(reader.may_all("any", read, vertex) && !reader.may("any", read, ResourceType::UserGroup));
    assert!(!reader.may("any", Permission::Execute, ResourceType::Gremlin), "to read is not to run");
    let graph = accounts.store().graph("hugegraph").unwrap();
    assert!(reader.rights(&graph).unwrap().read.is_all());
    assert!(admin(&accounts).rights(&graph).is_none());
    assert!(bob.rights(&graph).unwrap().read.is_none());
    Editor::new(&accounts, &admin(&accounts)).delete_access(&all).unwrap();
    let renewed = accounts.renew(&reader).unwrap();
    assert!(!renewed.knows("any") && !renewed.may("any", read, vertex));
    Editor::new(&accounts, &admin(&accounts)).delete_group(&ids::group("bob-READ-VERTEX#person-g*")).unwrap();
    assert!(!accounts.read(|document| document.accesses.contains_key(&right)));
    assert!(!accounts.renew(&bob).unwrap().knows("g1"));
}

#[test]
fn nobody_gives_a_right_that_they_do_not_have() {
    let accounts = accounts();
    for user in ["giver", "taker"] {
        add_user(&accounts, user, "pw");
    }
    let person = Resource { label: "person".to_owned(), ..Resource::whole(ResourceType::Vertex) };
    grant(&accounts, "giver", Permission::Read, "g", person.clone());
    let more = grant(&accounts, "taker", Permission::Write, "g", person.clone());
    let giver = accounts.check(password("giver", "pw"), None).unwrap();
    let editor = Editor::new(&accounts, &giver);
    let group = editor.create_group(Some(&"new".to_owned()), None).unwrap();
    let target = |name: &str, graph: &str, resource: Resource| {
        let input = TargetInput {
            name: Some(name.to_owned()),
            graph: Some(graph.to_owned()),
            url: Some("x".to_owned()),
            resources: Some(vec![resource]),
        };
        editor.create_target(&input).unwrap()
    };
    let own = target("own", "g", person.clone());
    let give = |target: &str, permission: &str| {
        editor.create_access(Some(&group), Some(&target.to_owned()), Some(&permission.to_owned()), None)
    };
    assert!(give(&own, "READ").is_ok());
    assert!(give(&own, "WRITE").is_err() && give(&own, "ADMIN").is_err());
    let any_person = Resource { label: "pers*".to_owned(), ..person.clone() };
    assert!(give(&target("label", "g", any_person), "READ").is_err());
    assert!(give(&target("graph", "g*", person), "READ").is_err());
    assert!(give(&target("kind", "g", Resource::whole(ResourceType::All)), "READ").is_err());
    let wider = TargetInput { resources: Some(vec![Resource::whole(ResourceType::Vertex)]), ..TargetInput::default() };
    assert!(editor.update_target(&own, &wider).is_err(), "a right that was given would grow");
    let to_group = accounts.read(|document| document.accesses[&more].group.clone());
    assert!(editor.create_belong(Some(&ids::user("giver")), Some(&to_group), None).is_err());
    let new = UserInput { password: Some("mine".to_owned()), ..UserInput::default() };
    assert!(editor.update_user("taker", &new).is_err() && editor.update_user("admin", &new).is_err());
    assert!(editor.delete_user("taker").is_err());
    assert!(editor.set_manager("giver", auth::records::ManagerKind::Admin, true).is_err());
    assert!(editor.update_user("giver", &new).is_ok());
}

#[test]
fn a_manager_has_the_graphs_but_not_the_administrator() {
    let accounts = accounts();
    add_user(&accounts, "boss", "pw");
    let kind = auth::records::ManagerKind::Space;
    Editor::new(&accounts, &admin(&accounts)).set_manager("boss", kind, true).unwrap();
    let boss = accounts.check(password("boss", "pw"), None).unwrap();
    assert!(boss.is_manager() && !boss.is_admin());
    assert!(boss.may_all("any", Permission::Write, ResourceType::Vertex));
    let new = UserInput { password: Some("mine".to_owned()), ..UserInput::default() };
    assert!(Editor::new(&accounts, &boss).update_user("admin", &new).is_err());
    let mine = accounts.check(password("boss", "pw"), None).unwrap();
    let (_, key) = Editor::new(&accounts, &mine).create_key(true, None, None).unwrap();
    let reading = accounts.known(Credentials::Token(&key)).unwrap();
    assert!(!reading.is_manager() && reading.may_all("any", Permission::Read, ResourceType::Edge));
    assert!(!reading.may("any", Permission::Write, ResourceType::Vertex));
    let graph = accounts.store().graph("hugegraph").unwrap();
    let rights = reading.rights(&graph).unwrap();
    assert!(rights.read.is_all() && rights.write.is_none() && rights.delete.is_none());
}
