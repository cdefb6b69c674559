//! How many elements does a graph have, exactly, without reading them again?
//!
//! What it is: [`Counts`] are the numbers of one graph that were asked for. A count is made once, over a snapshot; from
//! then on each batch of writes looks up which of its rows are there already, and changes the count when it has been
//! written. A store that is closed in order keeps its counts, so that the next start has them.
//!
//! What it is not: it does not count, and it takes no locks on elements. `graph-store` does, and the tests of
//! `graph-host` cover both.
//!
//! Invariants:
//! - A count that is given out is that of the graph after the last acknowledged write, and perhaps some later ones.
//! - A batch is registered with the locks of its elements held, and they are held until it has been written. So nothing
//!   is written while all locks are held, which is when a count begins.
//! - Several batches may write one row at a time where all put it there: the first one counts it. Where they differ,
//!   and where a batch fails, all counts are given up.
//! - The stored record is right or absent: the first batch after a start removes it, in the same write.
//! - What nobody asks for is given up ([`limits`]), so a load does not pay for a count of before.
//!
//! Elements that expire are for the caller to count anew: they go without a write.
//!
//! Start reading at [`Counts::register`].

mod counts;
pub mod limits;
mod record;
mod rows;

pub use counts::{Counting, Counts};
pub use record::{Counted, RECORD};
