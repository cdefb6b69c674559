//! Requests and answers of the Gremlin Server's protocol, whatever they are written in.

use gremlin::Text;

use crate::item::Item;

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
    pub arguments: Vec<(Text, Item)>,
}

impl Request {
    /// An argument.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Item> {
        self.arguments.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

/// An answer, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The id of the request; none if it could not be read.
    pub id: Option<u128>,
    /// 200 for the last part, 206 if more follow, 204 without results, and errors.
    pub code: i32,
    /// What went wrong.
    pub message: Option<Text>,
    /// Facts about an error.
    pub attributes: Vec<(Text, Item)>,
    /// Facts about the results. Clients expect a map here, so it is never null.
    pub meta: Vec<(Text, Item)>,
    /// The results: a list, or null.
    pub data: Item,
}
