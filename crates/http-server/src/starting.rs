//! What a listener answers while its server is still being started: 503, and when to try again.

use std::convert::Infallible;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::limits::{ACCEPT_RETRY_PAUSE, REFUSED_CONNECTION_TIME_MAX, REFUSED_CONNECTIONS_MAX};
use crate::mount::HttpResponse;
use crate::reply::Reply;

/// Answers every request on `listener` with 503 and `reason`, one for each connection, until it is dropped. Then the
/// next connections wait in the system's queue, for [`crate::serve`].
pub async fn answer_starting(listener: &TcpListener, reason: &'static str) {
    let room = Arc::new(Semaphore::new(REFUSED_CONNECTIONS_MAX));
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(async move {
                    drop(timeout(REFUSED_CONNECTION_TIME_MAX, answer_one(stream, reason)).await);
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_RETRY_PAUSE).await;
            }
        }
    }
}

async fn answer_one(stream: TcpStream, reason: &'static str) {
    let service = service_fn(move |_: Request<Incoming>| async move { Ok::<_, Infallible>(starting(reason)) });
    let served = http1::Builder::new()
        .keep_alive(false)
        .timer(TokioTimer::new())
        .header_read_timeout(REFUSED_CONNECTION_TIME_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended before its answer");
    }
}

fn starting(reason: &'static str) -> HttpResponse {
    let body = json!({ "status": "NOT_READY", "reason": reason }).to_string().into_bytes();
    let mut reply = Reply::json(StatusCode::SERVICE_UNAVAILABLE, body);
    reply.retry_after_s = 1;
    reply.close = true;
    reply.into_response()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn requests_are_answered_until_it_is_dropped_and_then_wait() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let ask = || async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(b"GET /ready HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).await.unwrap();
            text
        };
        let answers = async {
            for _ in 0..REFUSED_CONNECTIONS_MAX + 3 {
                let text = ask().await;
                assert!(text.starts_with("HTTP/1.1 503 "), "{text}");
                assert!(text.contains("retry-after: 1") && text.contains("opening the store"), "{text}");
            }
        };
        tokio::select! {
            () = answer_starting(&listener, "opening the store") => unreachable!("it never ends by itself"),
            () = answers => {}
        }
        let mut waiting = TcpStream::connect(address).await.unwrap();
        waiting.write_all(b"GET /ready HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let (mut served, _) = listener.accept().await.unwrap();
        assert!(served.read(&mut [0; 256]).await.unwrap() > 0);
        served.write_all(b"served").await.unwrap();
        drop(served);
        let mut text = String::new();
        waiting.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "served");
    }
}
