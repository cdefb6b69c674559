//! Limits that are not settings, each with its reason.

use std::time::Duration;

/// Longest token, in bytes: longer ones would not fit into a header of a request.
pub const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// Bytes of one answer of the issuer: lists of keys have a few kilobytes.
pub const RESPONSE_BYTES_MAX: usize = 1 << 20;

/// Keys of an issuer; more are not read.
pub const KEYS_MAX: usize = 100;

/// Time to connect to the issuer.
pub const CONNECT_TIME_MAX: Duration = Duration::from_secs(3);

/// Time of all that is read from the issuer at one time.
pub const FETCH_TIME_MAX: Duration = Duration::from_secs(5);

/// How often keys are fetched at most, because of tokens that name a key that is not known.
pub const FETCH_PAUSE: Duration = Duration::from_secs(60);

/// How often at most that is tried while there are no keys at all.
pub const FIRST_FETCH_PAUSE: Duration = Duration::from_secs(5);

/// From which age on keys are fetched again, so that one that the issuer has withdrawn is not believed for long.
pub const KEYS_FRESH_TIME: Duration = Duration::from_secs(3_600);

/// To which age keys are used where the issuer cannot be reached.
pub const KEYS_AGE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// Requests that wait for keys to be fetched; more are refused.
pub const WAITING_MAX: usize = 8;

/// By how many seconds the clocks of issuer and server may differ.
pub const LEEWAY_S: u64 = 30;

/// Tokens that were verified, kept so that the next request with one costs microseconds.
pub const VERIFIED_MAX: usize = 10_000;

/// Longest name of a user in a token, in bytes.
pub const NAME_BYTES_MAX: usize = 200;

/// Groups of one token; the others are not looked at.
pub const GROUPS_MAX: usize = 1_000;
