//! Records in real files: what stands in them, how they go on, and what a check finds.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use audit::{Audit, Class, Event, Options, Outcome, Report, Subject, verify};
use serde_json::Value;

fn options(file: &Path) -> Options {
    Options {
        file: file.to_owned(),
        classes: vec![Class::Login, Class::Query, Class::Schema],
        file_bytes_max: 1 << 20,
        files_max: 3,
        is_required: false,
        is_chained: true,
        has_query_text: false,
    }
}

fn event(number: u32) -> Event {
    let subject = Subject {
        user: Some(format!("user{number}")),
        proof: "password",
        address: Some("10.1.2.3".parse().unwrap()),
        protocol: "rest",
        request: Some(number.to_string()),
        ..Subject::default()
    };
    Event { target: Some("person".to_owned()), ..Event::new(Class::Schema, "POST x", subject).of_graph("g") }
}

fn write(file: &Path, numbers: std::ops::Range<u32>) {
    let audit = Audit::open(options(file)).unwrap();
    numbers.for_each(|number| audit.end(event(number), Outcome::of_status(201, Duration::from_millis(3))));
    audit.flush_blocking();
}

fn lines(file: &Path) -> Vec<String> {
    std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}

fn put(file: &Path, lines: &[String]) {
    std::fs::write(file, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

fn check(files: &[&Path]) -> Report {
    verify(&files.iter().map(|file| PathBuf::from(*file)).collect::<Vec<_>>()).unwrap()
}

/// Line and text of what is wrong.
fn wrong(file: &Path) -> (u64, String) {
    let problem = check(&[file]).problem.unwrap();
    (problem.line, problem.what)
}

#[test]
fn a_line_says_who_did_what() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.log");
    write(&file, 0..1);
    let line: Value = serde_json::from_str(&lines(&file)[0]).unwrap();
    let mut rest = line.as_object().unwrap().clone();
    let time = rest.remove("time").unwrap();
    assert!(time.as_str().unwrap().parse::<jiff::Timestamp>().is_ok(), "{time}");
    let expected = serde_json::json!({
        "seq": 1, "class": "schema", "action": "POST x", "user": "user0", "auth": "password", "address": "10.1.2.3",
        "protocol": "rest", "request": "0", "graph": "g", "target": "person", "result": "ok", "status": "201", "ms": 3,
        "previous": "0".repeat(64),
    });
    assert_eq!(Value::from(rest), expected);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn only_chosen_classes_are_recorded_and_texts_of_queries_are_hashes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.log");
    let audit = Audit::open(options(&file)).unwrap();
    assert!(audit.records(Class::Query) && !audit.records(Class::Read) && !Audit::off().records(Class::Login));
    let of = |class| Event::new(class, "x", Subject::default());
    audit.end(of(Class::Read), Outcome::of_status(403, Duration::ZERO));
    let mut query = of(Class::Query);
    audit.note_query(&mut query, "g.V().has('name', 'secret')");
    audit.end(query, Outcome::ok(Duration::ZERO));
    audit.flush_blocking();
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("\"query_sha256\":\"") && !text.contains("secret"), "{text}");
    let audit = Audit::open(Options { classes: vec![Class::Denied], has_query_text: true, ..options(&file) }).unwrap();
    assert!(audit.records(Class::Read), "it may be refused");
    audit.end(of(Class::Read), Outcome::of_status(200, Duration::ZERO));
    let mut query = of(Class::Query);
    audit.note_query(&mut query, "g.V()");
    audit.end(query, Outcome::of_status(403, Duration::ZERO));
    audit.flush_blocking();
    let last = lines(&file).pop().unwrap();
    assert!(lines(&file).len() == 2 && last.contains("\"query\":\"g.V()\"") && last.contains("denied"), "{last}");
}

#[test]
fn no_text_of_a_client_begins_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.log");
    let audit = Audit::open(options(&file)).unwrap();
    let user = "bob\r\n{\"seq\":9}\u{2028}\u{0}";
    let subject = Subject { user: Some(user.to_owned()), ..Subject::default() };
    audit.end(Event::new(Class::Login, "login", subject), Outcome::of_status(401, Duration::ZERO));
    audit.flush_blocking();
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["user"], user);
}

