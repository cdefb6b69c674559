//! Whether the keys under a prefix belong to this store.

use kv::KvError;

use crate::layout::{stored, value};
use crate::shared::Handed;
use crate::write::swap;

/// Ends each name in the list of tables.
const NAME_END: char = '\n';

/// Claims the prefix or confirms the claim; fails if it holds something else, or tables this program does not know.
pub(crate) async fn take(shared: &Handed) -> Result<(), KvError> {
    let ours: String = shared.layout.tables().iter().flat_map(|table| [table.name, "\n"]).collect();
    loop {
        let found = own_row(shared).await?;
        let new = match &found {
            None => {
                refuse_strangers(shared).await?;
                &ours
            }
            Some(found) if ours.starts_with(found.as_str()) => &ours,
            Some(found) => return Err(not_ours(shared, &unknown_table(&ours, found))),
        };
        if found.as_ref() == Some(new) {
            return Ok(());
        }
        // If another process was faster, the next round examines its list.
        let old = found.as_ref().map(|found| stored(found.as_bytes()));
        if swap(shared, shared.layout.own_row(), old, Some(stored(new.as_bytes()))).await? {
            return Ok(());
        }
    }
}

async fn own_row(shared: &Handed) -> Result<Option<String>, KvError> {
    let row = shared.layout.own_row();
    let read = |at| {
        let (mut snapshot, row) = (shared.snapshot(at), row.clone());
        async move { Ok(snapshot.get(row).await?) }
    };
    let Some(bytes) = shared.read(None, read).await? else { return Ok(None) };
    match value(&bytes).map(|text| String::from_utf8(text.to_vec())) {
        Ok(Ok(text)) => Ok(Some(text)),
        _ => Err(not_ours(shared, "its list of tables cannot be read")),
    }
}

async fn refuse_strangers(shared: &Handed) -> Result<(), KvError> {
    let (start, end) = shared.layout.everything();
    let read = |at| {
        let (mut snapshot, range) = (shared.snapshot(at), start.clone()..end.clone());
        async move { Ok(snapshot.scan_keys(range, 1).await?.count()) }
    };
    match shared.read(None, read).await? {
        0 => Ok(()),
        _ => Err(not_ours(shared, "there are keys of another program under this prefix; choose another prefix")),
    }
}

fn unknown_table(ours: &str, found: &str) -> String {
    let known: Vec<&str> = ours.split(NAME_END).collect();
    let stranger = found.split(NAME_END).enumerate().find(|(at, name)| known.get(*at) != Some(name));
    let (at, name) = stranger.unwrap_or_default();
    format!(
        "its table number {at} is {name:?}, which is unknown here; it belongs to a newer version or to another program"
    )
}

fn not_ours(shared: &Handed, reason: &str) -> KvError {
    KvError::NotAStore { path: format!("tikv:{}", shared.options.prefix).into(), reason: reason.to_owned() }
}
