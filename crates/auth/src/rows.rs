//! The row in which the records are kept. It is only ever replaced where it is as it was read, so changes of several
//! servers come one after the other.

use graph_store::StoreError;
use graph_store::stored_settings::{read_row, swap};
use key_codec::key::MetaKind;
use key_codec::{CodecError, GraphNumber};
use kv::Engine;

use crate::records::Document;

const NAME: &str = "records";
const BROKEN: CodecError = CodecError { what: "users and rights", problem: "no JSON of this version", at: 0 };

/// The records as stored, and their bytes; none in a store that never had users.
pub(crate) fn read(engine: &dyn Engine) -> Result<Option<(Document, Vec<u8>)>, StoreError> {
    let Some(bytes) = read_row(engine, GraphNumber::STORE, MetaKind::Auth, NAME)? else { return Ok(None) };
    let document = serde_json::from_slice(&bytes).map_err(|_| StoreError::Corrupt(BROKEN))?;
    Ok(Some((document, bytes)))
}

/// The records as they are stored.
pub(crate) fn to_bytes(document: &Document) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(document).map_err(|_| StoreError::Corrupt(BROKEN))
}

/// Replaces the records where they are as they were read; false where another change came first.
pub(crate) fn replace(engine: &dyn Engine, before: Option<&[u8]>, bytes: &[u8]) -> Result<bool, StoreError> {
    swap(engine, (GraphNumber::STORE, MetaKind::Auth, NAME), before, Some(bytes))
}
