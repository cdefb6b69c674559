//! What lists and single records have in common.

use auth::AccountError;
use auth::records::{Document, Table};
use serde_json::{Value, json};

use crate::ask::{Answer, Ask, Done};
use crate::view::View;

/// The records of a table that a list asks for.
pub(crate) fn list<T, R: Ask>(
    request: &R,
    name: &str,
    table: impl Fn(&Document) -> &Table<T>,
    fits: impl Fn(&T) -> bool,
    show: impl Fn(&View, &str, &T) -> Value,
) -> Done<R> {
    let limit = request.limit()?.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    let view = View::of(request);
    let shown: Vec<Value> = request.accounts()?.read(|document| {
        let fitting = table(document).iter().filter(|(_, record)| fits(record));
        fitting.take(limit).map(|(id, record)| show(&view, id, record)).collect()
    });
    Ok(Answer::Ok(json!({ name: shown })))
}

/// The record of an id: the id itself, or the name.
pub(crate) fn one<T, R: Ask>(
    request: &R,
    given: &str,
    id_of: fn(&str) -> String,
    table: impl Fn(&Document) -> &Table<T>,
    show: impl Fn(&View, &str, &T) -> Value,
) -> Result<Value, R::Error> {
    let view = View::of(request);
    let shown = request.accounts()?.read(|document| {
        let table = table(document);
        [given.to_owned(), id_of(given)].into_iter().find_map(|id| Some(show(&view, &id, table.get(&id)?)))
    });
    Ok(shown.ok_or_else(|| AccountError::NotFound(format!("there is nothing with the id '{given}'")))?)
}

/// The id of a record that has no other name.
pub(crate) fn as_it_is(id: &str) -> String {
    id.to_owned()
}
