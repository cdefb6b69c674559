//! The connection: address layout, one request, retries. Everything else in this crate is built on [`Client::call`].

pub(crate) mod elements;
pub(crate) mod graph_admin;
mod probe;
pub(crate) mod scan;
mod schema;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder, Retryable};
use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Certificate, Method, header};
use rustls::crypto::{CryptoProvider, ring};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::ClientError;
use crate::limits::RETRY_AFTER_MAX_MS;
use crate::options::{ClientOptions, RetryPolicy};

/// Characters that need no escape in one path segment or one query value.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// First server version that has graph spaces in its paths.
const GRAPHSPACE_SINCE: (u64, u64, u64) = (1, 7, 0);

/// What the server says about itself at `GET /versions`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Versions {
    /// Version of the server, for example `1.7.0`.
    pub core: String,
    /// Version of the REST contract, for example `0.71.0.0`.
    #[serde(default)]
    pub api: String,
    /// Version of Gremlin.
    #[serde(default)]
    pub gremlin: String,
}

impl Versions {
    /// Whether paths begin with `/graphspaces/{space}`.
    #[must_use]
    pub fn has_graphspaces(&self) -> bool {
        let mut parts = self.core.split(['.', '-', '+']).map(|part| part.parse::<u64>().unwrap_or(0));
        let mut next = || parts.next().unwrap_or(0);
        (next(), next(), next()) >= GRAPHSPACE_SINCE
    }
}

/// A connection to one graph of one server. Cheap to clone; clones share the connection pool.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    http: reqwest::Client,
    pub(crate) options: ClientOptions,
    base: String,
    graph_path: String,
    versions: Versions,
}

/// One request, ready to be sent any number of times.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Path below the graph (or below the server for [`Client::call_server`]), escaped, without a leading slash.
    pub(crate) path: String,
    pub(crate) body: Option<Bytes>,
    /// The body is compressed with gzip.
    pub(crate) gzip: bool,
    /// A timeout may be answered by sending it again: the request has the same effect twice as once.
    pub(crate) repeatable: bool,
}

impl Request {
    pub(crate) fn get(path: String) -> Self {
        Self { method: Method::GET, path, body: None, gzip: false, repeatable: true }
    }

    pub(crate) fn delete(path: String) -> Self {
        Self { method: Method::DELETE, path, body: None, gzip: false, repeatable: false }
    }

    pub(crate) fn with_body(method: Method, path: String, body: impl Into<Bytes>) -> Self {
        Self { method, path, body: Some(body.into()), gzip: false, repeatable: false }
    }
}

