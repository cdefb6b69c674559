//! The HTTP client that carries messages to the collector.

use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;

use crate::limits::{ANSWER_BYTES_MAX, SEND_TIME_MAX};

/// Sends on a runtime of its caller's: the thread that waits for it has none.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    runtime: Handle,
}

impl Client {
    pub(crate) fn new(runtime: Handle) -> Result<Self, reqwest::Error> {
        // Fails where another part of the program has done it already, which is as well.
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = reqwest::Client::builder()
            .timeout(SEND_TIME_MAX)
            .connect_timeout(SEND_TIME_MAX)
            .pool_idle_timeout(Duration::from_secs(60))
            .pool_max_idle_per_host(1)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { http, runtime })
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let http = self.http.clone();
        let sent = self.runtime.spawn(async move {
            let (parts, body) = request.into_parts();
            let request = http.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body);
            let mut answer = request.send().await?;
            let status = answer.status();
            let mut read = BytesMut::new();
            while let Some(piece) = answer.chunk().await? {
                if read.len() + piece.len() > ANSWER_BYTES_MAX {
                    break;
                }
                read.extend_from_slice(&piece);
            }
            Ok::<_, reqwest::Error>((status, read.freeze()))
        });
        let (status, read) = sent.await??;
        Ok(Response::builder().status(status).body(read)?)
    }
}
