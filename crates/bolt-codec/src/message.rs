//! Messages of clients.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cypher_value::{Map, Text, Value};

use crate::error::CodecError;
use crate::pack::{self, Dialect, Reader};

/// Tags of messages of clients.
mod tag {
    pub(super) const HELLO: u8 = 0x01;
    pub(super) const GOODBYE: u8 = 0x02;
    pub(super) const RESET: u8 = 0x0F;
    pub(super) const RUN: u8 = 0x10;
    pub(super) const BEGIN: u8 = 0x11;
    pub(super) const COMMIT: u8 = 0x12;
    pub(super) const ROLLBACK: u8 = 0x13;
    pub(super) const DISCARD: u8 = 0x2F;
    pub(super) const PULL: u8 = 0x3F;
    pub(super) const TELEMETRY: u8 = 0x54;
    pub(super) const ROUTE: u8 = 0x66;
    pub(super) const LOGON: u8 = 0x6A;
    pub(super) const LOGOFF: u8 = 0x6B;
}

/// A message of a client.
#[derive(Clone, Debug)]
pub enum Request {
    /// The first message: who the client is.
    Hello(Box<Hello>),
    /// Who the user is.
    Logon(Credentials),
    /// The user leaves, and another one may come.
    Logoff,
    /// A query.
    Run(Box<Run>),
    /// Takes rows of a result.
    Pull(Fetch),
    /// Leaves rows of a result.
    Discard(Fetch),
    /// Begins a transaction.
    Begin(Extra),
    /// Ends a transaction; what it wrote stays.
    Commit,
    /// Ends a transaction; what it wrote is gone.
    Rollback,
    /// Ends whatever is going on.
    Reset,
    /// Asks which server does what.
    Route(Route),
    /// Tells how the client is used.
    Telemetry,
    /// The client leaves.
    Goodbye,
}

/// Who a client is.
#[derive(Clone, Debug, Default)]
pub struct Hello {
    /// The name it gives itself.
    pub user_agent: Option<Text>,
    /// By which address it came, where it asks to be led to the right server.
    pub routing: Option<Map>,
    /// Extensions it asks for: `utc` before 5.0.
    pub patches: Vec<Text>,
    /// Who the user is, before 5.1.
    pub credentials: Credentials,
    /// Which notifications it wants.
    pub notifications: NotificationFilter,
}

/// Who a user says to be. What is printed of it has no password.
#[derive(Clone, Default)]
pub struct Credentials {
    /// How the user is known: `none`, `basic`, `bearer`, `kerberos`, or one of the server's own; none where the client
    /// sent nothing.
    pub scheme: Option<Text>,
    /// The user's name.
    pub principal: Option<Text>,
    /// The password or token.
    pub credentials: Option<Text>,
    /// Whose users are meant.
    pub realm: Option<Text>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("scheme", &self.scheme)
            .field("principal", &self.principal)
            .finish_non_exhaustive()
    }
}

/// A query.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its text.
    pub text: Text,
    /// Values by name.
    pub parameters: Map,
    /// How it is to be run, where it stands alone.
    pub extra: Extra,
}

/// How a transaction is to be run.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// It must see what these name.
    pub bookmarks: Vec<Text>,
    /// How long it may take; none: as long as the server says.
    pub timeout: Option<Duration>,
    /// What the client notes about it.
    pub metadata: Map,
    /// Whether it only reads.
    pub is_read: bool,
    /// The database it is about; none: the user's.
    pub database: Option<Text>,
    /// The user in whose place it is run.
    pub impersonated: Option<Text>,
    /// Which notifications the client wants, where it says so for this one.
    pub notifications: NotificationFilter,
}

/// Which notifications a client wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotificationFilter {
    /// The least severity: `OFF`, `WARNING` or `INFORMATION`; none: as it was agreed before.
    pub severity_min: Option<Text>,
    /// Classifications, or categories, it does not want; none: as it was agreed before.
    pub disabled: Option<Vec<Text>>,
}

/// How much is taken or left of which result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// How many rows; none: all.
    pub rows: Option<u64>,
    /// The number of the query; none: the last one.
    pub query: Option<i64>,
}

