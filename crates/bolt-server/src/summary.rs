//! Summaries and failures as each version has them.

use bolt_codec::{Dialect, NotificationFilter, Version, pack};
use cypher_session::{Failure, Notification, Plan, Summary};
use cypher_value::Value;
use pack::Dictionary;

/// Writes why a message was not done.
pub(crate) fn failure(map: &mut Dictionary<'_>, failure: &Failure, version: Version) {
    if !version.has_failure_statuses() {
        map.text("code", &failure.code);
        map.text("message", &failure.message);
        return;
    }
    let (status, description) = failure.status();
    map.text("neo4j_code", &failure.code);
    map.text("message", &failure.message);
    map.text("gql_status", status);
    map.text("description", description);
    let mut record = Dictionary::begin(map.entry("diagnostic_record"));
    record.text("_classification", failure.classification());
    record.end();
}

/// What is told at the end of a result besides what the query itself tells.
pub(crate) struct End<'e> {
    /// The database.
    pub(crate) database: &'e str,
    /// Milliseconds from the first row that was asked for.
    pub(crate) took_ms: i64,
    pub(crate) has_columns: bool,
    pub(crate) has_rows: bool,
    pub(crate) filter: &'e NotificationFilter,
}

/// Writes the end of a result.
pub(crate) fn summary(map: &mut Dictionary<'_>, summary: &Summary, end: &End<'_>, dialect: Dialect) {
    if let Some(bookmark) = &summary.bookmark {
        map.text("bookmark", bookmark);
    }
    if summary.counters.named().next().is_some() {
        let mut stats = Dictionary::begin(map.entry("stats"));
        stats.boolean("contains-updates", true);
        for (name, count) in summary.counters.named() {
            stats.integer(name, i64::try_from(count).unwrap_or(i64::MAX));
        }
        stats.end();
    }
    if let Some(plan) = &summary.plan {
        let is_profile = plan.measured.is_some();
        self::plan(map.entry(if is_profile { "profile" } else { "plan" }), plan, dialect);
    }
    let wanted: Vec<&Notification> =
        summary.notifications.iter().filter(|notification| is_wanted(notification, end.filter)).collect();
    if dialect.version.has_statuses() {
        statuses(map, &wanted, end);
    } else if !wanted.is_empty() {
        let out = map.entry("notifications");
        pack::list_header(out, wanted.len());
        for notification in wanted {
            self::notification(out, notification);
        }
    }
    map.text("type", summary.kind.name());
    map.integer("t_last", end.took_ms);
    map.text("db", end.database);
}

fn is_wanted(notification: &Notification, filter: &NotificationFilter) -> bool {
    let is_severe = match filter.severity_min.as_deref() {
        Some("OFF") => false,
        Some("WARNING") => notification.severity == "WARNING",
        _ => true,
    };
    let disabled = filter.disabled.as_deref().unwrap_or_default();
    is_severe && !disabled.iter().any(|name| name.eq_ignore_ascii_case(notification.category))
}

fn position(out: &mut Vec<u8>, position: cypher_session::Position) {
    let mut map = Dictionary::begin(out);
    map.integer("column", i64::from(position.column));
    map.integer("offset", i64::from(position.offset));
    map.integer("line", i64::from(position.line));
    map.end();
}

fn notification(out: &mut Vec<u8>, notification: &Notification) {
    let mut map = Dictionary::begin(out);
    map.text("code", &notification.code);
    map.text("title", &notification.title);
    map.text("description", &notification.description);
    map.text("severity", notification.severity);
    map.text("category", notification.category);
    if let Some(place) = notification.position {
        position(map.entry("position"), place);
    }
    map.end();
}

/// How the result ended, among what its user should know: warnings, then that, then what merely informs.
fn statuses(map: &mut Dictionary<'_>, wanted: &[&Notification], end: &End<'_>) {
    let (status, description) = match (end.has_columns, end.has_rows) {
        (false, _) => ("00001", "note: successful completion - omitted result"),
        (true, true) => ("00000", "note: successful completion"),
        (true, false) => ("02000", "note: no data"),
    };
    let (warnings, others): (Vec<&&Notification>, Vec<_>) =
        wanted.iter().partition(|notification| notification.severity == "WARNING");
    let is_no_data = status == "02000";
    let out = map.entry("statuses");
    pack::list_header(out, wanted.len() + 1);
    let plain = |out: &mut Vec<u8>| {
        let mut map = Dictionary::begin(out);
        map.text("gql_status", status);
        map.text("status_description", description);
        map.end();
    };
    if is_no_data {
        plain(out);
    }
    for notification in warnings {
        self::status(out, notification);
    }
    if !is_no_data {
        plain(out);
    }
    for notification in others {
        self::status(out, notification);
    }
}

fn status(out: &mut Vec<u8>, notification: &Notification) {
    let mut map = Dictionary::begin(out);
    map.text("gql_status", &notification.status);
    let kind = if notification.severity == "WARNING" { "warn" } else { "info" };
    map.text("status_description", &format!("{kind}: {}", notification.description));
    map.text("neo4j_code", &notification.code);
    map.text("title", &notification.title);
    map.text("description", &notification.description);
    let mut record = Dictionary::begin(map.entry("diagnostic_record"));
    record.text("_severity", notification.severity);
    record.text("_classification", notification.category);
    if let Some(place) = notification.position {
        position(record.entry("_position"), place);
    }
    record.end();
    map.end();
}

fn plan(out: &mut Vec<u8>, plan: &Plan, dialect: Dialect) {
    let mut map = Dictionary::begin(out);
    map.text("operatorType", &plan.operator);
    let arguments = plan.arguments.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    pack::value(map.entry("args"), &Value::map(arguments), dialect);
    let identifiers = map.entry("identifiers");
    pack::list_header(identifiers, plan.identifiers.len());
    for identifier in &plan.identifiers {
        pack::text(identifiers, identifier);
    }
    if let Some((rows, hits)) = plan.measured {
        map.integer("rows", i64::try_from(rows).unwrap_or(i64::MAX));
        map.integer("dbHits", i64::try_from(hits).unwrap_or(i64::MAX));
    }
    let children = map.entry("children");
    pack::list_header(children, plan.children.len());
    for child in &plan.children {
        self::plan(children, child, dialect);
    }
    map.end();
}
