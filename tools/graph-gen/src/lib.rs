//! A deterministic generator of LDBC-like social networks.
//!
//! It writes persons who know each other, their forums, posts, comments and likes, with the files, columns and roughly
//! the distributions of LDBC's Social Network Benchmark (Interactive v1, CsvComposite form, dates as epoch
//! milliseconds). It is not LDBC's generator: the words are our own, the static part is smaller (about 1,500 tags
//! instead of 16,080), correlations are simpler, there are no update streams, and results on its data are not LDBC
//! results.
//!
//! The same options give byte-identical files on every machine: each entity draws from its own stream, seeded from
//! (seed, kind, number).
//!
//! Memory: 32 bytes for each person and 14 bytes of bookkeeping, plus 4 bytes for each friend it wants (mean:
//! `N^(0.512 - 0.028 log10 N)`, so 41 for 11,000 persons and 102 for half a million): 210 to 460 bytes a person, and
//! 8 MiB of file buffers. Forums and messages are written as they are drawn and do not count.
//!
//! Start reading at [`generate`], then `files` (the 31 files), `person`, `knows`, `forum`, `message`. Next to the data
//! it writes `schema.json`, `schema.groovy` and `mapping.json`, which also fit LDBC's own data of the same form.

mod clock;
mod dictionary;
mod draw;
mod error;
mod files;
mod flash_mob;
mod forum;
mod knows;
mod limits;
mod mapping;
mod member;
mod message;
mod network;
mod person;
mod scale_factor;
mod schema;
mod statics;
mod text;
mod world;

pub use error::GenError;
pub use files::{Content, StreamedRow};
pub use limits::{PERSONS_MAX, PERSONS_MIN, YEARS_MAX, YEARS_MIN};
pub use mapping::mapping_json;
pub use network::{FileRows, Progress, SnbOptions, Stage, Summary, generate, stream};
pub use scale_factor::{SCALE_FACTORS, ScaleFactor};
pub use schema::{schema_groovy, schema_json};