/// Which server does what.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// By which address the client came, among others.
    pub context: Map,
    /// What the servers must know.
    pub bookmarks: Vec<Text>,
    /// The database; none: the user's.
    pub database: Option<Text>,
    /// The user in whose place it is asked.
    pub impersonated: Option<Text>,
}

/// Whether a message ends whatever is going on, which must be known while the ones before it are still waiting.
#[must_use]
pub fn is_reset(message: &[u8]) -> bool {
    matches!(message, [0xB0..=0xBF, tag::RESET, ..])
}

/// Whether a message takes or leaves rows, which can be known before it is read.
#[must_use]
pub fn is_fetch(message: &[u8]) -> bool {
    matches!(message, [0xB0..=0xBF, tag::PULL | tag::DISCARD, ..])
}

/// Takes named values out of a map; what is null counts as absent.
struct Named(Map);

impl Named {
    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.swap_remove(name).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &str, expected: &'static str) -> Result<Option<Text>, CodecError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(CodecError::value(format!("'{name}' as {}", other.type_name()), expected)),
        }
    }

    fn texts(&mut self, name: &str) -> Result<Option<Vec<Text>>, CodecError> {
        self.take(name).map(|value| texts(&value)).transpose()
    }

    fn map(&mut self, name: &str) -> Result<Option<Map>, CodecError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Map(map)) => Ok(Some(Arc::unwrap_or_clone(map))),
            Some(other) => Err(CodecError::value(format!("'{name}' as {}", other.type_name()), "a map")),
        }
    }

    fn notifications(&mut self) -> Result<NotificationFilter, CodecError> {
        let severity_min = self.text("notifications_minimum_severity", "a severity")?;
        // They were called categories before 5.5.
        let disabled = match self.texts("notifications_disabled_classifications")? {
            None => self.texts("notifications_disabled_categories")?,
            given => given,
        };
        Ok(NotificationFilter { severity_min, disabled })
    }

    fn credentials(&mut self) -> Result<Credentials, CodecError> {
        Ok(Credentials {
            scheme: self.text("scheme", "a text")?,
            principal: self.text("principal", "a text")?,
            credentials: self.text("credentials", "a text")?,
            realm: self.text("realm", "a text")?,
        })
    }

    fn extra(&mut self) -> Result<Extra, CodecError> {
        let timeout = match self.take("tx_timeout") {
            // 0 is how drivers ask for no limit of their own.
            None | Some(Value::Integer(0)) => None,
            Some(Value::Integer(milliseconds)) => match u64::try_from(milliseconds) {
                Ok(milliseconds) => Some(Duration::from_millis(milliseconds)),
                Err(_) => return Err(CodecError::value(milliseconds, "a time in milliseconds ('tx_timeout')")),
            },
            Some(other) => {
                return Err(CodecError::value(other.type_name(), "a time in milliseconds ('tx_timeout')"));
            }
        };
        Ok(Extra {
            bookmarks: self.texts("bookmarks")?.unwrap_or_default(),
            timeout,
            metadata: self.map("tx_metadata")?.unwrap_or_default(),
            is_read: self.text("mode", "r or w")?.is_some_and(|mode| mode.eq_ignore_ascii_case("r")),
            database: self.text("db", "the name of a database")?.filter(|name| !name.is_empty()),
            impersonated: self.text("imp_user", "the name of a user")?,
            notifications: self.notifications()?,
        })
    }
}

fn texts(value: &Value) -> Result<Vec<Text>, CodecError> {
    let Value::List(values) = value else { return Err(CodecError::value(value.type_name(), "a list of texts")) };
    let each = values.iter().map(|value| match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(CodecError::value(other.type_name(), "a text")),
    });
    each.collect()
}

