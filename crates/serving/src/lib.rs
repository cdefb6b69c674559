//! Which request gets a thread, and which is refused. It knows no protocol and no graph, so that all
//! protocols of the server share one set of threads, queues and bounds instead of competing for the processors.
//!
//! - [`Admission`] bounds requests and bytes of bodies at one time.
//! - [`Queue`] bounds how much of one kind runs and waits; [`Pool`] adds threads of its own. [`Serving::readers`] share
//!   the reading of one long query.
//! - [`Attempts`] tries short reads without another thread.
//! - [`Workers`] spreads connections over the threads that serve them, which look for more before they sleep
//!   (`busy_poll.rs`).
//! - [`Watch`] is asked once it is known who asks: quotas of users and graphs, room on the disk, records.
//! - [`Metrics`] counts all that.
//!
//! [`Serving`] holds them. Invariant: what is refused is refused at once, with the setting that bounds it.

mod admission;
mod attempts;
mod busy_poll;
mod disk;
pub mod limits;
mod metrics;
mod pool;
mod process;
mod queue;
mod quotas;
mod room;
mod watch;
mod work_bounds;
mod workers;

pub use admission::{Admission, Admitted, Full};
pub use attempts::{Attempt, Attempts};
pub use busy_poll::note_arrival;
pub use disk::{DiskLow, DiskSpace};
pub use kv::without_waiting;
pub use metrics::{EndpointMetrics, Endpoints, Exemplar, Metrics, Outcome};
pub use pool::{CancelOnDrop, Pool};
pub use process::{kept_bytes, program_bytes, resident_bytes};
pub use queue::{Permit, Queue, Refused, Slots, Waits};
pub use quotas::{OverQuota, QueryShare, Quota, QuotaOptions, Quotas};
pub use room::{Options, Serving};
pub use watch::{Barred, Watch, Watched};
pub use work_bounds::WorkBounds;
pub use workers::{Worker, Workers};
