//! Limits of this crate, each with its reason. Sizes of whole bodies are limited by the caller, depth by the parser
//! (128).

/// Entries of one schema element's user data: they are kept in a list that is searched on every insertion.
pub const USER_DATA_ENTRIES_MAX: usize = 1_024;

/// Characters of a parser's words repeated in an error: it can quote a value of any length.
pub(crate) const QUOTED_CHARS_MAX: usize = 200;

/// Elements room is made for before the first is read: batches are small, and a hostile body must not reserve memory.
pub(crate) const ELEMENTS_RESERVED_MAX: usize = 512;

/// Bytes an element takes at least in practice; the length of a body over this is a guess at how many it holds.
pub(crate) const ELEMENT_BYTES_GUESS: usize = 64;

/// Properties up to which repeated names are looked for one by one; beyond, a hash set is faster.
pub(crate) const PROPERTIES_SCANNED_MAX: usize = 16;

/// Strategies of one batch update: one for each property it names, and labels with more properties than this are
/// unheard of. They are searched one by one for every value that is merged.
pub const STRATEGIES_MAX: usize = 1_000;

/// Labels in a step of a traverser, with or without conditions: graphs have tens of them, and conditions are looked at
/// one by one for every edge.
pub const STEP_LABELS_MAX: usize = 1_000;

/// Ids a traverser may be given to begin at: as many vertices as may be chosen by label and properties.
pub const TRAVERSER_IDS_MAX: usize = 100_000;