fn fetch(map: Map) -> Result<Fetch, CodecError> {
    let mut named = Named(map);
    let rows = match named.take("n") {
        Some(Value::Integer(-1)) => None,
        Some(Value::Integer(rows @ 1..)) => u64::try_from(rows).ok(),
        other => {
            let found = other.map_or_else(|| "nothing".to_owned(), |value| format!("{value:?}"));
            return Err(CodecError::value(found, "a number of rows ('n'), or -1 for all"));
        }
    };
    let query = match named.take("qid") {
        None | Some(Value::Integer(-1)) => None,
        Some(Value::Integer(query)) => Some(query),
        Some(other) => return Err(CodecError::value(other.type_name(), "the number of a query ('qid')")),
    };
    Ok(Fetch { rows, query })
}

impl Request {
    /// Reads a message.
    ///
    /// # Errors
    /// It is none of this version, or has wrong fields.
    pub fn read(message: &[u8], dialect: Dialect) -> Result<Self, CodecError> {
        let version = dialect.version;
        let mut reader = Reader::of_client(message, dialect);
        let (tag, fields) = reader.structure()?;
        let mut map = |expected| reader.dictionary(expected).map(Named);
        let request = match (tag, fields) {
            (tag::HELLO, 1) => {
                let mut named = map("what HELLO says")?;
                Self::Hello(Box::new(Hello {
                    user_agent: named.text("user_agent", "a text")?,
                    routing: named.map("routing")?,
                    patches: named.texts("patch_bolt")?.unwrap_or_default(),
                    credentials: if version.has_logon() { Credentials::default() } else { named.credentials()? },
                    notifications: named.notifications()?,
                }))
            }
            (tag::LOGON, 1) if version.has_logon() => Self::Logon(map("who the user is")?.credentials()?),
            (tag::LOGOFF, 0) if version.has_logon() => Self::Logoff,
            (tag::RUN, 3) => {
                let text = reader.text("a query")?;
                let parameters = reader.dictionary("parameters")?;
                let extra = Named(reader.dictionary("how a query is run")?).extra()?;
                Self::Run(Box::new(Run { text, parameters, extra }))
            }
            (tag::BEGIN, 1) => Self::Begin(map("how a transaction is run")?.extra()?),
            (tag::COMMIT, 0) => Self::Commit,
            (tag::ROLLBACK, 0) => Self::Rollback,
            (tag::PULL, 1) => Self::Pull(fetch(map("how much is taken")?.0)?),
            (tag::DISCARD, 1) => Self::Discard(fetch(map("how much is left")?.0)?),
            (tag::RESET, 0) => Self::Reset,
            (tag::ROUTE, 3) => {
                let context = reader.dictionary("where the client came from")?;
                let bookmarks = texts(&reader.value()?)?;
                let mut named = Named(reader.dictionary("what the client wants")?);
                let database = named.text("db", "the name of a database")?.filter(|name| !name.is_empty());
                let impersonated = named.text("imp_user", "the name of a user")?;
                Self::Route(Route { context, bookmarks, database, impersonated })
            }
            (tag::TELEMETRY, 1) if version.has_telemetry() => {
                reader.integer("the number of an interface")?;
                Self::Telemetry
            }
            (tag::GOODBYE, 0) => Self::Goodbye,
            _ => return Err(CodecError::Structure { tag, fields, version }),
        };
        reader.finish()?;
        Ok(request)
    }

