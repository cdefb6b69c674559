//! The schema element a task is about: stored in the task, and shown in its name.

use graph_model::{LabelId, PropertyKeyId, Task};
use graph_schema::{SchemaKey, SchemaKind};
use key_codec::setting_value;

/// The input of a task about a schema element: two numbers, its kind and its number.
pub(crate) fn put_target(target: SchemaKey) -> Vec<u8> {
    let kind = match target {
        SchemaKey::PropertyKey(_) => SchemaKind::PropertyKey,
        SchemaKey::VertexLabel(_) => SchemaKind::VertexLabel,
        SchemaKey::EdgeLabel(_) => SchemaKind::EdgeLabel,
        SchemaKey::IndexLabel(_) => SchemaKind::IndexLabel,
    };
    let mut input = Vec::new();
    setting_value::put_numbers(&mut input, &[code(kind), u64::from(target.number())]);
    input
}

/// The schema element a task is about. Tasks of earlier versions have no input: there it is in the name.
pub(crate) fn read_target(task: &Task) -> Option<SchemaKey> {
    if task.input.is_empty() {
        return target_of_name(&task.name);
    }
    let [kind, number] = setting_value::read_numbers(&task.input).ok()?;
    let kind = KINDS.into_iter().find(|known| code(*known) == kind)?;
    Some(key(kind, u32::try_from(number).ok()?))
}

/// The name of a task about a schema element: `VERTEX_LABEL:3:person`.
pub(crate) fn task_name(target: SchemaKey, name: &str) -> String {
    let kind = match target {
        SchemaKey::PropertyKey(_) => "PROPERTY_KEY",
        SchemaKey::VertexLabel(_) => "VERTEX_LABEL",
        SchemaKey::EdgeLabel(_) => "EDGE_LABEL",
        SchemaKey::IndexLabel(_) => "INDEX_LABEL",
    };
    format!("{kind}:{}:{name}", target.number())
}

const KINDS: [SchemaKind; 4] =
    [SchemaKind::PropertyKey, SchemaKind::VertexLabel, SchemaKind::EdgeLabel, SchemaKind::IndexLabel];

/// A kind as it is stored.
fn code(kind: SchemaKind) -> u64 {
    match kind {
        SchemaKind::PropertyKey => 1,
        SchemaKind::VertexLabel => 2,
        SchemaKind::EdgeLabel => 3,
        SchemaKind::IndexLabel => 4,
    }
}

fn key(kind: SchemaKind, number: u32) -> SchemaKey {
    match kind {
        SchemaKind::PropertyKey => SchemaKey::PropertyKey(PropertyKeyId(number)),
        SchemaKind::VertexLabel => SchemaKey::VertexLabel(LabelId(number)),
        SchemaKind::EdgeLabel => SchemaKey::EdgeLabel(LabelId(number)),
        SchemaKind::IndexLabel => SchemaKey::IndexLabel(LabelId(number)),
    }
}

fn target_of_name(name: &str) -> Option<SchemaKey> {
    let mut parts = name.splitn(3, ':');
    let kind = match parts.next()? {
        "PROPERTY_KEY" => SchemaKind::PropertyKey,
        "VERTEX_LABEL" => SchemaKind::VertexLabel,
        "EDGE_LABEL" => SchemaKind::EdgeLabel,
        "INDEX_LABEL" => SchemaKind::IndexLabel,
        _ => return None,
    };
    Some(key(kind, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use graph_model::TaskStatus;

    use super::*;

    fn task(name: &str, input: Vec<u8>) -> Task {
        Task {
            id: 1,
            task_type: String::new(),
            name: name.to_owned(),
            callable: String::new(),
            status: TaskStatus::Queued,
            progress: 0,
            created_ms: 0,
            updated_ms: 0,
            retries: 0,
            result: None,
            input,
        }
    }

    #[test]
    fn a_target_is_read_as_it_was_stored_whatever_the_name() {
        for kind in KINDS {
            let target = key(kind, 7);
            assert_eq!(read_target(&task("x", put_target(target))), Some(target));
            assert_eq!(read_target(&task(&task_name(target, "a:b"), Vec::new())), Some(target));
        }
        assert_eq!(read_target(&task("VERTEX_LABEL:3:person", vec![9])), None);
        assert_eq!(read_target(&task("script", Vec::new())), None);
    }
}