#[test]
fn the_chain_goes_on_over_restarts_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.log");
    write(&file, 0..5);
    write(&file, 5..9);
    let report = check(&[&file]);
    assert_eq!((report.lines, report.seq, report.problem), (9, 9, None));
    let bytes = std::fs::metadata(&file).unwrap().len();
    let audit = Audit::open(Options { file_bytes_max: bytes, ..options(&file) }).unwrap();
    for number in 9..20 {
        audit.end(event(number), Outcome::ok(Duration::ZERO));
        audit.flush_blocking();
    }
    let (first, second) = (folder.path().join("audit.log.1"), folder.path().join("audit.log.2"));
    assert!(first.exists() && second.exists() && std::fs::metadata(&first).unwrap().len() <= bytes);
    // In whatever order they are named.
    let report = check(&[&file, &second, &first]);
    assert_eq!((report.lines, report.seq, report.problem), (20, 20, None));
    // A file that is missing in between is told.
    let problem = check(&[&file, &second]).problem.unwrap();
    assert!(problem.line == 1 && problem.what.contains("were removed"), "{problem}");
    // One more and the oldest goes.
    for number in 20..40 {
        audit.end(event(number), Outcome::ok(Duration::ZERO));
        audit.flush_blocking();
    }
    assert!(!folder.path().join("audit.log.3").exists());
    assert_eq!(check(&[&file, &second, &first]).problem, None);
}

#[test]
fn a_check_names_the_first_line_that_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.log");
    write(&file, 0..10);
    let good = lines(&file);
    assert_eq!(check(&[&file]).problem, None);
    let damaged = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = good.clone();
        change(&mut lines);
        put(&file, &lines);
        wrong(&file)
    };
    let (line, what) = damaged(&|lines| lines[3] = lines[3].replace("user3", "user4"));
    assert!(line == 4 && what.contains("was changed"), "{line}: {what}");
    let (line, what) = damaged(&|lines| lines[9] = lines[9].replace("user9", "user8"));
    assert!(line == 10 && what.contains("was changed"), "{line}: {what}");
    let (line, what) = damaged(&|lines| drop(lines.drain(2..4)));
    assert!(line == 3 && what.contains("before this line 2 were removed"), "{line}: {what}");
    let (line, what) = damaged(&|lines| lines.swap(4, 5));
    assert!(line == 5 && what.contains("removed"), "{line}: {what}");
    let (line, what) = damaged(&|lines| lines.insert(6, lines[2].clone()));
    assert!(line == 7 && what.contains("wrong place"), "{line}: {what}");
    let (line, what) = damaged(&|lines| lines.truncate(8));
    assert!(line == 9 && what.contains("cut off before this line: 2 more"), "{line}: {what}");
    let (line, what) = damaged(&|lines| lines.insert(0, "{}".to_owned()));
    assert!(line == 1 && what.contains("no record"), "{line}: {what}");
    put(&file, &good);
    let text = std::fs::read(&file).unwrap();
    std::fs::write(&file, &text[..text.len() - 20]).unwrap();
    let (line, what) = wrong(&file);
    assert!(line == 10 && what.contains("it has no end"), "{line}: {what}");
    // The server goes on after it, and the check still tells.
    write(&file, 10..11);
    assert_eq!(wrong(&file).0, 10);
}

#[test]
fn what_must_be_recorded_and_cannot_is_refused() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.log");
    runtime.block_on(async {
        let full = Options { is_required: true, is_chained: false, ..options(Path::new("/dev/full")) };
        let audit = Audit::open(full.clone()).unwrap();
        let refused = audit.begin(&event(1)).await.unwrap_err().to_string();
        assert!(refused.contains("audit.required") && refused.contains("No space left"), "{refused}");
        let read = Event::new(Class::Read, "GET x", Subject::default());
        assert_eq!(audit.begin(&read).await, Ok(()), "its class is not recorded");
        let audit = Audit::open(Options { is_required: false, ..full }).unwrap();
        assert_eq!(audit.begin(&event(1)).await, Ok(()));
        let audit = Audit::open(Options { is_required: true, ..options(&file) }).unwrap();
        audit.begin(&event(1)).await.unwrap();
        assert_eq!(lines(&file).len(), 1, "it is there before what it is about begins");
        audit.end(event(1), Outcome::ok(Duration::ZERO));
        tokio::task::spawn_blocking(move || audit.flush_blocking()).await.unwrap();
    });
    let lines = lines(&file);
    assert!(lines[0].contains("\"stage\":\"begun\"") && !lines[0].contains("result"), "{}", lines[0]);
    assert!(lines[1].contains("\"stage\":\"done\"") && lines[1].contains("\"result\":\"ok\""), "{}", lines[1]);
    assert_eq!(check(&[&file]).problem, None);
}

#[test]
fn lines_without_a_chain_are_put_aside_where_one_begins() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.log");
    let audit = Audit::open(Options { is_chained: false, ..options(&file) }).unwrap();
    audit.end(event(1), Outcome::ok(Duration::ZERO));
    audit.flush_blocking();
    assert!(wrong(&file).1.contains("without audit.chain"));
    write(&file, 2..4);
    let report = check(&[&file]);
    assert_eq!((report.lines, report.seq, report.problem), (2, 3, None));
    assert!(folder.path().join("audit.log.1").exists());
    let missing = Audit::open(options(&folder.path().join("no/such/audit.log"))).unwrap_err().to_string();
    assert!(missing.contains("audit.file"), "{missing}");
}