    /// The name of the message.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Hello(_) => "HELLO",
            Self::Logon(_) => "LOGON",
            Self::Logoff => "LOGOFF",
            Self::Run(_) => "RUN",
            Self::Pull(_) => "PULL",
            Self::Discard(_) => "DISCARD",
            Self::Begin(_) => "BEGIN",
            Self::Commit => "COMMIT",
            Self::Rollback => "ROLLBACK",
            Self::Reset => "RESET",
            Self::Route(_) => "ROUTE",
            Self::Telemetry => "TELEMETRY",
            Self::Goodbye => "GOODBYE",
        }
    }

    /// Appends the message without its framing: what a client sends.
    pub fn write(&self, out: &mut Vec<u8>, dialect: Dialect) {
        let map = |out: &mut Vec<u8>, entries: Map| pack::value(out, &Value::map(entries), dialect);
        let (tag, fields): (u8, Vec<Value>) = match self {
            Self::Hello(hello) => {
                let mut entries = if dialect.version.has_logon() { Map::new() } else { hello.credentials.to_map() };
                insert(&mut entries, "user_agent", hello.user_agent.clone());
                if let Some(routing) = &hello.routing {
                    entries.insert("routing".into(), Value::map(routing.clone()));
                }
                if !hello.patches.is_empty() {
                    entries.insert("patch_bolt".into(), list(&hello.patches));
                }
                hello.notifications.to_map(&mut entries);
                (tag::HELLO, vec![Value::map(entries)])
            }
            Self::Logon(credentials) => (tag::LOGON, vec![Value::map(credentials.to_map())]),
            Self::Logoff => (tag::LOGOFF, Vec::new()),
            Self::Run(run) => {
                pack::structure_header(out, tag::RUN, 3);
                pack::text(out, &run.text);
                map(out, run.parameters.clone());
                return map(out, run.extra.to_map());
            }
            Self::Pull(fetch) => (tag::PULL, vec![Value::map(fetch.to_map())]),
            Self::Discard(fetch) => (tag::DISCARD, vec![Value::map(fetch.to_map())]),
            Self::Begin(extra) => (tag::BEGIN, vec![Value::map(extra.to_map())]),
            Self::Commit => (tag::COMMIT, Vec::new()),
            Self::Rollback => (tag::ROLLBACK, Vec::new()),
            Self::Reset => (tag::RESET, Vec::new()),
            Self::Route(route) => {
                let mut entries = Map::new();
                insert(&mut entries, "db", route.database.clone());
                insert(&mut entries, "imp_user", route.impersonated.clone());
                let context = Value::map(route.context.clone());
                (tag::ROUTE, vec![context, list(&route.bookmarks), Value::map(entries)])
            }
            Self::Telemetry => (tag::TELEMETRY, vec![Value::Integer(0)]),
            Self::Goodbye => (tag::GOODBYE, Vec::new()),
        };
        pack::structure_header(out, tag, u8::try_from(fields.len()).unwrap_or_default());
        for field in &fields {
            pack::value(out, field, dialect);
        }
    }
}

fn list(texts: &[Text]) -> Value {
    Value::list(texts.iter().cloned().map(Value::String).collect())
}

fn insert(entries: &mut Map, name: &'static str, value: Option<Text>) {
    if let Some(value) = value {
        entries.insert(Text::new_static(name), Value::String(value));
    }
}

impl Credentials {
    fn to_map(&self) -> Map {
        let mut entries = Map::new();
        insert(&mut entries, "scheme", self.scheme.clone());
        insert(&mut entries, "principal", self.principal.clone());
        insert(&mut entries, "credentials", self.credentials.clone());
        insert(&mut entries, "realm", self.realm.clone());
        entries
    }
}

impl NotificationFilter {
    fn to_map(&self, entries: &mut Map) {
        insert(entries, "notifications_minimum_severity", self.severity_min.clone());
        if let Some(disabled) = &self.disabled {
            entries.insert("notifications_disabled_classifications".into(), list(disabled));
        }
    }
}

impl Fetch {
    fn to_map(self) -> Map {
        let rows = self.rows.map_or(-1, |rows| i64::try_from(rows).unwrap_or(i64::MAX));
        let mut entries = Map::from_iter([("n".into(), Value::Integer(rows))]);
        if let Some(query) = self.query {
            entries.insert("qid".into(), Value::Integer(query));
        }
        entries
    }
}

impl Extra {
    fn to_map(&self) -> Map {
        let mut entries = Map::new();
        if !self.bookmarks.is_empty() {
            entries.insert("bookmarks".into(), list(&self.bookmarks));
        }
        if let Some(timeout) = self.timeout {
            let milliseconds = i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX);
            entries.insert("tx_timeout".into(), Value::Integer(milliseconds));
        }
        if !self.metadata.is_empty() {
            entries.insert("tx_metadata".into(), Value::map(self.metadata.clone()));
        }
        insert(&mut entries, "mode", self.is_read.then(|| Text::new_static("r")));
        insert(&mut entries, "db", self.database.clone());
        insert(&mut entries, "imp_user", self.impersonated.clone());
        self.notifications.to_map(&mut entries);
        entries
    }
}
