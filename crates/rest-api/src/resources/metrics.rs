//! `/metrics` and below: Prometheus text, and the same figures as JSON in HugeGraph's groups.

use rest_json::Dialect;
use rest_metrics::{Figures, GROUPS, OPEN_METRICS};

use crate::call::{Answered, Call};
use crate::names::CORE_VERSION;
use http_server::Reply;
use rest_errors::ApiError;

fn figures(call: &Call) -> Figures<'_> {
    let app = &call.app;
    Figures { store: &app.store, serving: &app.serving, endpoints: &app.endpoints, version: CORE_VERSION }
}

/// Everything: text, or JSON with `?type=json`.
pub(crate) fn all(call: &Call) -> Answered {
    if wants_json(call)? {
        return Ok(Reply::value(&figures(call).groups()));
    }
    if call.open_metrics {
        let text = figures(call).open_metrics().map_err(|_| ApiError::defect())?;
        return Ok(Reply::file(OPEN_METRICS, text.into_bytes()));
    }
    Ok(Reply::text(figures(call).text().map_err(|_| ApiError::defect())?))
}

/// One of HugeGraph's groups.
pub(crate) fn group(call: &Call) -> Answered {
    let name = call.param()?;
    if !GROUPS.contains(&&*name) {
        return Err(ApiError::no_route(call.address.path()));
    }
    Ok(Reply::value(&figures(call).group(&name)))
}

/// How often and how fast every endpoint answered.
pub(crate) fn statistics(call: &Call) -> Answered {
    if wants_json(call)? {
        return Ok(Reply::value(&figures(call).statistics()));
    }
    Ok(Reply::text(figures(call).statistics_text()))
}

/// Memory, processors and uptime.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn system(call: &Call) -> Answered {
    Ok(Reply::value(&figures(call).system()))
}

/// The engine's figures for every graph.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn backend(call: &Call) -> Answered {
    Ok(Reply::value(&figures(call).backend()))
}

/// Clients before 1.2 know nothing else and do not say so.
fn wants_json(call: &Call) -> Result<bool, ApiError> {
    Ok(call.dialect == Dialect::Before15 || call.query().text("type")?.as_deref() == Some("json"))
}
