//! Ranges of the rows of a label's edges at a vertex, by the values of its sort keys.

use graph_access::SortRange;
use graph_model::{IdError, LabelId, Value, join_values};
use key_codec::key;
use kv::prefix_end;

/// The rows that may hold the edges of a range.
pub(crate) struct Bounds {
    pub(crate) label: LabelId,
    /// The first row.
    pub(crate) start: Vec<u8>,
    /// What all rows are before; `None`: there is no end.
    pub(crate) end: Option<Vec<u8>>,
}

/// What the rows begin with of edges whose first sort keys have these values; `is_whole`: there are no further keys.
///
/// # Errors
/// A value that no sort key can have.
pub fn sort_prefix<'v>(values: impl IntoIterator<Item = &'v Value>, is_whole: bool) -> Result<Vec<u8>, IdError> {
    let (mut prefix, mut values) = (Vec::new(), values.into_iter().peekable());
    if values.peek().is_some() {
        key::edge_row_prefix(&mut prefix, &join_values(values, true)?, is_whole);
    }
    Ok(prefix)
}

impl Bounds {
    /// The rows of a range.
    ///
    /// # Errors
    /// A value that no sort key can have.
    pub(crate) fn of(range: &SortRange) -> Result<Self, IdError> {
        let start = sort_prefix(&range.equal, range.is_whole)?;
        let with = |value: &Value| -> Result<Vec<u8>, IdError> {
            let mut row = start.clone();
            key::edge_row_prefix(&mut row, &join_values([value], true)?, true);
            // The end of the text: other values may begin with this one, and other keys follow.
            row.pop();
            Ok(row)
        };
        let end = match &range.high {
            None => prefix_end(&start),
            Some(high) => prefix_end(&with(high)?),
        };
        let start = range.low.as_ref().map_or_else(|| Ok(start.clone()), with)?;
        let is_empty = end.as_ref().is_some_and(|end| *end < start);
        Ok(Self { label: range.label, end: if is_empty { Some(start.clone()) } else { end }, start })
    }
}
