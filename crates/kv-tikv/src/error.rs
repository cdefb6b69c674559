//! TiKV's errors: whether a retry can help, whether something may have been written, and how they are reported.

use kv::KvError;
use tikv_client::{Error, ProtoKeyError, ProtoRegionError};

/// Why an attempt failed.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The client or the cluster said so.
    Client(Error),
    /// PD gave no timestamp in time.
    NoTimestamp,
    /// The client says it committed, but PD could not say where a key is meanwhile: see [`crate::lookups`].
    Unsure,
    /// The time of the call was up.
    TimeUp,
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Client(error)
    }
}

/// What to do about a failed attempt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Trying again cannot help.
    Final,
    /// Nothing was written; a new attempt can succeed.
    Again,
    /// The same, because somebody else wrote the same keys.
    Conflict,
    /// One round was not enough: the cluster does not commit in one phase.
    NotInOnePhase,
    /// A new attempt can succeed; this one may have been written.
    Unknown,
}

/// Classifies a failure.
pub(crate) fn judge(error: &Error) -> Verdict {
    match error {
        Error::KeyError(key) => of_key(key),
        Error::ExtractedErrors(all) | Error::MultipleKeyErrors(all) => of_all(all),
        Error::ResolveLockError(_) | Error::TxnNotFound(_) => Verdict::Again,
        Error::OnePcFailure => Verdict::NotInOnePhase,
        Error::RegionError(region) => of_region(region),
        Error::GrpcAPI(status) => of_status(status),
        Error::Unimplemented | Error::UnsupportedMode | Error::ColumnFamilyError(_) | Error::KeyspaceNotFound(_) => {
            Verdict::Final
        }
        // An undetermined commit, a connection that broke, a task that ended: anything may have happened before.
        _ => Verdict::Unknown,
    }
}

fn of_key(key: &ProtoKeyError) -> Verdict {
    if key.conflict.is_some() || key.locked.is_some() || key.deadlock.is_some() {
        Verdict::Conflict
    } else if key.abort.is_empty() {
        Verdict::Again
    } else {
        Verdict::Final
    }
}

/// The worst of several.
fn of_all(all: &[Error]) -> Verdict {
    let verdicts: Vec<Verdict> = all.iter().map(judge).collect();
    [Verdict::Unknown, Verdict::Final, Verdict::NotInOnePhase, Verdict::Conflict]
        .into_iter()
        .find(|verdict| verdicts.contains(verdict))
        .unwrap_or(Verdict::Again)
}

fn of_region(region: &ProtoRegionError) -> Verdict {
    if region.raft_entry_too_large.is_some() { Verdict::Final } else { Verdict::Unknown }
}

fn of_status(status: &tonic::Status) -> Verdict {
    use tonic::Code;
    match status.code() {
        Code::Unauthenticated
        | Code::PermissionDenied
        | Code::Unimplemented
        | Code::InvalidArgument
        | Code::OutOfRange => Verdict::Final,
        _ => Verdict::Unknown,
    }
}

/// Whether an answer had more than [`crate::limits::ANSWER_BYTES_MAX`] bytes.
pub(crate) fn is_answer_too_large(error: &Error) -> bool {
    matches!(error, Error::GrpcAPI(status) if status.code() == tonic::Code::OutOfRange)
}

/// A failure that a retry cannot fix, as an error of the storage interface.
pub(crate) fn translate(error: &Error) -> KvError {
    if let Error::RegionError(region) = error
        && let Some(large) = &region.raft_entry_too_large
    {
        return KvError::Other {
            detail: format!(
                "TiKV refuses a write of {} bytes: raise raftstore.raft-entry-max-size, or write smaller values",
                large.entry_size
            ),
        };
    }
    KvError::Other { detail: format!("TiKV: {}", brief(error)) }
}

/// The words of an error, without the place in the client's source that some begin with, cut where they list whole
/// messages of the protocol.
pub(crate) fn brief(error: &Error) -> String {
    const CHARS_MAX: usize = 300;
    let words = error.to_string();
    let place = words.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    let words = match place {
        Some((place, rest)) if place.contains(".rs:") => rest.to_owned(),
        _ => words,
    };
    match words.char_indices().nth(CHARS_MAX) {
        Some((at, _)) => format!("{}...", words.get(..at).unwrap_or_default()),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(change: impl FnOnce(&mut ProtoKeyError)) -> Error {
        let mut key = ProtoKeyError::default();
        change(&mut key);
        Error::KeyError(Box::new(key))
    }

    #[test]
    fn a_refused_key_was_not_written_and_a_broken_connection_may_have() {
        assert_eq!(judge(&key(|k| k.conflict = Some(Default::default()))), Verdict::Conflict);
        assert_eq!(judge(&key(|k| k.retryable = "later".into())), Verdict::Again);
        assert_eq!(judge(&key(|k| k.abort = "the key is too long".into())), Verdict::Final);
        assert_eq!(judge(&Error::GrpcAPI(tonic::Status::unavailable("gone"))), Verdict::Unknown);
        assert_eq!(judge(&Error::GrpcAPI(tonic::Status::unauthenticated("who?"))), Verdict::Final);
        assert_eq!(judge(&Error::UndeterminedError(Box::new(Error::Unimplemented))), Verdict::Unknown);
        let mixed = vec![key(|k| k.conflict = Some(Default::default())), Error::GrpcAPI(tonic::Status::aborted(""))];
        assert_eq!(judge(&Error::MultipleKeyErrors(mixed)), Verdict::Unknown, "one of several may have been written");
    }

    #[test]
    fn words_are_cut() {
        assert_eq!(brief(&Error::StringError("é".repeat(1000))).chars().count(), 303);
        let placed = Error::InternalError { message: "[/home/me/src/cluster.rs:209]: PD is gone".to_owned() };
        assert_eq!(brief(&placed), "PD is gone");
        assert_eq!(brief(&Error::StringError("[1, 2]: no".to_owned())), "[1, 2]: no");
    }
}
