//! The rows of `meta` by which servers know each other.

use std::collections::{BTreeSet, HashMap};

use key_codec::key::{self, MetaKind};
use key_codec::{CodecError, GraphNumber, setting_value, tables};
use kv::{Engine, RowRange, WriteBatch};

use graph_store::StoreError;
use graph_store::stored_settings::swap;

/// Who is changing schema or graphs, and how often that began and ended. Written by swaps only.
pub(crate) const CHANGES: &str = "changes";
/// Which server looks after what only one may. Written by swaps only.
pub(crate) const HOUSEKEEPER: &str = "housekeeper";
/// That no server may write, and for how long. Written by swaps only.
const FROZEN: &str = "frozen";
/// Rows of servers begin with this. Each is written by its server only, and deleted when that is gone.
const SERVER: &str = "server:";
/// Rows that begin with this say which other servers one knows. Programs before them have none.
const KNOWS: &str = "knows:";

/// What is stored of a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Server {
    pub(crate) id: u64,
    pub(crate) beat: u64,
    /// The last change of which nothing older is in use there.
    pub(crate) seen: u64,
}

/// The row of changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Who is changing something; 0: nobody.
    pub(crate) owner: u64,
    /// Grows with each beginning and each end of a change.
    pub(crate) count: u64,
    stored: Option<Vec<u8>>,
}

/// That no server may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Freeze {
    /// A number that no other freeze has: that of the change by which it began.
    pub(crate) number: u64,
    /// Which server began it: it is over when that is dead.
    pub(crate) server: u64,
    /// For how long from when it is seen, in milliseconds.
    pub(crate) length_ms: u64,
}

/// All rows, read together.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) changes: Changes,
    pub(crate) freeze: Option<Freeze>,
    pub(crate) housekeeper: Option<Vec<u8>>,
    pub(crate) servers: Vec<Server>,
    /// Of each server, the others it knows: it does nothing any more that only one that is alone may.
    pub(crate) knows: HashMap<u64, Vec<u64>>,
}

impl Rows {
    /// Which server collects garbage for all; 0: none.
    pub(crate) fn housekeeper_id(&self) -> Result<u64, CodecError> {
        self.housekeeper.as_deref().map_or(Ok(0), |bytes| Ok(setting_value::read_numbers::<1>(bytes)?[0]))
    }
}

pub(crate) fn read(engine: &dyn Engine) -> Result<Rows, StoreError> {
    let mut partition = Vec::new();
    key::meta_partition(&mut partition, GraphNumber::STORE, MetaKind::Cluster);
    let mut rows = Rows::default();
    let mut cursor = engine.scan(tables::META, RowRange::all(&partition))?;
    while let Some(entry) = cursor.next()? {
        let name = key::read_meta_row_name(entry.key.row())?;
        if let Some(id) = name.strip_prefix(KNOWS) {
            rows.knows.insert(read_id(id)?, setting_value::read_all_numbers(entry.value)?);
            continue;
        }
        match (&*name, name.strip_prefix(SERVER)) {
            (CHANGES, _) => {
                let [owner, count] = setting_value::read_numbers(entry.value)?;
                rows.changes = Changes { owner, count, stored: Some(entry.value.to_vec()) };
            }
            (FROZEN, _) => {
                let [number, server, length_ms] = setting_value::read_numbers(entry.value)?;
                rows.freeze = Some(Freeze { number, server, length_ms });
            }
            (HOUSEKEEPER, _) => rows.housekeeper = Some(entry.value.to_vec()),
            (_, Some(id)) => {
                let id = read_id(id)?;
                let [beat, seen] = setting_value::read_numbers(entry.value)?;
                rows.servers.push(Server { id, beat, seen });
            }
            // What a later version keeps there.
            _ => {}
        }
    }
    Ok(rows)
}

fn read_id(text: &str) -> Result<u64, CodecError> {
    let problem = "no name of a server";
    u64::from_str_radix(text, 16).map_err(|_| CodecError { what: "cluster row", problem, at: 0 })
}

/// A server as it is called in rows and messages.
pub(crate) fn server_name(id: u64) -> String {
    format!("{id:016x}")
}

/// Writes the rows of a server, in one partition and so together.
pub(crate) fn put_server(engine: &dyn Engine, server: Server, known: &BTreeSet<u64>) -> Result<(), StoreError> {
    let mut batch = WriteBatch::new();
    let known: Vec<u64> = known.iter().copied().collect();
    for (kind, numbers) in [(SERVER, &[server.beat, server.seen][..]), (KNOWS, &known)] {
        batch.put(
            tables::META,
            |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::Cluster),
            |b| key::meta_row_name(b, &format!("{kind}{}", server_name(server.id))),
            |v| setting_value::put_numbers(v, numbers),
        );
    }
    Ok(engine.commit(batch)?)
}

/// Begins a freeze, or ends one. Whether it was as `before` says.
pub(crate) fn swap_freeze(
    engine: &dyn Engine,
    before: Option<Freeze>,
    after: Option<Freeze>,
) -> Result<bool, StoreError> {
    let stored = |freeze: Freeze| {
        let mut bytes = Vec::new();
        setting_value::put_numbers(&mut bytes, &[freeze.number, freeze.server, freeze.length_ms]);
        bytes
    };
    let (before, after) = (before.map(stored), after.map(stored));
    swap(engine, (GraphNumber::STORE, MetaKind::Cluster, FROZEN), before.as_deref(), after.as_deref())
}

pub(crate) fn delete_server(engine: &dyn Engine, id: u64) -> Result<(), StoreError> {
    let mut batch = WriteBatch::new();
    for kind in [SERVER, KNOWS] {
        batch.delete(
            tables::META,
            |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::Cluster),
            |b| key::meta_row_name(b, &format!("{kind}{}", server_name(id))),
        );
    }
    Ok(engine.commit(batch)?)
}

/// Replaces the row of changes if it is as it was read.
pub(crate) fn swap_changes(
    engine: &dyn Engine,
    before: &Changes,
    owner: u64,
    count: u64,
) -> Result<Option<Changes>, StoreError> {
    let mut stored = Vec::new();
    setting_value::put_numbers(&mut stored, &[owner, count]);
    let done = swap(engine, (GraphNumber::STORE, MetaKind::Cluster, CHANGES), before.stored.as_deref(), Some(&stored))?;
    Ok(done.then_some(Changes { owner, count, stored: Some(stored) }))
}
