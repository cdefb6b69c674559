//! What a transaction answers, as JSON.

use cypher_session::{Answers, Failure, Gone, Notification, Plan, Summary};
use cypher_value::{Text, Value};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;

use crate::json::{self, Form};

/// The end of a task.
pub(crate) enum Event {
    /// The result of a query: its fields and rows as JSON, and the rest.
    Result(String, Box<Summary>),
    /// The transaction is committed.
    Committed(String),
    /// It is rolled back.
    RolledBack,
    /// It has failed.
    Failed(Failure),
}

/// Writes results as JSON, and hands them on when they are whole.
pub(crate) struct Collect {
    form: Form,
    bytes_max: usize,
    events: mpsc::UnboundedSender<Event>,
    data: String,
    is_too_large: bool,
}

impl Collect {
    /// Results of at most so many bytes. There is one event for each task but those that open a result.
    pub(crate) fn new(form: Form, bytes_max: usize) -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (events, receiver) = mpsc::unbounded_channel();
        (Self { form, bytes_max, events, data: String::new(), is_too_large: false }, receiver)
    }

    fn tell(&self, event: Event) {
        // Fails where the client is gone.
        drop(self.events.send(event));
    }
}

impl Answers for Collect {
    fn begins(&mut self) {}

    fn opened(&mut self, _: i64, columns: &[Text]) {
        self.data.clear();
        self.data.push_str("{\"fields\":[");
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                self.data.push(',');
            }
            json::text(&mut self.data, column);
        }
        self.data.push_str("],\"values\":[");
    }

    fn row(&mut self, _: i64, row: &[Value]) -> Result<(), Gone> {
        self.data.push_str(if self.data.ends_with('[') { "[" } else { ",[" });
        for (at, value) in row.iter().enumerate() {
            if at > 0 {
                self.data.push(',');
            }
            json::value(&mut self.data, value, self.form);
        }
        self.data.push(']');
        if self.data.len() > self.bytes_max {
            self.is_too_large = true;
        }
        if self.is_too_large || self.events.is_closed() { Err(Gone) } else { Ok(()) }
    }

    fn paused(&mut self) {}

    fn ended(&mut self, _: i64, summary: &Summary) {
        self.data.push_str("]}");
        let data = std::mem::take(&mut self.data);
        self.tell(Event::Result(data, Box::new(summary.clone())));
    }

    fn committed(&mut self, bookmark: &str) {
        self.tell(Event::Committed(bookmark.to_owned()));
    }

    fn rolled_back(&mut self) {
        self.tell(Event::RolledBack);
    }

    fn failed(&mut self, failure: &Failure) {
        if !self.is_too_large {
            self.tell(Event::Failed(failure.clone()));
        }
    }

    fn flush(&mut self) {
        if self.is_too_large {
            let message = format!(
                "the answer has more than {} bytes (graph.response_bytes_max): LIMIT the rows, or ask over Bolt, which \
                 sends them in parts",
                self.bytes_max
            );
            self.tell(Event::Failed(Failure::new("Neo.ClientError.Statement.ExecutionFailed", message)));
        }
    }
}

/// What an answer has beside the result.
pub(crate) fn counters(summary: &Summary) -> Json {
    let counters = &summary.counters;
    json!({
        "containsUpdates": counters.named().next().is_some(),
        "nodesCreated": counters.nodes_created,
        "nodesDeleted": counters.nodes_deleted,
        "propertiesSet": counters.properties_set,
        "relationshipsCreated": counters.relationships_created,
        "relationshipsDeleted": counters.relationships_deleted,
        "labelsAdded": counters.labels_added,
        "labelsRemoved": counters.labels_removed,
        "indexesAdded": counters.indexes_added,
        "indexesRemoved": counters.indexes_removed,
        "constraintsAdded": counters.constraints_added,
        "constraintsRemoved": counters.constraints_removed,
        "containsSystemUpdates": false,
        "systemUpdates": 0,
    })
}

/// What the user should know.
pub(crate) fn notification(notification: &Notification) -> Json {
    let mut json = json!({
        "code": notification.code.as_str(),
        "title": notification.title.as_str(),
        "description": notification.description,
        "severity": notification.severity,
        "category": notification.category,
    });
    if let (Some(place), Json::Object(fields)) = (notification.position, &mut json) {
        let place = json!({ "offset": place.offset, "line": place.line, "column": place.column });
        fields.insert("position".to_owned(), place);
    }
    json
}

/// A plan.
pub(crate) fn plan(of: &Plan) -> Json {
    let arguments = of.arguments.iter().map(|(name, value)| {
        let mut text = String::new();
        json::value(&mut text, value, Form::Plain);
        (name.to_string(), serde_json::from_str(&text).unwrap_or(Json::Null))
    });
    let identifiers: Vec<&str> = of.identifiers.iter().map(Text::as_str).collect();
    let mut json = json!({
        "operatorType": of.operator,
        "arguments": Json::Object(arguments.collect()),
        "identifiers": identifiers,
        "children": of.children.iter().map(plan).collect::<Vec<_>>(),
    });
    if let (Some((rows, hits)), Json::Object(fields)) = (of.measured, &mut json) {
        fields.insert("records".to_owned(), json!(rows));
        fields.insert("dbHits".to_owned(), json!(hits));
    }
    json
}
