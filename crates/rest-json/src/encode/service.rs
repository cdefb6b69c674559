//! Writing what is neither an element nor a definition: errors, versions, tasks.

use super::element::write_page;
use crate::text::{Object, push_array, push_display};

/// The answer to `GET /versions`: the versions clients check, those of HugeGraph 1.7.0.
pub const VERSIONS_JSON: &str = r#"{"versions":{"version":"v1","core":"1.7.0","gremlin":"3.5.1","api":"0.71.0.0"}}"#;

/// The same for clients before 1.5, which refuse later ones: the versions of HugeGraph 1.0.0.
pub const VERSIONS_BEFORE_15_JSON: &str =
    r#"{"versions":{"version":"v1","core":"1.0.0","gremlin":"3.5.1","api":"0.69.0.0"}}"#;

/// The body of an error answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorBody<'a> {
    /// The class clients know the error by: `class java.lang.IllegalArgumentException`.
    pub exception: &'a str,
    /// What was wrong.
    pub message: &'a str,
    /// What caused it; empty where nothing else did.
    pub cause: &'a str,
}

impl ErrorBody<'_> {
    /// Appends the body.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        object.string("exception", self.exception);
        object.string("message", self.message);
        object.string("cause", self.cause);
        object.close();
    }
}

/// Appends `{"shards":[..]}`: of each shard where it begins, where it ends, and its length in bytes.
pub fn write_shards<'s>(out: &mut Vec<u8>, shards: impl IntoIterator<Item = (&'s str, &'s str, u64)>) {
    let mut object = Object::open(out);
    push_array(object.field("shards"), shards, |out, (start, end, length_bytes)| {
        let mut shard = Object::open(out);
        shard.string("start", start);
        shard.string("end", end);
        shard.plain("length", length_bytes);
        shard.close();
    });
    object.close();
}

/// A background task as clients see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskView<'a> {
    /// Its number.
    pub id: u64,
    /// What it does, as `remove_schema`.
    pub task_type: &'a str,
    /// What it does it to, as `VERTEX_LABEL:3:person`.
    pub name: &'a str,
    /// Where it is in its life, in lower case: `success`.
    pub status: &'a str,
    /// How far it is, in steps of its own.
    pub progress: u64,
    /// When it was made, in milliseconds since 1970 UTC.
    pub created_ms: i64,
    /// When its status last changed, in milliseconds since 1970 UTC.
    pub updated_ms: Option<i64>,
    /// How often it was tried again.
    pub retries: u32,
    /// Words about it.
    pub description: Option<&'a str>,
    /// Tasks it waits for.
    pub dependencies: &'a [u64],
    /// The server that runs it.
    pub server: Option<&'a str>,
    /// What runs, in HugeGraph a class name; only in the full form.
    pub callable: Option<&'a str>,
    /// What it works on, a text; only in the full form.
    pub input: Option<&'a str>,
    /// What came of it, a JSON text or words about a failure; only in the full form.
    pub result: Option<&'a str>,
}

impl TaskView<'_> {
    /// Appends the form of lists.
    pub fn write_short(&self, out: &mut Vec<u8>) {
        Self { callable: None, input: None, result: None, ..*self }.write_full(out);
    }

    /// Appends the form of a single task: with callable, input and result.
    pub fn write_full(&self, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        object.string("task_name", self.name);
        object.plain("task_progress", self.progress);
        object.plain("task_create", self.created_ms);
        write_optional(&mut object, "task_description", self.description);
        object.string("task_status", self.status);
        if let Some(updated_ms) = self.updated_ms {
            object.plain("task_update", updated_ms);
        }
        write_optional(&mut object, "task_result", self.result);
        object.plain("task_retries", self.retries);
        object.plain("id", self.id);
        if !self.dependencies.is_empty() {
            push_array(object.field("task_dependencies"), self.dependencies, push_display);
        }
        object.string("task_type", self.task_type);
        write_optional(&mut object, "task_callable", self.callable);
        write_optional(&mut object, "task_input", self.input);
        write_optional(&mut object, "task_server", self.server);
        object.close();
    }
}

/// Appends `{"tasks":[..]}` of short forms; `page` as in [`crate::write_vertices_list`].
pub fn write_tasks_list<'a>(
    out: &mut Vec<u8>,
    tasks: impl IntoIterator<Item = TaskView<'a>>,
    page: Option<Option<&str>>,
) {
    let mut object = Object::open(out);
    push_array(object.field("tasks"), tasks, |out, task| task.write_short(out));
    write_page(&mut object, page);
    object.close();
}

fn write_optional(object: &mut Object<'_>, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        object.string(name, value);
    }
}
