//! Which request took how long where? Traces as W3C and OpenTelemetry describe them: sampled requests have spans, which
//! are sent to a collector by OTLP over HTTP.
//!
//! - [`Traces`] decides which requests are sampled, and sends their spans (`exporting.rs`, a bounded queue).
//! - [`Place`] is where in a trace work happens. It is kept by the thread at work; who hands work to another thread
//!   hands the place on: [`here`], [`Place::enter`].
//! - [`span`] times a part of the work; [`enter`] has other spans below it.
//! - [`TracedEngine`] has a span for each call of a storage engine; it is there only when traces are on.
//!
//! What it is not: it knows no protocol and no graph, and no value of an element ever gets into a span, except in the
//! texts of queries where the settings ask for those.
//!
//! Invariant: without traces a request costs neither an allocation nor a lock for them, and no more where the ratio
//! leaves it out; no request ever waits for the collector. What does not fit into the queue is dropped and counted.

mod client;
mod engine;
mod error;
mod exporting;
pub mod limits;
mod place;
mod sampled;

pub use engine::TracedEngine;
pub use error::TracesError;
pub use exporting::SpanCounts;
pub use place::{Entered, Place, Timed, describe, enter, here, note_query, span, trace_id, within};
pub use sampled::{Given, Options, Traces};
