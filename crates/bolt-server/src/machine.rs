//! Which message may come when.
//!
//! The states are those of <https://neo4j.com/docs/bolt/current/bolt/server-state/>, without I/O: a connection asks
//! [`Machine::decide`] before it does what a message wants, and tells how that ended.

use bolt_codec::{Request, Version};

use crate::limits::OPEN_RESULTS_MAX;

/// What a connection is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nobody has said who the client is.
    Hello,
    /// Nobody has said who the user is.
    Logon,
    /// Nothing goes on.
    Ready,
    /// A result of a query that stands alone is open.
    Streaming,
    /// A transaction, whose results are all through.
    Transaction,
    /// A transaction with open results.
    TransactionStreaming,
    /// Something failed; all is ignored until RESET.
    Failed,
    /// The connection ends.
    Closed,
}

/// What is to be done with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// What it wants.
    Do,
    /// Nothing; the answer is IGNORED.
    Ignore,
    /// Nothing; the answer is a failure, and the connection ends.
    Refuse,
}

/// The state of a connection.
#[derive(Clone, Debug)]
pub struct Machine {
    version: Version,
    state: State,
    /// Results of the transaction that are not through.
    open: Vec<i64>,
    /// The number of the query that was run last.
    last: i64,
    next: i64,
}

impl Machine {
    /// A connection that has just agreed on a version.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self { version, state: State::Hello, open: Vec::new(), last: 0, next: 0 }
    }

    /// What the connection is at.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether a user is known.
    #[must_use]
    pub fn is_logged_on(&self) -> bool {
        !matches!(self.state, State::Hello | State::Logon | State::Closed)
    }

    /// Whether a transaction that the client began is open.
    #[must_use]
    pub fn is_in_transaction(&self) -> bool {
        matches!(self.state, State::Transaction | State::TransactionStreaming)
    }

    /// What is to be done with a message.
    #[must_use]
    pub fn decide(&self, request: &Request) -> Decision {
        use State::{Failed, Hello, Logon, Ready, Streaming, Transaction, TransactionStreaming};
        let is_allowed = match request {
            Request::Goodbye => true,
            Request::Hello(_) => self.state == Hello,
            Request::Logon(_) => self.state == Logon && self.version.has_logon(),
            Request::Reset => self.is_logged_on(),
            _ if self.state == Failed => return Decision::Ignore,
            Request::Logoff => self.state == Ready && self.version.has_logon(),
            Request::Run(_) => matches!(self.state, Ready | Transaction | TransactionStreaming),
            Request::Pull(_) | Request::Discard(_) => matches!(self.state, Streaming | TransactionStreaming),
            Request::Begin(_) | Request::Route(_) => self.state == Ready,
            Request::Telemetry => self.state == Ready && self.version.has_telemetry(),
            Request::Commit | Request::Rollback => self.is_in_transaction(),
        };
        if is_allowed { Decision::Do } else { Decision::Refuse }
    }

    /// Which result a message is about: the last one where it names none. None where there is no such open result.
    #[must_use]
    pub fn result(&self, named: Option<i64>) -> Option<i64> {
        let wanted = named.unwrap_or(self.last);
        self.open.contains(&wanted).then_some(wanted)
    }

    /// The number of the query that is run next.
    #[must_use]
    pub fn next_query(&self) -> i64 {
        if self.state == State::Ready { 0 } else { self.next }
    }

    /// Whether one more result may be open.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.open.len() < OPEN_RESULTS_MAX
    }

    /// HELLO was answered.
    pub fn greeted(&mut self) {
        self.state = if self.version.has_logon() { State::Logon } else { State::Ready };
    }

    /// LOGON was answered.
    pub fn logged_on(&mut self) {
        self.state = State::Ready;
    }

    /// LOGOFF was answered.
    pub fn logged_off(&mut self) {
        self.state = State::Logon;
    }

    /// BEGIN was answered.
    pub fn begun(&mut self) {
        self.forget_results();
        self.state = State::Transaction;
    }

    /// A query runs. Gives its number.
    pub fn opened(&mut self) -> i64 {
        if self.state == State::Ready {
            self.forget_results();
        }
        self.last = self.next;
        self.next += 1;
        self.open.push(self.last);
        self.state = if self.state == State::Ready { State::Streaming } else { State::TransactionStreaming };
        self.last
    }

    /// A result is through.
    pub fn ended(&mut self, query: i64) {
        self.open.retain(|open| *open != query);
        self.state = match (self.state, self.open.is_empty()) {
            (State::Streaming, _) => State::Ready,
            (State::TransactionStreaming, true) => State::Transaction,
            (state, _) => state,
        };
    }

    /// COMMIT, ROLLBACK or RESET was answered.
    pub fn settled(&mut self) {
        self.forget_results();
        self.state = State::Ready;
    }

    /// A message was answered by a failure. Before a user is known that ends the connection.
    pub fn failed(&mut self) {
        self.forget_results();
        self.state = if self.is_logged_on() { State::Failed } else { State::Closed };
    }

    /// The connection ends.
    pub fn close(&mut self) {
        self.forget_results();
        self.state = State::Closed;
    }

    fn forget_results(&mut self) {
        self.open.clear();
        (self.last, self.next) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use bolt_codec::{Credentials, Extra, Fetch, Hello, Run};

    use super::*;

    fn pull() -> Request {
        Request::Pull(Fetch { rows: Some(1), query: None })
    }

    fn run() -> Request {
        Request::Run(Box::<Run>::default())
    }

    fn ready() -> Machine {
        let mut machine = Machine::new(Version::new(5, 8));
        machine.greeted();
        machine.logged_on();
        machine
    }

    #[test]
    fn nothing_is_done_before_a_user_is_known() {
        let mut machine = Machine::new(Version::new(5, 8));
        for greeted in [false, true] {
            if greeted {
                machine.greeted();
            }
            for request in [run(), pull(), Request::Begin(Extra::default()), Request::Reset, Request::Logoff] {
                assert_eq!(machine.decide(&request), Decision::Refuse, "{request:?}");
            }
        }
        assert_eq!(machine.decide(&Request::Logon(Credentials::default())), Decision::Do);
        assert_eq!(machine.decide(&Request::Hello(Box::<Hello>::default())), Decision::Refuse);
        machine.failed();
        assert_eq!(machine.state(), State::Closed);
    }

    #[test]
    fn before_5_1_hello_logs_on() {
        let mut machine = Machine::new(Version::new(5, 0));
        assert_eq!(machine.decide(&Request::Hello(Box::default())), Decision::Do);
        machine.greeted();
        assert_eq!(machine.state(), State::Ready);
        assert_eq!(machine.decide(&Request::Logoff), Decision::Refuse);
    }

    #[test]
    fn a_failure_is_ended_by_reset_alone() {
        let mut machine = ready();
        machine.opened();
        machine.failed();
        for request in [run(), pull(), Request::Commit, Request::Logoff] {
            assert_eq!(machine.decide(&request), Decision::Ignore, "{request:?}");
        }
        assert_eq!(machine.decide(&Request::Reset), Decision::Do);
        machine.settled();
        assert_eq!(machine.decide(&run()), Decision::Do);
    }

    #[test]
    fn results_of_a_transaction_are_told_apart() {
        let mut machine = ready();
        machine.begun();
        assert_eq!(machine.decide(&pull()), Decision::Refuse);
        assert_eq!((machine.opened(), machine.opened()), (0, 1));
        assert_eq!((machine.result(None), machine.result(Some(0)), machine.result(Some(7))), (Some(1), Some(0), None));
        machine.ended(1);
        assert_eq!((machine.state(), machine.result(None)), (State::TransactionStreaming, None));
        machine.ended(0);
        assert_eq!(machine.state(), State::Transaction);
        assert_eq!(machine.decide(&Request::Begin(Extra::default())), Decision::Refuse);
        assert_eq!(machine.decide(&Request::Commit), Decision::Do);
        machine.settled();
        assert_eq!(machine.opened(), 0);
        assert_eq!(machine.decide(&run()), Decision::Refuse);
        machine.ended(0);
        assert_eq!(machine.state(), State::Ready);
    }
}
