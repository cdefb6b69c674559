//! The bounds of this layer.

/// Requests of one connection that wait until their client has logged in: drivers send one, and then log in.
pub const REQUESTS_BEFORE_LOGIN_MAX: usize = 4;

/// Results in one message unless the client says otherwise: TinkerPop's default.
pub const BATCH_SIZE: usize = 64;

/// Most results in one message: a message is held in memory as a whole.
pub const BATCH_SIZE_MAX: usize = 4_096;

/// Requests of one connection that are worked on or wait for a thread: drivers send at most 32 at one time.
pub const REQUESTS_PER_CONNECTION_MAX: usize = 64;

/// Messages of one connection that wait to be sent; the queries wait when there are more.
pub const MESSAGES_WAITING_MAX: usize = 16;
