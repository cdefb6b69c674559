//! What is recorded.

use std::borrow::Cow;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use data_encoding::HEXLOWER;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::limits;

/// Kinds of events, by which they are chosen (`audit.classes`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Logins, good and bad, and their ends.
    Login,
    /// Users, groups, rights and keys.
    Users,
    /// Labels, properties, indexes.
    Schema,
    /// Whole graphs: made, cleared, dropped, snapshots, modes.
    Graph,
    /// The server itself.
    Admin,
    /// Gremlin, Cypher and algorithms.
    Query,
    /// Changes of single elements and batches.
    Write,
    /// Reading.
    Read,
    /// Whatever was refused for lack of a right, of any class.
    Denied,
}

/// A name that is no class.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is none of login, users, schema, graph, admin, query, write, read and denied")]
pub struct UnknownClass(pub String);

impl Class {
    const ALL: [(&'static str, Self); 9] = [
        ("login", Self::Login),
        ("users", Self::Users),
        ("schema", Self::Schema),
        ("graph", Self::Graph),
        ("admin", Self::Admin),
        ("query", Self::Query),
        ("write", Self::Write),
        ("read", Self::Read),
        ("denied", Self::Denied),
    ];

    /// Its bit in a set of classes.
    pub(crate) fn bit(self) -> u16 {
        1 << (self as u16)
    }
}

impl FromStr for Class {
    type Err = UnknownClass;

    fn from_str(name: &str) -> Result<Self, UnknownClass> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, class)| *class).ok_or_else(|| UnknownClass(name.to_owned()))
    }
}

/// Who does something.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Subject {
    /// The user, or who was tried; none on a server without users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// How it has shown who it is: password, token, key, task, none.
    #[serde(rename = "auth")]
    pub proof: &'static str,
    /// The id of its API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// The protocol: rest, gremlin, bolt, query-api, cli.
    pub protocol: &'static str,
    /// The id of the request: the client's (`X-Request-Id`), or one that is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
}

/// What somebody does.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// Its kind.
    pub class: Class,
    /// What it is: the method and address of an endpoint, or the name of a message.
    pub action: String,
    /// Who does it.
    #[serde(flatten)]
    pub subject: Subject,
    /// The graph it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<String>,
    /// What it is about: a name in the schema, a user, an id of a task. No value of a property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// SHA-256 of the text of a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_sha256: Option<String>,
    /// The text of a query, where that is to be recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// How it ended.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// ok, denied (who asks is not known, or may not do that), or failed.
    pub result: &'static str,
    /// The status or code of the answer.
    pub status: Cow<'static, str>,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

impl Outcome {
    /// By the status of an answer over HTTP.
    #[must_use]
    pub fn of_status(status: u16, took: Duration) -> Self {
        let result = match status {
            401 | 403 => "denied",
            400.. => "failed",
            _ => "ok",
        };
        Self { result, status: Cow::Owned(status.to_string()), ms: milliseconds(took) }
    }

    /// By a code of another protocol; `is_denied`: whether it says that a right or a login is missing.
    #[must_use]
    pub fn of_code(code: impl Into<Cow<'static, str>>, is_denied: bool, took: Duration) -> Self {
        let result = if is_denied { "denied" } else { "failed" };
        Self { result, status: code.into(), ms: milliseconds(took) }
    }

    /// A success.
    #[must_use]
    pub fn ok(took: Duration) -> Self {
        Self { result: "ok", status: Cow::Borrowed("ok"), ms: milliseconds(took) }
    }

    /// Whether it was refused for lack of a right.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.result == "denied"
    }
}

fn milliseconds(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

impl Event {
    /// An event without further particulars.
    #[must_use]
    pub fn new(class: Class, action: impl Into<String>, subject: Subject) -> Self {
        Self { class, action: action.into(), subject, graph: None, target: None, query_sha256: None, query: None }
    }

    /// The same about a graph.
    #[must_use]
    pub fn of_graph(self, graph: impl Into<String>) -> Self {
        Self { graph: Some(graph.into()), ..self }
    }

    /// Cuts texts off that a client may have made long.
    pub(crate) fn shorten(&mut self) {
        cut(&mut self.action, limits::TEXT_BYTES_MAX);
        let texts = [&mut self.subject.user, &mut self.subject.key, &mut self.subject.request];
        for text in texts.into_iter().chain([&mut self.graph, &mut self.target]).flatten() {
            cut(text, limits::TEXT_BYTES_MAX);
        }
        if let Some(query) = &mut self.query {
            cut(query, limits::QUERY_BYTES_MAX);
        }
    }
}

fn cut(text: &mut String, max: usize) {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max));
    }
}

/// SHA-256 of the text of a query, as records have it.
#[must_use]
pub fn query_hash(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_names_and_bits_of_their_own() {
        let mut seen = 0;
        for (name, class) in Class::ALL {
            assert_eq!(name.parse(), Ok(class));
            assert_eq!(serde_json::to_value(class).unwrap(), name);
            assert_eq!(seen & class.bit(), 0);
            seen |= class.bit();
        }
        assert!("logins".parse::<Class>().unwrap_err().to_string().contains("'logins' is none of login,"));
    }

    #[test]
    fn outcomes_are_told_apart() {
        let result = |status| Outcome::of_status(status, Duration::ZERO).result;
        assert_eq!(
            [200, 204, 400, 401, 403, 404, 500].map(result),
            ["ok", "ok", "failed", "denied", "denied", "failed", "failed"]
        );
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let mut event = Event::new(Class::Login, "login", Subject::default());
        event.subject.user = Some("ä".repeat(limits::TEXT_BYTES_MAX));
        event.target = Some(format!("a{}", "ä".repeat(limits::TEXT_BYTES_MAX)));
        event.shorten();
        assert_eq!(event.subject.user.unwrap().len(), limits::TEXT_BYTES_MAX);
        assert_eq!(event.target.unwrap().len(), limits::TEXT_BYTES_MAX - 1);
    }

    #[test]
    fn hashes_are_those_of_others() {
        // printf abc | sha256sum
        assert_eq!(query_hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
