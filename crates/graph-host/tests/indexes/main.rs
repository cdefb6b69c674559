//! Index entries: always those of the elements, whatever was done, whoever did it at the same time, and whatever
//! failed.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "test code")]

mod building;
mod check;
mod concurrent;
mod fixture;
mod model;
mod purge;
mod unique;
