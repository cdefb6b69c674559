//! All limits and fixed proportions of the generator, each with its reason.

/// Fewest persons: an empty network has nothing to load.
pub const PERSONS_MIN: u64 = 1;
/// Most persons. At this size the adjacency of `knows` takes about 7 GB, and message numbers stay below 2^36.
pub const PERSONS_MAX: u64 = 10_000_000;
/// Fewest simulated years.
pub const YEARS_MIN: u32 = 1;
/// Most simulated years: creation dates stay in the past and ids stay below 2^53, exact also in JSON numbers.
pub const YEARS_MAX: u32 = 10;

/// First instant of the simulation: 2010-01-01T00:00:00Z in epoch milliseconds.
pub(crate) const START_MS: u64 = 1_262_304_000_000;
/// First simulated year.
pub(crate) const START_YEAR: u32 = 2010;
/// One second.
pub(crate) const SECOND_MS: u64 = 1_000;
/// One hour.
pub(crate) const HOUR_MS: u64 = 3_600 * SECOND_MS;
/// One day.
pub(crate) const DAY_MS: u64 = 24 * HOUR_MS;
/// Mean month.
pub(crate) const MONTH_MS: u64 = 30 * DAY_MS;
/// Least time between two dependent events, as in LDBC's data.
pub(crate) const GAP_MS: u64 = 10 * SECOND_MS;
/// Persons join in the first 950 of 1,000 parts of the time, so that the last ones can still act.
pub(crate) const JOIN_PER_MILLE: u64 = 950;

/// Bits of an id below the hour in which the entity was made: a running number.
pub(crate) const SEQUENCE_BITS: u32 = 36;
/// Persons per block when friends are found.
pub(crate) const BLOCK: usize = 10_000;
/// Most friends of a person (Facebook's cap was 5,000, LDBC cuts at 1,000).
pub(crate) const FRIENDS_MAX: u32 = 1_000;
/// Most interests of a person.
pub(crate) const INTERESTS_MAX: u32 = 80;
/// Most photos of an album.
pub(crate) const PHOTOS_MAX: u32 = 20;
/// Most comments below one post.
pub(crate) const COMMENTS_MAX: u32 = 20;
/// Most likes of one message.
pub(crate) const LIKES_MAX: u32 = 1_000;
/// Most members of a group.
pub(crate) const GROUP_MEMBERS_MAX: u32 = 100;
/// Longest text, in characters.
pub(crate) const TEXT_MAX: usize = 2_000;
/// Bytes of one file's write buffer; 31 files make 8 MiB.
pub(crate) const BUFFER_BYTES: usize = 256 * 1024;
/// Persons between two progress reports.
pub(crate) const PROGRESS_PERSONS: u64 = 500;
