//! Lists of elements, written as they are read, up to the limit of an answer.

use std::ops::ControlFlow;

use graph_model::ErrorKind;
use graph_store::{Range, Visit};

use crate::call::{Answered, Call};
use http_server::Reply;
use rest_errors::ApiError;

/// The body of a list as far as it is written.
pub(crate) struct ListBody {
    out: Vec<u8>,
    empty: bool,
    limit: usize,
}

impl ListBody {
    /// Opens `{"name":[`.
    pub(crate) fn open(name: &str, call: &Call) -> Self {
        let mut out = Vec::with_capacity(4 * 1024);
        out.extend_from_slice(b"{\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":[");
        Self { out, empty: true, limit: call.app.options.limits.response_bytes_max }
    }

    /// Appends an element, and breaks off where the list has become too large.
    pub(crate) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Visit {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        write(&mut self.out);
        if self.out.len() > self.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Closes the list. `page`: `None` where no page was asked for; `Some(None)` after the last one. A page that is too
    /// large has ended early, and its token says where the next one goes on.
    pub(crate) fn close(mut self, page: Option<Option<String>>) -> Answered {
        if self.out.len() > self.limit && page.is_none() {
            let message = format!(
                "Too many records: the list is larger than {} bytes (graph.response_bytes_max); \
                ask for fewer with 'limit', or page \
                 by page with 'page' and 'limit'",
                self.limit
            );
            return Err(ApiError::of(ErrorKind::LimitExceeded, message));
        }
        self.out.push(b']');
        if let Some(token) = page {
            self.out.extend_from_slice(b",\"page\":");
            let token = token.map_or(serde_json::Value::Null, serde_json::Value::String);
            self.out.extend_from_slice(token.to_string().as_bytes());
        }
        self.out.push(b'}');
        Ok(Reply::ok(self.out))
    }
}

/// Which part of a list is asked for: `limit`, `offset`, `page`.
pub(crate) fn range(call: &Call) -> Result<Range, ApiError> {
    let query = call.query();
    let limit = query.limit(call.app.options.limits.list_limit_default)?;
    let offset = query.offset()?;
    match query.one("page")? {
        Some(_) if offset != 0 => {
            Err(ApiError::bad_input("'page' and 'offset' exclude each other; leave 'offset' out when paging"))
        }
        Some(token) => Ok(Range::Page { token: token.into_owned(), limit }),
        None => Ok(Range::Offset { offset, limit }),
    }
}

/// Whether a list is read page by page.
pub(crate) fn is_paged(range: &Range) -> bool {
    matches!(range, Range::Page { .. })
}

/// The values of `?ids=`, at least one.
pub(crate) fn ids(call: &Call) -> Result<Vec<String>, ApiError> {
    let mut ids = Vec::new();
    for id in call.query().all("ids") {
        ids.push(id?.into_owned());
        if ids.len() > crate::limits::IDS_MAX {
            let message = format!("too many 'ids', the limit is {}; ask in several requests", crate::limits::IDS_MAX);
            return Err(ApiError::of(ErrorKind::LimitExceeded, message));
        }
    }
    if ids.is_empty() {
        return Err(ApiError::bad_input("'ids' is missing: give one or more, as ids=A&ids=B"));
    }
    Ok(ids)
}
