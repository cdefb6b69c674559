//! All limits of this crate, each with its reason.

use std::time::Duration;

/// Different error texts kept for each class of errors in a row: enough to see what happens, without a log of a failing
/// server in every result.
pub const ERROR_EXAMPLES_MAX: usize = 10;

/// Errors of one class, in one row and thread, whose text is looked at for [`ERROR_EXAMPLES_MAX`]: what fails a million
/// times says the same thing most of the time, and making texts would slow down the tool.
pub(crate) const ERROR_TEXTS_LOOKED_AT: u64 = 1_000;

/// Most bytes of an answer shown in an error text.
pub(crate) const ERROR_ANSWER_BYTES_MAX: usize = 200;

/// Longest time that the histograms can tell from longer ones: an hour, more than any request timeout makes sense.
pub const LATENCY_MAX: Duration = Duration::from_hours(1);

/// Significant decimal digits of the histograms: figures are exact to within 0.1%.
pub const LATENCY_DIGITS: u8 = 3;

/// Buckets in the time series of a row, at most: a chart shows no more, and a result file stays small.
pub const SERIES_BUCKETS_MAX: u64 = 600;

/// Samples of single requests kept for a row; above it they are thinned evenly. 100,000 lines of JTL are some 15 MB.
pub const SAMPLES_PER_ROW_MAX: usize = 100_000;

/// Congestion control of connections to this machine's own address (RFC 5681): the one that reckons least.
#[cfg(target_os = "linux")]
pub(crate) const CONGESTION_CONTROL_LOOPBACK: &str = "reno";

/// Largest answer that is read to be checked; a longer one is a wrong answer. Servers page or cut long before.
pub(crate) const ANSWER_BYTES_MAX: usize = 64 << 20;

/// Longest head of an answer; servers themselves send a few hundred bytes.
pub(crate) const ANSWER_HEAD_BYTES_MAX: usize = 64 << 10;

/// Headers of an answer that are looked at; one with more is refused. Servers send ten.
pub(crate) const ANSWER_HEADERS_MAX: usize = 64;

/// Room that a connection keeps for an answer before it knows how long it is: most single elements fit.
pub(crate) const ANSWER_BYTES_GUESS: usize = 4 << 10;

/// Users of one row: Linux gives out 28,232 local ports to one address of a server at stock settings, and each user
/// takes one and some 20 KiB.
pub const USERS_MAX: u32 = 28_000;

/// Threads of the tool: more than any machine can use for one target.
pub const CLIENT_THREADS_MAX: usize = 256;

/// Requests in one scenario: each has its own histograms in each thread.
pub const REQUESTS_MAX: usize = 32;

/// Weight of one request of a scenario: shares down to a millionth, and products of weights, of their sums and of
/// percents stay below 2^53.
pub const WEIGHT_MAX: u32 = 1_000_000;

/// Elements in one request: a body is rendered in memory for each user.
pub const BATCH_ELEMENTS_MAX: u32 = 100_000;

/// A user that slept until its next start is on time if it woke within this: the timers of the runtime tick in
/// milliseconds, and what the tool's own clock costs is not the server's latency.
pub(crate) const TIMER_GRACE: Duration = Duration::from_millis(2);

/// Pause of a user that got no connection, so that a server that is down is not asked a hundred thousand times a
/// second.
pub(crate) const CONNECT_RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Time that requests under way get to end after an interruption.
pub(crate) const INTERRUPT_GRACE: Duration = Duration::from_secs(1);

/// File descriptors in addition to those of the users' connections.
pub(crate) const OTHER_DESCRIPTORS: u64 = 128;

/// Rows of one stress search: it ends sooner with sensible steps, and must end with others.
pub const STRESS_ROWS_MAX: usize = 200;

/// Elements in one request of the preparation: what HugeGraph accepts at stock settings.
pub(crate) const PREPARE_BATCH_ELEMENTS: u64 = 500;

/// Requests of the preparation under way at one time: HugeGraph has three writers for batches at stock settings.
pub(crate) const PREPARE_IN_FLIGHT: usize = 3;

/// Time that deleting a label of the tool's own data may take.
pub(crate) const CLEAN_UP_TIMEOUT_MS: u64 = 600_000;

/// Points of a latency distribution between a percentile and half the way to 100: enough for a smooth curve, few enough
/// for a page with many of them.
pub const DISTRIBUTION_POINTS_PER_HALF: u32 = 8;

/// Points of a line up to which each is drawn as a dot too: the rows of a stress search are measurements, while the
/// seconds of a time series would merge into a band.
pub const CHART_MARKERS_MAX: usize = 24;

/// Runs on one page: more colours than these cannot be distinguished.
pub const CHART_SERIES_MAX: usize = 6;

/// Loads of a quick run of a published page, in hundredths of the page's users: two below, the same, and one above.
pub(crate) const QUICK_LOADS: [u32; 4] = [25, 50, 100, 200];

/// Part of a quick run's time that is kept for preparing data, connecting and waiting for last answers, in hundredths.
pub(crate) const QUICK_PREPARE_PERCENT: u32 = 25;

/// Time that requests of a quick run are given at least, even when its time is over.
pub(crate) const QUICK_TIMEOUT_MIN: Duration = Duration::from_secs(1);

/// The least difference in users down to which a page's peak is searched: the pages themselves step by hundreds.
pub(crate) const PUBLISH_RESOLUTION_MIN: u32 = 50;

/// Processor cores that two servers may still use when they count as settled: timers and collectors of garbage never
/// rest.
pub(crate) const SETTLED_CORES_MAX: f64 = 0.1;

/// Time over which that is measured: the system counts processor time in hundredths of a second.
pub(crate) const SETTLED_LOOK_EVERY: Duration = Duration::from_millis(500);
