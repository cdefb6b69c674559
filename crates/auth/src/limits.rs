//! Limits that are not settings, each with its reason.

use std::time::Duration;

/// Longest password, in bytes: longer ones are no safer, and each costs its hashing.
pub const PASSWORD_BYTES_MAX: usize = 512;

/// Longest name of a user, a group, a target or a project, in bytes.
pub const NAME_BYTES_MAX: usize = 256;

/// Longest free text of a record, in bytes.
pub const TEXT_BYTES_MAX: usize = 4_096;

/// Resources of one target.
pub const RESOURCES_MAX: usize = 1_000;

/// Records of all kinds together: all are in memory, and are written as one row.
pub const RECORDS_MAX: usize = 20_000;

/// Bytes of that row: engines over a network take no larger ones.
pub const DOCUMENT_BYTES_MAX: usize = 4 << 20;

/// Tokens that were logged out before their time; beyond it the keys of tokens are replaced, which ends all.
pub const LOGGED_OUT_MAX: usize = 10_000;

/// Passwords that were right, kept so that the next request with one costs microseconds.
pub const KEPT_LOGINS_MAX: usize = 10_000;

/// How long one is kept.
pub const KEPT_LOGIN_AGE: Duration = Duration::from_secs(600);

/// Users of an issuer whose rights are kept.
pub const ISSUED_MAX: usize = 10_000;

/// Passwords that are hashed at one time: each takes 19 MiB and a processor.
pub const HASHES_AT_ONCE_MAX: usize = 2;

/// Requests that wait for that; more are refused.
pub const HASHES_WAITING_MAX: usize = 64;

/// Failed logins before the next one is delayed.
pub const FAILURES_FREE: u32 = 5;

/// Longest delay after a failed login.
pub const DELAY_MAX: Duration = Duration::from_secs(30);

/// Longest delay for the administrator from the machine itself, who must get in whoever else tries there.
pub const ADMIN_DELAY_MAX: Duration = Duration::from_secs(1);

/// Places that failures are remembered of.
pub const PLACES_MAX: usize = 10_000;

/// How often a change is tried again that met one of another server.
pub const CHANGES_TRIED_MAX: usize = 100;

/// Keys that verify tokens: the one that signs, and the one before it.
pub const TOKEN_KEYS_MAX: usize = 2;
