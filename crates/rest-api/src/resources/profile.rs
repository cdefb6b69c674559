//! `/rhizome/profile`: where the process spends its processor time.

use graph_model::ErrorKind;
use profiling::{Format, ProfileError};

use crate::call::{Answered, Call};
use http_server::Reply;
use rest_errors::ApiError;

/// Seconds of a profile, where none are given.
const SECONDS: i64 = 10;

/// Takes a profile.
pub(crate) fn take(call: &Call) -> Answered {
    let seconds = u64::try_from(call.query().number("seconds")?.unwrap_or(SECONDS)).unwrap_or_default();
    let format = match call.query().text("format")?.as_deref() {
        None | Some("pprof") => Format::Pprof,
        Some("folded") => Format::Folded,
        Some(other) => {
            return Err(ApiError::bad_input(format!("'format' must be pprof or folded, but got '{other}'")));
        }
    };
    tracing::info!(user = call.caller.name(), seconds, "a profile is being taken");
    let profile = profiling::cpu(seconds, format, || call.budget.check().is_ok());
    let profile = profile.map_err(|error| match error {
        ProfileError::Time { .. } => ApiError::bad_input(error.to_string()),
        ProfileError::Busy | ProfileError::Stopped => ApiError::overloaded(error.to_string()),
        ProfileError::Failed(_) => ApiError::of(ErrorKind::NotSupported, error.to_string()),
    })?;
    Ok(match format {
        Format::Pprof => Reply::file("application/octet-stream", profile),
        Format::Folded => Reply::file("text/plain;charset=UTF-8", profile),
    })
}
