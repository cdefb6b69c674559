//! Users, groups, targets, who belongs to which group, and what groups may do: vertices and edges of the store `s`, as
//! the records that HugeGraph's REST API answers.

use std::collections::HashMap;

use kv::ForeignStore;
use serde_json::{Map, Value, json};

use crate::bytes::{Id, Layout, Read, Reader};
use crate::elements::EdgeParts;
use crate::error::FilesError;
use crate::system::{Part, parts};

/// What hashes of passwords begin with.
const HASH: &str = "$2";

/// How far the key of the name is from the label: as many keys as the label has, `creator`, `create` and `update` of
/// all records included.
const USER_KEYS: i32 = 9;
const GROUP_KEYS: i32 = 5;
const TARGET_KEYS: i32 = 7;
const ACCESS_KEYS: i32 = 5;
const BELONG_KEYS: i32 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    User,
    Group,
    Target,
}

/// Users, groups, targets, belongs and accesses.
pub(crate) fn read(store: &dyn ForeignStore, prefix: &str, layout: Layout) -> Result<[Vec<Value>; 5], FilesError> {
    let (mut users, mut groups, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    let mut kinds: HashMap<String, Kind> = HashMap::new();
    let table = format!("{prefix}v");
    let mut rows = store.rows(&table)?;
    while let Some((key, value)) = rows.next()? {
        let failed = |reason| FilesError::row(store.folder(), &table, key, reason);
        let Some((id, kind, record)) = vertex(key, value, layout).map_err(failed)? else { continue };
        kinds.insert(id, kind);
        match kind {
            Kind::User => users.push(record),
            Kind::Group => groups.push(record),
            Kind::Target => targets.push(record),
        }
    }
    let (mut belongs, mut accesses) = (Vec::new(), Vec::new());
    let table = format!("{prefix}oe");
    let mut rows = store.rows(&table)?;
    while let Some((key, value)) = rows.next()? {
        let failed = |reason| FilesError::row(store.folder(), &table, key, reason);
        let mut reader = Reader::new(key, layout);
        let edge = EdgeParts::read(&mut reader, layout).map_err(failed)?;
        let (Id::Text(source), Id::Text(target)) = (edge.source, edge.target) else { continue };
        let mut value = Reader::new(value, layout);
        match (kinds.get(source), kinds.get(target)) {
            (Some(Kind::User), Some(Kind::Group)) => {
                let parts = parts(&mut value).map_err(failed)?;
                let mut record = fields(&[("user", source), ("group", target)]);
                put(&mut record, "belong_description", text_at(&parts, edge.label, BELONG_KEYS));
                belongs.push(Value::Object(record));
            }
            (Some(Kind::Group), Some(Kind::Target)) => {
                let parts = parts(&mut value).map_err(failed)?;
                let mut record = fields(&[("group", source), ("target", target)]);
                let permission = part_at(&parts, edge.label, ACCESS_KEYS).and_then(Part::number);
                let permission = permission.ok_or_else(|| failed("it has no permission"))?;
                put(&mut record, "access_permission", Some(permission_name(permission)));
                put(&mut record, "access_description", text_at(&parts, edge.label, ACCESS_KEYS - 1));
                accesses.push(Value::Object(record));
            }
            _ => {}
        }
    }
    Ok([users, groups, targets, belongs, accesses])
}

/// A record of a row of the table `v`, if it is a user, a group or a target.
fn vertex(key: &[u8], value: &[u8], layout: Layout) -> Read<Option<(String, Kind, Value)>> {
    let mut key = Reader::new(key, layout);
    // Ids of tasks are numbers.
    let Id::Text(id) = key.id()? else { return Ok(None) };
    key.end()?;
    let mut value = Reader::new(value, layout);
    let label = value.id()?.number()?;
    // Ids of servers have no label in front.
    let Some(name) = id.strip_prefix(&format!("{label}:")) else { return Ok(None) };
    let parts = parts(&mut value)?;
    let at = |keys| part_at(&parts, label, keys).and_then(|part| part.text());
    let mut record = Map::new();
    let kind = if at(USER_KEYS) == Some(name) && at(USER_KEYS - 1).is_some_and(|hash| hash.starts_with(HASH)) {
        for (nth, field) in (0..).zip(["name", "password", "phone", "email", "avatar", "description"]) {
            put(&mut record, &format!("user_{field}"), at(USER_KEYS - nth));
        }
        Kind::User
    } else if at(TARGET_KEYS) == Some(name) && at(TARGET_KEYS - 2).is_some() {
        for (nth, field) in (0..).zip(["name", "graph", "url"]) {
            put(&mut record, &format!("target_{field}"), at(TARGET_KEYS - nth));
        }
        let resources = at(TARGET_KEYS - 3).map_or(Ok(json!([])), serde_json::from_str);
        let resources: Value = resources.map_err(|_| "the resources of the target are no JSON")?;
        record.insert("target_resources".to_owned(), resources);
        Kind::Target
    } else if at(GROUP_KEYS) == Some(name) {
        for (nth, field) in (0..).zip(["name", "description"]) {
            put(&mut record, &format!("group_{field}"), at(GROUP_KEYS - nth));
        }
        Kind::Group
    } else {
        return Ok(None);
    };
    put(&mut record, "id", Some(id));
    Ok(Some((id.to_owned(), kind, Value::Object(record))))
}

/// The property whose key is so many before the label.
fn part_at<'p, 'a>(parts: &'p [Part<'a>], label: i64, keys: i32) -> Option<&'p Part<'a>> {
    parts.iter().find(|part| i64::from(part.key) == label + i64::from(keys))
}

fn text_at<'a>(parts: &[Part<'a>], label: i64, keys: i32) -> Option<&'a str> {
    part_at(parts, label, keys).and_then(Part::text)
}

fn fields(fields: &[(&str, &str)]) -> Map<String, Value> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect()
}

fn put(record: &mut Map<String, Value>, field: &str, value: Option<&str>) {
    if let Some(value) = value {
        record.insert(field.to_owned(), json!(value));
    }
}

fn permission_name(code: i32) -> &'static str {
    match code {
        0 => "NONE",
        1 => "READ",
        2 => "WRITE",
        4 => "DELETE",
        8 => "EXECUTE",
        31 => "SPACE",
        47 => "SPACE_MEMBER",
        127 => "ADMIN",
        _ => "unknown",
    }
}
