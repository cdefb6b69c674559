//! An issuer of tokens for tests: a server of HTTP or HTTPS with keys of its own, and tokens signed by them.
#![allow(dead_code, reason = "each test uses a part of this")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

/// For whom its tokens are.
pub(crate) const AUDIENCE: &str = "rhizome";

/// A key that signs.
pub(crate) enum SigningKey {
    Rsa(Box<RsaKeyPair>),
    Elliptic(Box<EcdsaKeyPair>),
}

impl SigningKey {
    pub(crate) fn rsa() -> Self {
        Self::Rsa(Box::new(RsaKeyPair::generate(KeySize::Rsa2048).unwrap()))
    }

    pub(crate) fn elliptic() -> Self {
        Self::Elliptic(Box::new(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap()))
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Elliptic(_) => "ES256",
        }
    }

    /// Its public part, as issuers publish it.
    pub(crate) fn public(&self, name: &str) -> Value {
        match self {
            Self::Rsa(key) => {
                let (n, e) = (key.public_key().modulus(), key.public_key().exponent());
                let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
                let (n, e) = (n.big_endian_without_leading_zero(), e.big_endian_without_leading_zero());
                json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": name, "n": text(n), "e": text(e) })
            }
            Self::Elliptic(key) => {
                let point = key.public_key().as_ref();
                let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
                json!({ "kty": "EC", "crv": "P-256", "use": "sig", "kid": name, "x": x, "y": y })
            }
        }
    }

    pub(crate) fn signature(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Self::Elliptic(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
        }
    }

    /// A token with any header.
    pub(crate) fn token_with(&self, header: &Value, claims: &Value) -> String {
        let text = unsigned(header, claims);
        let signature = URL_SAFE_NO_PAD.encode(self.signature(text.as_bytes()));
        format!("{text}.{signature}")
    }

    /// A token as the issuer makes it.
    pub(crate) fn token(&self, name: &str, claims: &Value) -> String {
        self.token_with(&json!({ "alg": self.algorithm(), "typ": "JWT", "kid": name }), claims)
    }
}

/// Header and claims, without a signature.
pub(crate) fn unsigned(header: &Value, claims: &Value) -> String {
    let text = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", text(header), text(claims))
}

pub(crate) fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

#[derive(Default)]
struct State {
    keys: Mutex<Vec<Value>>,
    /// How often the keys were asked for.
    fetches: AtomicUsize,
    /// How often anything else was asked for, but for the discovery document.
    others: AtomicUsize,
}

pub(crate) struct Issuer {
    pub(crate) url: String,
    state: Arc<State>,
}

impl Issuer {
    pub(crate) fn start() -> Self {
        Self::listen(None)
    }

    /// One that speaks HTTPS with the certificate and the key of two PEM files, as `127.0.0.1`.
    pub(crate) fn start_with_tls(certificate: &Path, key: &Path) -> Self {
        let certificates = CertificateDer::pem_file_iter(certificate).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth();
        let config = config.with_single_cert(certificates, PrivateKeyDer::from_pem_file(key).unwrap()).unwrap();
        Self::listen(Some(Arc::new(config)))
    }

    fn listen(tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let state = Arc::new(State::default());
        let (of_thread, own) = (Arc::clone(&state), url.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (state, own, tls) = (Arc::clone(&of_thread), own.clone(), tls.clone());
                std::thread::spawn(move || match tls {
                    None => answer(stream, &state, &own),
                    Some(config) => {
                        let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
                        answer(&mut stream, &state, &own);
                        stream.conn.send_close_notify();
                        drop(stream.flush());
                    }
                });
            }
        });
        Self { url, state }
    }

    pub(crate) fn publish(&self, keys: &[(&str, &SigningKey)]) {
        *self.state.keys.lock().unwrap() = keys.iter().map(|(name, key)| key.public(name)).collect();
    }

    pub(crate) fn fetches(&self) -> usize {
        self.state.fetches.load(Ordering::SeqCst)
    }

    pub(crate) fn others(&self) -> usize {
        self.state.others.load(Ordering::SeqCst)
    }

    /// Claims of a token for a user, from now on for five minutes.
    pub(crate) fn claims(&self, user: &str, groups: &[&str]) -> Value {
        let now = now_s();
        json!({
            "iss": self.url, "aud": AUDIENCE, "sub": user, "groups": groups, "iat": now, "exp": now + 300,
        })
    }
}

fn answer(mut stream: impl Read + Write, state: &State, own: &str) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let text = String::from_utf8_lossy(&head);
    let path = text.split(' ').nth(1).unwrap_or_default();
    let keys = || json!({ "keys": *state.keys.lock().unwrap() }).to_string();
    let (status, body) = match path {
        "/.well-known/openid-configuration" => {
            ("200 OK", json!({ "issuer": own, "jwks_uri": format!("{own}/keys") }).to_string())
        }
        "/other/.well-known/openid-configuration" => {
            ("200 OK", json!({ "issuer": own, "jwks_uri": format!("{own}/keys") }).to_string())
        }
        "/elsewhere/.well-known/openid-configuration" => {
            let issuer = format!("{own}/elsewhere");
            ("200 OK", json!({ "issuer": issuer, "jwks_uri": "http://192.0.2.1/keys" }).to_string())
        }
        "/keys" => {
            state.fetches.fetch_add(1, Ordering::SeqCst);
            ("200 OK", keys())
        }
        "/large" => ("200 OK", " ".repeat(3 << 20) + &keys()),
        "/slow" => {
            std::thread::sleep(Duration::from_secs(20));
            ("200 OK", keys())
        }
        "/redirect" => ("302 Found\r\nLocation: /keys", String::new()),
        "/html" => ("200 OK", "<html></html>".to_owned()),
        _ => {
            state.others.fetch_add(1, Ordering::SeqCst);
            ("404 Not Found", String::new())
        }
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    drop(stream.write_all((head + &body).as_bytes()));
}
