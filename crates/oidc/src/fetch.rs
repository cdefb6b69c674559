//! Fetches the keys of an issuer.

use std::time::Instant;

use reqwest::{Certificate, Client, Url};
use rustls::crypto::{CryptoProvider, ring};
use serde::Deserialize;

use crate::keys::Keys;
use crate::limits;
use crate::options::{Options, url};

/// Where an issuer says where its keys are (OpenID Connect Discovery 1.0, section 4).
const DISCOVERY: &str = ".well-known/openid-configuration";

/// What that says, as far as it matters here.
#[derive(Deserialize)]
struct Discovered {
    issuer: String,
    jwks_uri: String,
}

/// Fetches the keys. Waits for the network, so it must run on a thread that may; the text of an error is for the log.
pub(crate) fn fetch(options: &Options) -> Result<Keys, String> {
    // A thread of its own, because the one at hand may be one of a runtime.
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
        runtime.block_on(async {
            let fetched = tokio::time::timeout(limits::FETCH_TIME_MAX, keys(options)).await;
            fetched.unwrap_or_else(|_| Err(format!("no answer within {} s", limits::FETCH_TIME_MAX.as_secs())))
        })
    };
    std::thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|_| Err("it panicked".to_owned()))
}

async fn keys(options: &Options) -> Result<Keys, String> {
    let client = client(options)?;
    let address = match &options.jwks_url {
        Some(jwks) => url(jwks)?,
        None => discover(options, &client).await?,
    };
    let body = get(options, &client, &address).await?;
    Keys::read(&body, Instant::now()).map_err(|reason| format!("{address}: {reason}"))
}

fn client(options: &Options) -> Result<Client, String> {
    if CryptoProvider::get_default().is_none() {
        // It fails only when another thread was first, and then there is a choice.
        drop(ring::default_provider().install_default());
    }
    let mut client = Client::builder()
        .connect_timeout(limits::CONNECT_TIME_MAX)
        .timeout(limits::FETCH_TIME_MAX)
        .pool_max_idle_per_host(0)
        .redirect(reqwest::redirect::Policy::none());
    if let Some(file) = &options.ca {
        let named = |reason: String| format!("{}: {reason}", file.display());
        let pem = std::fs::read(file).map_err(|error| named(error.to_string()))?;
        let authorities = Certificate::from_pem_bundle(&pem).map_err(|error| named(error.to_string()))?;
        client = client.tls_certs_only(authorities);
    }
    client.build().map_err(|error| error.to_string())
}

async fn discover(options: &Options, client: &Client) -> Result<Url, String> {
    let issuer = &options.issuer;
    let address = url(&format!("{}/{DISCOVERY}", issuer.trim_end_matches('/')))?;
    let body = get(options, client, &address).await?;
    let found: Discovered = serde_json::from_slice(&body).map_err(|error| format!("{address}: {error}"))?;
    if found.issuer != *issuer {
        return Err(format!("{address} is about the issuer '{}', not '{issuer}'", found.issuer));
    }
    url(&found.jwks_uri).map_err(|reason| format!("{address} names the keys at '{}': {reason}", found.jwks_uri))
}

async fn get(options: &Options, client: &Client, address: &Url) -> Result<Vec<u8>, String> {
    let failed = |error: reqwest::Error| format!("{address}: {}", explained(options, &error));
    let mut response = client.get(address.clone()).send().await.map_err(failed)?;
    let status = response.status();
    if status != reqwest::StatusCode::OK {
        return Err(format!("{address} answers {status}"));
    }
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(failed)? {
        if body.len() + part.len() > limits::RESPONSE_BYTES_MAX {
            return Err(format!("{address} answers more than {} bytes", limits::RESPONSE_BYTES_MAX));
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

/// The innermost cause says most; the outer layers only repeat the address. What to do about a certificate that is not
/// trusted is said too.
fn explained(options: &Options, error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let reason = cause.to_string();
    // A CA that is not known may have been tried: with the same name and another key.
    let is_foreign = ["UnknownIssuer", "BadSignature", "InvalidCertificate"].iter().any(|name| reason.contains(name));
    match &options.ca {
        _ if !is_foreign => reason,
        Some(file) => format!("{reason}: no CA in {} has signed its certificate (auth.oidc.ca)", file.display()),
        None => {
            format!("{reason}: no CA that the system trusts has signed its certificate; name its CA in auth.oidc.ca")
        }
    }
}
