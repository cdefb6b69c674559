//! A request about users, as far as it matters here.

use std::borrow::Cow;

use auth::{AccountError, Accounts, Caller};
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A request, and how it fails.
pub trait Ask {
    /// The failure of a request.
    type Error: From<AccountError>;

    /// The users of the server.
    ///
    /// # Errors
    /// A server without users.
    fn accounts(&self) -> Result<&Accounts, Self::Error>;

    /// Who asks.
    fn caller(&self) -> &Caller;

    /// The body.
    fn body(&self) -> &[u8];

    /// The id in the address, whether it is its last segment or not.
    ///
    /// # Errors
    /// One that is no text.
    fn id(&self) -> Result<Cow<'_, str>, Self::Error>;

    /// A parameter of the address.
    ///
    /// # Errors
    /// One that is no text, or is given twice.
    fn text(&self, name: &'static str) -> Result<Option<Cow<'_, str>>, Self::Error>;

    /// How many records a list may have; `None`: any number.
    ///
    /// # Errors
    /// A parameter that is no number.
    fn limit(&self) -> Result<Option<u64>, Self::Error>;

    /// The time zone of moments in answers.
    fn zone(&self) -> &TimeZone;

    /// Whether it comes from a client up to 1.5.
    fn is_old(&self) -> bool;

    /// The graph that is meant where none is named.
    fn default_graph(&self) -> &str;
}

/// What is answered.
#[derive(Debug)]
pub enum Answer {
    /// This.
    Ok(Value),
    /// This, which is new.
    Created(Value),
    /// That it is done.
    NoContent,
}

/// An answer, or why there is none.
pub type Done<R> = Result<Answer, <R as Ask>::Error>;

pub(crate) fn invalid(message: impl Into<String>) -> AccountError {
    AccountError::Invalid(message.into())
}

/// Reads a JSON object; what is not there is none.
pub(crate) fn read<T: DeserializeOwned, R: Ask>(request: &R) -> Result<T, R::Error> {
    let read = serde_json::from_slice(request.body());
    Ok(read
        .map_err(|error| invalid(format!("the body must be a JSON object with the fields of this address: {error}")))?)
}
