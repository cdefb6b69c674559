//! Several services on one port, one of which changes the protocol.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

use std::sync::Arc;
use std::time::Duration;

use http_server::{Boxed, HttpResponse, Mount, Mounts, Options, Refusal, Reply, Service, Upgrade, serve};
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::{Request, StatusCode};
use serving::{Options as ServingOptions, Serving};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(50);

/// Answers with the path after its name.
struct Named(&'static str);

impl Named {
    fn reply(&self, request: &Request<Incoming>) -> HttpResponse {
        Reply::text(format!("{} {}", self.0, request.uri().path())).into_response()
    }
}

impl Service for Named {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> HttpResponse {
        self.reply(&request)
    }

    async fn refuse(self: Arc<Self>, _: Request<Incoming>, refusal: Refusal) -> HttpResponse {
        let mut reply = Reply::text(refusal.to_string());
        reply.status = refusal.status();
        reply.into_response()
    }
}

impl Mount for Named {
    fn answer<'a>(&'a self, request: Request<Incoming>, _: &'a Upgrade) -> Boxed<'a, HttpResponse> {
        Box::pin(async move { self.reply(&request) })
    }

    fn changes_on_get(&self) -> bool {
        self.0 == "changing"
    }
}

/// Sends back what it receives once the protocol is changed.
struct Echo;

impl Mount for Echo {
    fn answer<'a>(&'a self, mut request: Request<Incoming>, upgrade: &'a Upgrade) -> Boxed<'a, HttpResponse> {
        Box::pin(async move {
            upgrade.accept(&mut request, |mut switched| async move {
                let mut bytes = [0; 64];
                loop {
                    let read = tokio::select! {
                        read = switched.io.read(&mut bytes) => read.unwrap_or(0),
                        _ = switched.ended.wait_for(|ended| *ended) => 0,
                    };
                    if read == 0 || switched.io.write_all(&bytes[..read]).await.is_err() {
                        return;
                    }
                }
            });
            let mut response = Reply::text(String::new()).into_response();
            *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
            response.headers_mut().insert(header::UPGRADE, HeaderValue::from_static("echo"));
            response
        })
    }
}

fn serving() -> Arc<Serving> {
    let options = ServingOptions {
        requests_in_flight_max: 10,
        bytes_in_flight_max: 1_000,
        threads: 1,
        waiting_queries_max: 1,
        waiting_writes_max: 1,
        ..ServingOptions::default()
    };
    Arc::new(Serving::new(options))
}

/// What comes from the connection up to `end`.
async fn until(stream: &mut TcpStream, end: &str) -> String {
    let mut all = Vec::new();
    while !all.ends_with(end.as_bytes()) {
        let read = timeout(LONG, stream.read_buf(&mut all)).await.unwrap().unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&all));
    }
    String::from_utf8(all).unwrap()
}

/// The first line that comes from the connection.
async fn line(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    while !all.contains(&b'\n') {
        assert!(timeout(LONG, stream.read_buf(&mut all)).await.unwrap().unwrap() > 0);
    }
    String::from_utf8(all).unwrap().lines().next().unwrap().to_owned()
}

#[tokio::test]
async fn services_and_an_upgraded_connection_share_a_port() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = serving();
    let options = Options {
        note_peers: false,
        trusted_proxies: Vec::new(),
        tls: None,
        connections_max: 10,
        header_read_timeout: SHORT,
        keep_alive_idle_timeout: LONG,
        busy_poll: Duration::ZERO,
        workers: Vec::new(),
    };
    let mounts = Mounts::new(Arc::new(Named("root"))).mount("ui", Named("pages")).mount("echo", Echo);
    let mounts = mounts.mount("run", Named("changing")).hosts(vec!["a".to_owned()]).front_page("/ui/");
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async move { drop(stopped.await) };
    let server = tokio::spawn(serve(listener, mounts, Arc::clone(&serving), options, shutdown, LONG));

    let mut plain = TcpStream::connect(address).await.unwrap();
    for (path, answer) in [
        ("/", "root /"),
        ("/ui/a.css", "pages /ui/a.css"),
        ("/ui", "pages /ui"),
        ("/uix", "root /uix"),
        ("/a/ui", "root /a/ui"),
    ] {
        plain.write_all(format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n").as_bytes()).await.unwrap();
        until(&mut plain, &format!("\r\n\r\n{answer}")).await;
    }

    for (path, headers, status) in [
        ("/ui", "host: a\r\nsec-fetch-site: cross-site", 200),
        ("/run", "host: a\r\nsec-fetch-site: cross-site", 403),
        ("/run", "host: a\r\norigin: http://a", 200),
        ("/run", "host: a", 200),
        ("/echo", "host: a\r\nconnection: upgrade\r\nupgrade: echo\r\norigin: http://b", 403),
        ("/ui", "host: b\r\nsec-fetch-site: none", 403),
        ("/", "host: a\r\naccept: text/html,*/*;q=0.8", 302),
        ("/", "host: a\r\naccept: application/json", 200),
        ("/a", "host: a\r\naccept: text/html", 200),
    ] {
        let mut page = TcpStream::connect(address).await.unwrap();
        page.write_all(format!("GET {path} HTTP/1.1\r\n{headers}\r\n\r\n").as_bytes()).await.unwrap();
        let head = line(&mut page).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{path} {headers}: {head}");
    }

    let mut upgraded = TcpStream::connect(address).await.unwrap();
    let request = b"GET /echo HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n";
    upgraded.write_all(request).await.unwrap();
    assert!(until(&mut upgraded, "\r\n\r\n").await.starts_with("HTTP/1.1 101"));
    for words in ["one", "two"] {
        upgraded.write_all(words.as_bytes()).await.unwrap();
        assert_eq!(until(&mut upgraded, words).await, words);
        // Longer than a head of a request may take.
        sleep(2 * SHORT).await;
    }
    assert_eq!(serving.metrics.connections.get(), 2);

    drop(stop);
    assert_eq!(timeout(LONG, upgraded.read(&mut [0; 8])).await.unwrap().unwrap(), 0);
    timeout(LONG, server).await.unwrap().unwrap().unwrap();
    assert_eq!(serving.metrics.connections.get(), 0);
}