impl Client {
    /// Connects: asks the server for its version and decides the layout of its paths. Retries like any other request.
    ///
    /// # Errors
    /// [`ClientError::Options`] for an unusable option, else the error of `GET /versions`.
    pub async fn connect(options: ClientOptions) -> Result<Self, ClientError> {
        let base = check_url(&options)?;
        let http = builder(Duration::from_millis(options.timeout_ms), options.ca.as_deref())?
            .pool_max_idle_per_host(options.connections_max);
        let http = http.build().map_err(|error| ClientError::Options { option: "url", reason: error.to_string() })?;
        let versions = Versions { core: String::new(), api: String::new(), gremlin: String::new() };
        let mut shared = Shared { http, options, base, graph_path: String::new(), versions };
        shared.versions = ask_versions(&shared).await?;
        let graph = escape(&shared.options.graph);
        shared.graph_path = if shared.versions.has_graphspaces() {
            format!("graphspaces/{}/graphs/{graph}", escape(&shared.options.graphspace))
        } else {
            format!("graphs/{graph}")
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// What the server said about itself when the connection was made.
    #[must_use]
    pub fn versions(&self) -> &Versions {
        &self.shared.versions
    }

    /// The path of the graph on this server, without slashes at its ends, as `graphspaces/DEFAULT/graphs/hugegraph`.
    #[must_use]
    pub fn graph_path(&self) -> &str {
        &self.shared.graph_path
    }

    /// The options this client was made with.
    #[must_use]
    pub fn options(&self) -> &ClientOptions {
        &self.shared.options
    }

    /// Sends a request below the graph's path and reads the JSON reply.
    pub(crate) async fn call<T: DeserializeOwned>(&self, request: Request) -> Result<T, ClientError> {
        let name = request_name(&request);
        let reply = self.call_raw(request).await?;
        serde_json::from_slice(&reply).map_err(|error| ClientError::Reply { request: name, reason: error.to_string() })
    }

    /// Sends a request below the graph's path and gives the reply's bytes, decompressed.
    pub(crate) async fn call_raw(&self, mut request: Request) -> Result<Bytes, ClientError> {
        request.path = format!("{}/{}", self.shared.graph_path, request.path);
        send_with_retries(&self.shared, &request).await
    }

    /// Sends a request below the server's own path, not the graph's, and reads the reply.
    pub(crate) async fn ask_server<T: DeserializeOwned>(&self, request: Request) -> Result<T, ClientError> {
        let name = request_name(&request);
        let reply = self.call_server(request).await?;
        serde_json::from_slice(&reply).map_err(|error| ClientError::Reply { request: name, reason: error.to_string() })
    }

    /// Sends a request below the server's own path, not the graph's, and gives the reply's bytes, decompressed.
    pub(crate) async fn call_server(&self, request: Request) -> Result<Bytes, ClientError> {
        send_with_retries(&self.shared, &request).await
    }
}

/// Escapes a text for use as one path segment or one query value.
pub(crate) fn escape(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// What all clients have in common.
fn builder(timeout: Duration, ca: Option<&Path>) -> Result<reqwest::ClientBuilder, ClientError> {
    provide_cryptography();
    let http = reqwest::Client::builder().timeout(timeout).redirect(reqwest::redirect::Policy::none());
    Ok(match ca {
        Some(file) => http.tls_certs_only(authorities(file)?),
        None => http,
    })
}

/// Chooses the cryptography of `https`, once for the process; a choice that the program made before stands.
fn provide_cryptography() {
    if CryptoProvider::get_default().is_none() {
        // It fails only when another thread was first, and then there is a choice.
        drop(ring::default_provider().install_default());
    }
}

fn check_address(url: &str) -> Result<String, ClientError> {
    let url = url.trim().trim_end_matches('/');
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let reason = format!("\"{url}\" must begin with http:// or https://, for example http://127.0.0.1:8080");
        return Err(ClientError::Options { option: "url", reason });
    }
    if let Err(error) = reqwest::Url::parse(url) {
        return Err(ClientError::Options { option: "url", reason: format!("\"{url}\" is not a URL: {error}") });
    }
    Ok(url.to_owned())
}

fn check_url(options: &ClientOptions) -> Result<String, ClientError> {
    let url = check_address(&options.url)?;
    if options.graph.is_empty() || options.graphspace.is_empty() {
        let option = if options.graph.is_empty() { "graph" } else { "graphspace" };
        return Err(ClientError::Options { option, reason: "the name is empty".into() });
    }
    Ok(url)
}

/// The CA certificates in a file.
fn authorities(file: &Path) -> Result<Vec<Certificate>, ClientError> {
    let wrong = |reason: String| ClientError::Options { option: "ca", reason: format!("{}: {reason}", file.display()) };
    let pem = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let found = Certificate::from_pem_bundle(&pem).map_err(|error| wrong(error.to_string()))?;
    if found.is_empty() {
        return Err(wrong("there is no PEM block '-----BEGIN CERTIFICATE-----' in it".to_owned()));
    }
    Ok(found)
}

async fn ask_versions(shared: &Shared) -> Result<Versions, ClientError> {
    #[derive(Deserialize)]
    struct Wire {
        versions: Versions,
    }
    let request = Request::get("versions".into());
    let reply = send_with_retries(shared, &request).await?;
    let wire: Wire = serde_json::from_slice(&reply)
        .map_err(|error| ClientError::Reply { request: "GET versions".into(), reason: error.to_string() })?;
    Ok(wire.versions)
}

fn request_name(request: &Request) -> String {
    let path = request.path.split('?').next().unwrap_or_default();
    format!("{} {path}", request.method)
}

async fn send_with_retries(shared: &Shared, request: &Request) -> Result<Bytes, ClientError> {
    let policy = shared.options.retry;
    (|| send_once(shared, request))
        .retry(backoff(policy))
        .when(|error| may_repeat(error, request.repeatable))
        .adjust(pause_after)
        .notify(|error: &ClientError, pause: Duration| {
            tracing::warn!(pause_ms = pause.as_millis(), "{error}; sending again");
        })
        .await
}

fn backoff(policy: RetryPolicy) -> impl BackoffBuilder {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(policy.delay_min_ms))
        .with_max_delay(Duration::from_millis(policy.delay_max_ms))
        .with_max_times(policy.attempts_max.saturating_sub(1))
        .with_jitter()
}

fn may_repeat(error: &ClientError, repeatable: bool) -> bool {
    match error {
        ClientError::Overloaded { .. } | ClientError::DiskFull { .. } => true,
        // The request may have arrived before the connection broke, as with a timeout.
        ClientError::Connect { .. } | ClientError::Timeout { .. } => repeatable,
        _ => false,
    }
}

/// The pause before the next attempt: the planned one, or longer if the server asks for it. `None` stays `None`: no
/// more.
fn pause_after(error: &ClientError, planned: Option<Duration>) -> Option<Duration> {
    let planned = planned?;
    match error {
        ClientError::Overloaded { retry_after_ms: Some(asked_ms), .. }
        | ClientError::DiskFull { retry_after_ms: Some(asked_ms), .. } => {
            Some(planned.max(Duration::from_millis((*asked_ms).min(RETRY_AFTER_MAX_MS))))
        }
        _ => Some(planned),
    }
}

async fn send_once(shared: &Shared, request: &Request) -> Result<Bytes, ClientError> {
    let name = request_name(request);
    let options = &shared.options;
    let mut builder = shared.http.request(request.method.clone(), format!("{}/{}", shared.base, request.path));
    if let Some(token) = &options.token {
        builder = builder.bearer_auth(token);
    } else if let Some(username) = &options.username {
        builder = builder.basic_auth(username, options.password.as_deref());
    }
    if let Some(body) = &request.body {
        builder = builder.header(header::CONTENT_TYPE, "application/json").body(body.clone());
        if request.gzip {
            builder = builder.header(header::CONTENT_ENCODING, "gzip");
        }
    }
    let broken = |error: reqwest::Error| ClientError::from_transport(&name, options.timeout_ms, &error);
    let reply = builder.send().await.map_err(broken)?;
    let status = reply.status();
    let retry_after_ms = reply
        .headers()
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.trim().parse::<u64>().ok())
        .map(|seconds| seconds.saturating_mul(1_000));
    let body = reply.bytes().await.map_err(broken)?;
    if status.is_success() {
        return Ok(body);
    }
    Err(ClientError::from_reply(&name, status.as_u16(), retry_after_ms, &body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(core: &str) -> Versions {
        Versions { core: core.into(), api: String::new(), gremlin: String::new() }
    }

    #[test]
    fn layout_follows_the_core_version() {
        assert!(versions("1.7.0").has_graphspaces());
        assert!(versions("1.10.0").has_graphspaces());
        assert!(versions("2.0").has_graphspaces());
        assert!(versions("1.7.0-SNAPSHOT").has_graphspaces());
        assert!(!versions("1.5.0").has_graphspaces());
        assert!(!versions("0.12.0").has_graphspaces());
        assert!(!versions("odd").has_graphspaces());
    }

    #[test]
    fn ids_are_escaped_once() {
        assert_eq!(escape("\"2:a/b %\""), "%222%3Aa%2Fb%20%25%22");
    }

    #[test]
    fn retry_after_lengthens_a_pause_but_not_without_end() {
        let busy = |retry_after_ms| ClientError::Overloaded {
            request: String::new(),
            status: 503,
            message: String::new(),
            retry_after_ms,
        };
        let planned = Some(Duration::from_millis(500));
        assert_eq!(pause_after(&busy(Some(2_000)), planned), Some(Duration::from_secs(2)));
        assert_eq!(pause_after(&busy(Some(100)), planned), planned);
        assert_eq!(pause_after(&busy(None), planned), planned);
        assert_eq!(pause_after(&busy(Some(u64::MAX)), planned), Some(Duration::from_millis(RETRY_AFTER_MAX_MS)));
        assert_eq!(pause_after(&busy(Some(2_000)), None), None);
    }

    #[test]
    fn unusable_files_of_cas_are_named() {
        let missing = authorities(Path::new("/nowhere/ca.pem")).unwrap_err().to_string();
        assert!(missing.starts_with("invalid ca: /nowhere/ca.pem: No such file"), "{missing}");
        let other = authorities(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))).unwrap_err().to_string();
        assert!(other.ends_with("there is no PEM block '-----BEGIN CERTIFICATE-----' in it"), "{other}");
    }

    #[test]
    fn unusable_urls_are_named() {
        let options = ClientOptions { url: "localhost:8080".into(), ..ClientOptions::default() };
        let text = check_url(&options).unwrap_err().to_string();
        assert!(text.contains("must begin with http://"), "{text}");
    }
}
