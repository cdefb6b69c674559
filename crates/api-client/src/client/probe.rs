//! Whether a server is there: one request without credentials, for health checks.

use std::path::Path;
use std::time::Duration;

use super::{Client, builder, check_address};
use crate::ClientError;

/// Bytes of an answer that are shown.
const SHOWN_BYTES_MAX: usize = 500;

impl Client {
    /// Asks for `path` (without a leading slash) once, without credentials: the status, and what it says.
    ///
    /// # Errors
    /// [`ClientError::Options`], [`ClientError::Connect`] and [`ClientError::Timeout`].
    pub async fn probe(
        url: &str,
        path: &str,
        timeout: Duration,
        ca: Option<&Path>,
    ) -> Result<(u16, String), ClientError> {
        let base = check_address(url)?;
        let http = builder(timeout, ca)?.build();
        let http = http.map_err(|error| ClientError::Options { option: "url", reason: error.to_string() })?;
        let request = format!("GET /{path}");
        let failed = |error: reqwest::Error| match error.is_timeout() {
            true => {
                let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
                ClientError::Timeout { request: request.clone(), timeout_ms }
            }
            false => ClientError::Connect { request: request.clone(), reason: error.to_string() },
        };
        let answer = http.get(format!("{base}/{path}")).send().await.map_err(failed)?;
        let status = answer.status().as_u16();
        let text = answer.text().await.map_err(failed)?;
        Ok((status, text.chars().take(SHOWN_BYTES_MAX).collect()))
    }
}
