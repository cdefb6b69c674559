//! Many rows of a graph, sorted in bounded memory: what fits is sorted and written to a file, a run, whose sections are
//! read back in the order of their keys to be merged with those of other runs. Where all rows fit, they are read where
//! they are.
//!
//! What it is not: it merges nothing, and knows no storage engine.
//!
//! Start reading at [`Sorter`].

mod limits;
mod run;
mod sorter;

pub use run::{RunMeta, RunWriter, SectionMeta, SectionReader};
pub use sorter::{SortedRows, SortedSection, Sorter, head_of};
