//! Requests and answers of the Gremlin Server's protocol, whatever they are written in.

use gremlin::Text;
use query_value::Value;

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its id, chosen by the client; answers repeat it.
    pub id: u128,
    /// What is asked: `eval`, `bytecode`, `authentication`, `close`.
    pub op: Text,
    /// Who is asked: nothing, `traversal`, `session`.
    pub processor: Text,
    /// The arguments by name.
    pub arguments: Vec<(Text, gremlin::Value)>,
}

/// An answer, or a part of one.
#[derive(Clone, Debug)]
pub struct Response {
    /// The id of the request; none if it could not be read.
    pub id: Option<u128>,
    /// 200 for the last part, 206 if more follow, 204 without results, and errors.
    pub code: i32,
    /// What went wrong.
    pub message: Option<Text>,
    /// Facts about an error.
    pub attributes: Vec<(Text, Value)>,
    /// The results, each with how many times it occurred.
    pub rows: Vec<(Value, u64)>,
    /// Whether results are written as traversers with their bulk; else each as often as it occurred.
    pub is_bulked: bool,
    /// Whether moments are written as dates, which are milliseconds in UTC: before 3.8 drivers know nothing else.
    pub has_dates: bool,
}

impl Response {
    /// How many items the results are in a message.
    pub(crate) fn len(&self) -> usize {
        if self.is_bulked {
            return self.rows.len();
        }
        let times = self.rows.iter().map(|(_, times)| usize::try_from(*times).unwrap_or(usize::MAX));
        times.fold(0, usize::saturating_add)
    }

    /// The results, each as often as it occurred.
    pub(crate) fn repeated(&self) -> impl Iterator<Item = &Value> {
        let rows = self.rows.iter();
        rows.flat_map(|(value, times)| std::iter::repeat_n(value, usize::try_from(*times).unwrap_or(usize::MAX)))
    }
}
