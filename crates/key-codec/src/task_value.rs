//! Values of `task`.

use graph_model::{Task, TaskStatus};

use crate::reader::Reader;
use crate::{CodecError, varint};

const LAYOUT: u8 = 1;

/// Appends the value of a task; its number is in the key.
pub fn put_task(out: &mut Vec<u8>, task: &Task) {
    out.push(LAYOUT);
    put_text(out, &task.task_type);
    put_text(out, &task.name);
    put_text(out, &task.callable);
    let status = TaskStatus::ALL.iter().position(|status| *status == task.status).unwrap_or_default();
    out.push(u8::try_from(status).unwrap_or_default());
    varint::put(out, task.progress);
    varint::put_signed(out, task.created_ms);
    varint::put_signed(out, task.updated_ms);
    varint::put(out, u64::from(task.retries));
    out.push(u8::from(task.result.is_some()));
    if let Some(result) = &task.result {
        put_text(out, result);
    }
    // Left out where it is empty, as in records of earlier versions.
    if !task.input.is_empty() {
        put_bytes(out, &task.input);
    }
}

/// Reads the value of the task of a number.
pub fn read_task(id: u64, bytes: &[u8]) -> Result<Task, CodecError> {
    let mut reader = Reader::new(bytes, "task");
    if reader.byte()? != LAYOUT {
        return Err(reader.error("unknown layout"));
    }
    let mut task = Task {
        id,
        task_type: reader.text()?.to_owned(),
        name: reader.text()?.to_owned(),
        callable: reader.text()?.to_owned(),
        status: {
            let code = reader.byte()?;
            TaskStatus::ALL.get(usize::from(code)).copied().ok_or_else(|| reader.error("unknown status"))?
        },
        progress: reader.varint()?,
        created_ms: reader.signed_varint()?,
        updated_ms: reader.signed_varint()?,
        retries: reader.varint_u32()?,
        result: if reader.byte()? == 0 { None } else { Some(reader.text()?.to_owned()) },
        input: Vec::new(),
    };
    if !reader.is_at_end() {
        let len = reader.length()?;
        if len == 0 {
            return Err(reader.error("an empty input"));
        }
        task.input = reader.take(len)?.to_vec();
    }
    reader.end()?;
    Ok(task)
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_bytes(out, text.as_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    varint::put(out, u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_round_trip_and_no_truncation_is_accepted() {
        let task = Task {
            id: 7,
            task_type: "remove_schema".into(),
            name: "VERTEX_LABEL:3:person".into(),
            callable: "x".into(),
            status: TaskStatus::Failed,
            progress: 300,
            created_ms: -1,
            updated_ms: 1_795_291_619_630,
            retries: 2,
            result: Some("because".into()),
            input: Vec::new(),
        };
        let mut bytes = Vec::new();
        put_task(&mut bytes, &task);
        assert_eq!(read_task(7, &bytes), Ok(task));
        for cut in 0..bytes.len() {
            assert!(read_task(7, &bytes[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn an_input_follows_a_record_and_an_empty_one_is_left_out() {
        let mut task = Task {
            id: 7,
            task_type: "remove_schema".into(),
            name: "VERTEX_LABEL:3:person".into(),
            callable: String::new(),
            status: TaskStatus::Queued,
            progress: 0,
            created_ms: 1,
            updated_ms: 2,
            retries: 0,
            result: None,
            input: Vec::new(),
        };
        let mut before = Vec::new();
        put_task(&mut before, &task);
        task.input = vec![2, 3];
        let mut bytes = Vec::new();
        put_task(&mut bytes, &task);
        assert_eq!(bytes, [&before[..], &[2, 2, 3]].concat());
        assert_eq!(read_task(7, &bytes), Ok(task));
        for wrong in [&[0][..], &[3, 2, 3], &[1, 2, 3]] {
            assert!(read_task(7, &[&before[..], wrong].concat()).is_err(), "{wrong:?}");
        }
    }
}
