//! Bolt: values as PackStream, and a client's messages to a connection. Whatever comes, it is read or refused.

use bolt_codec::pack::{self, Reader};
use bolt_codec::{
    Answer, Dechunker, Dialect, Negotiated, Request, Version, choice, is_fetch, is_reset, message, negotiate,
};
use bolt_server::{Decision, Machine, State};

/// A value: what was read is written as bytes that mean the same, in each dialect.
pub(crate) fn pack_stream(bytes: &[u8]) {
    for dialect in [Dialect::of(Version::new(5, 8)), Dialect::of(Version::new(4, 4))] {
        let mut reader = Reader::of_server(bytes, dialect);
        let Ok(value) = reader.value() else { continue };
        let mut written = Vec::new();
        pack::value(&mut written, &value, dialect);
        let mut again = Reader::of_server(&written, dialect);
        let second = again.value().expect("what is written can be read");
        again.finish().expect("nothing is left");
        let mut third = Vec::new();
        pack::value(&mut third, &second, dialect);
        // Moments of a clock that is set back have two readings, the first of which is taken.
        if dialect.is_utc {
            assert_eq!(third, written, "{value:?}");
        }
    }
    drop(Answer::read(bytes, Dialect::of(Version::new(5, 0))));
}

/// All that a client sends: the first byte chooses the version, the next one how messages end, the rest are chunks.
pub(crate) fn bolt_messages(bytes: &[u8]) {
    if let Some(proposals) = bytes.first_chunk::<16>()
        && let Negotiated::Version(version) = negotiate(proposals)
    {
        assert!(version.is_spoken());
    }
    drop(choice(bytes));
    let [version, ends, chunks @ ..] = bytes else { return };
    let versions: Vec<Version> = Version::spoken().collect();
    let version = versions[usize::from(*version) % versions.len()];
    let mut machine = Machine::new(version);
    let mut dechunker = Dechunker::new(4_096);
    let mut ends = (0_u8..).map(|at| ends.rotate_left(u32::from(at % 8)) & 1 == 1);
    let fed = dechunker.feed(chunks, |message| {
        assert!(!message.is_empty() && message.len() <= 4_096);
        one(&mut machine, Dialect::of(version), &message, ends.next().unwrap_or_default());
    });
    assert!(fed.is_ok() || dechunker.held_bytes() <= 4_096);
}

/// One message, which succeeds or not.
fn one(machine: &mut Machine, dialect: Dialect, bytes: &[u8], succeeds: bool) {
    let Ok(request) = Request::read(bytes, dialect) else {
        machine.failed();
        return;
    };
    assert_eq!(is_reset(bytes), matches!(request, Request::Reset));
    assert_eq!(is_fetch(bytes), matches!(request, Request::Pull(_) | Request::Discard(_)));
    let mut again = Vec::new();
    message(&mut again, |out| request.write(out, dialect));
    let (before, was_logged_on) = (machine.state(), machine.is_logged_on());
    match machine.decide(&request) {
        Decision::Ignore => assert_eq!(before, State::Failed),
        Decision::Refuse => machine.close(),
        Decision::Do => {
            if !was_logged_on {
                let may_come = matches!(request, Request::Hello(_) | Request::Logon(_) | Request::Goodbye);
                assert!(may_come, "{} before a user is known", request.name());
            }
            if before == State::Failed {
                assert!(matches!(request, Request::Reset | Request::Goodbye), "{} after a failure", request.name());
            }
            carry_out(machine, &request, succeeds);
        }
    }
    if before == State::Closed {
        assert_eq!(machine.state(), State::Closed);
    }
    let has_results = matches!(machine.state(), State::Streaming | State::TransactionStreaming);
    assert!(has_results || machine.result(None).is_none());
}

fn carry_out(machine: &mut Machine, request: &Request, succeeds: bool) {
    match request {
        Request::Goodbye => machine.close(),
        Request::Reset => machine.settled(),
        _ if !succeeds => machine.failed(),
        Request::Hello(_) => machine.greeted(),
        Request::Logon(_) => machine.logged_on(),
        Request::Logoff => machine.logged_off(),
        Request::Begin(_) => machine.begun(),
        Request::Run(_) => {
            let expected = machine.next_query();
            assert_eq!(machine.opened(), expected);
        }
        Request::Pull(fetch) | Request::Discard(fetch) => match (machine.result(fetch.query), fetch.rows) {
            (None, _) => machine.failed(),
            (Some(query), None) => machine.ended(query),
            (Some(_), Some(_)) => {}
        },
        Request::Commit | Request::Rollback => machine.settled(),
        Request::Route(_) | Request::Telemetry => {}
    }
}
