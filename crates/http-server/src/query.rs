//! Query parameters, read where they are needed: requests have few.

use std::borrow::Cow;

use crate::address::{NotDecoded, decode};

/// The query part of an address.
#[derive(Clone, Copy)]
pub struct Query<'a>(&'a str);

impl<'a> Query<'a> {
    /// Takes it as it was sent.
    pub fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// The values of a name, in order, decoded.
    pub fn all(self, name: &'a str) -> impl Iterator<Item = Result<Cow<'a, str>, NotDecoded>> {
        self.0.split('&').filter_map(move |pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (key == name).then(|| decode_value(value))
        })
    }
}

/// In a query a plus is a blank.
fn decode_value(raw: &str) -> Result<Cow<'_, str>, NotDecoded> {
    if raw.contains('+') {
        return decode(&raw.replace('+', " ")).map(|text| Cow::Owned(text.into_owned()));
    }
    decode(raw)
}
