//! The bounds of this layer.

use std::time::Duration;

/// How long a session lasts without a sign of its page, in seconds; with one, as long as a token may be
/// (`auth.token_seconds`). A working day with its break.
pub(crate) const SESSION_IDLE_SECONDS: i64 = 12 * 3_600;

/// Documents of one kind that a graph keeps: lists of them are shown as a whole.
pub(crate) const DOCUMENTS_MAX: usize = 200;

/// Bytes of one document. A scene of 2,000 vertices with their properties has about half of it.
pub(crate) const DOCUMENT_BYTES_MAX: usize = 1 << 20;

/// Bytes of what a list says about a document. With [`DOCUMENTS_MAX`] it bounds the list.
pub(crate) const DOCUMENT_ABOUT_BYTES_MAX: usize = 2_000;

/// Characters of a document's name: it is shown in one line.
pub(crate) const DOCUMENT_NAME_CHARS_MAX: usize = 100;

/// How often figures are noted: what a chart of an hour can show.
pub(crate) const SERIES_EVERY: Duration = Duration::from_secs(5);

/// Moments that are kept: an hour. Each has 80 bytes.
pub(crate) const SERIES_POINTS_MAX: usize = 720;

/// Users of a load test that the server makes: each is a connection of the server's own, and a file of its process.
/// More come from another machine (`rhizome bench`).
pub(crate) const LOAD_USERS_MAX: u32 = 512;

/// Length of such a test, without what is prepared and removed.
pub(crate) const LOAD_SECONDS_MAX: u64 = 600;

/// Requests a second of its open driver.
pub(crate) const LOAD_RATE_MAX: f64 = 100_000.0;

/// Vertices that such a test prepares where it needs any: seconds, not minutes.
pub(crate) const LOAD_VERTICES: u64 = 20_000;

/// Edges that it prepares.
pub(crate) const LOAD_EDGES: u64 = 40_000;

/// Load before the measured part.
pub(crate) const LOAD_WARM_UP: Duration = Duration::from_secs(3);

/// Single requests of such a test that are kept: its result is about all of them, and no file of samples is made.
pub(crate) const LOAD_SAMPLES_MAX: usize = 1_000;

/// Time that a token must last beyond the test: preparing and removing.
pub(crate) const LOAD_TOKEN_EXTRA_SECONDS: i64 = 900;
