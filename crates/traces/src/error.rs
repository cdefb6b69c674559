//! What can be wrong with the settings of traces.

/// Why traces cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
    /// The endpoint is no address of HTTP.
    #[error("setting 'traces.endpoint' is '{endpoint}': {reason}")]
    Endpoint {
        /// What was given.
        endpoint: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The ratio is no part of a whole.
    #[error("setting 'traces.sample_ratio' is {given}: expected a number from 0 (none) to 1 (all)")]
    Ratio {
        /// What was given.
        given: f64,
    },
}
