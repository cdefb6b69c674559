//! Requests that a page of another site makes a browser send, and why they are refused.
//!
//! A server on a loopback address can be reached by every page that the user of the machine opens. A browser says where
//! a request comes from (`Origin`, `Sec-Fetch-Site`: [Fetch](https://fetch.spec.whatwg.org/),
//! [Fetch Metadata](https://www.w3.org/TR/fetch-metadata/)); programs that are no browsers send neither, and nothing
//! changes for them. Two things are refused:
//!
//! - What may change something and was not sent by a page of this server.
//! - What asks for a host name that is not known to be this server's: a page can let its own name point to a loopback
//!   address (DNS rebinding), and is of the same origin then. An address in digits cannot be let point elsewhere.

use std::net::IpAddr;

use hyper::header::{self, HeaderMap};
use hyper::http::uri::Authority;
use hyper::{Method, StatusCode, Uri};

/// Where a request was made, seen from the page that is asked for.
const FETCH_SITE: &str = "sec-fetch-site";

/// Why a request is refused before it reaches a service.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The connection is one too many.
    #[error("the server has {connections_max} connections already (server.connections_max); try again in a moment")]
    TooManyConnections {
        /// The limit.
        connections_max: usize,
    },
    /// A page of another site sent it.
    #[error(
        "a web page of another site ({origin}) sent this request; only pages of this server may. If browsers reach \
         this server by that name, add the name to server.hosts"
    )]
    ForeignOrigin {
        /// The site, or what the browser says of it.
        origin: String,
    },
    /// A browser asks for a host that is not this one.
    #[error(
        "a web page asks for host '{host}', which is not known to be this server; if browsers reach it by that name, \
         add the name to server.hosts"
    )]
    ForeignHost {
        /// The host that was asked for.
        host: String,
    },
}

impl Refusal {
    /// The status of the answer.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::TooManyConnections { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::ForeignOrigin { .. } | Self::ForeignHost { .. } => StatusCode::FORBIDDEN,
        }
    }
}

/// Refuses what a page of another site sent. `hosts` are further names of this server; `changes_on_get` says that a GET
/// may change something.
pub(crate) fn check(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    hosts: &[String],
    changes_on_get: bool,
) -> Result<(), Refusal> {
    let (origin, site) = (headers.get(header::ORIGIN), headers.get(FETCH_SITE));
    if origin.is_none() && site.is_none() {
        return Ok(());
    }
    let text = |value: Option<&header::HeaderValue>| value.map(|value| value.to_str().unwrap_or("?").to_owned());
    let host = uri.authority().map(|authority| authority.to_string()).or_else(|| text(headers.get(header::HOST)));
    let host = host.unwrap_or_default();
    let asked = host.parse::<Authority>().ok();
    if !asked.as_ref().is_some_and(|asked| is_own(asked.host(), hosts)) {
        return Err(Refusal::ForeignHost { host });
    }
    let is_safe = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
        && !changes_on_get
        && !headers.contains_key(header::UPGRADE);
    if is_safe {
        return Ok(());
    }
    match (text(origin), text(site)) {
        (Some(origin), _) if is_same(&origin, asked.as_ref(), hosts) => Ok(()),
        (None, Some(site)) if matches!(&*site, "same-origin" | "none") => Ok(()),
        (Some(from), _) | (None, Some(from)) => Err(Refusal::ForeignOrigin { origin: from }),
        (None, None) => Ok(()),
    }
}

/// Whether a host is known to be this machine's or this server's.
fn is_own(host: &str, hosts: &[String]) -> bool {
    let digits = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let name = host.strip_suffix('.').unwrap_or(host);
    let is_localhost = name.eq_ignore_ascii_case("localhost")
        || name
            .len()
            .checked_sub(".localhost".len())
            .is_some_and(|at| name.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(".localhost")));
    is_localhost || digits.parse::<IpAddr>().is_ok() || is_named(name, hosts)
}

fn is_named(name: &str, hosts: &[String]) -> bool {
    hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether an origin is the host that was asked for, or one that is named in the settings (a proxy asks for another one
/// than the browser did).
fn is_same(origin: &str, asked: Option<&Authority>, hosts: &[String]) -> bool {
    let Ok(uri) = origin.parse::<Uri>() else { return false };
    let (Some(scheme), Some(from), Some(asked)) = (uri.scheme_str(), uri.authority(), asked) else { return false };
    let port = |authority: &Authority| authority.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    let is_asked = from.host().eq_ignore_ascii_case(asked.host()) && port(from) == port(asked);
    is_asked || is_named(from.host(), hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(method: &Method, headers: &[(&'static str, &str)], changes_on_get: bool) -> Result<(), Refusal> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        check(method, &"/graphs".parse().unwrap(), &map, &["graph.example.com".to_owned()], changes_on_get)
    }

    const HOST: (&str, &str) = ("host", "localhost:8080");

    #[test]
    fn programs_are_served_whatever_they_ask_for() {
        assert_eq!(outcome(&Method::POST, &[("host", "evil.example")], true), Ok(()));
        assert_eq!(outcome(&Method::DELETE, &[], true), Ok(()));
    }

    #[test]
    fn pages_of_this_server_may_do_anything() {
        for (host, origin) in [
            ("localhost:8080", "http://localhost:8080"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("[::1]:8080", "http://[::1]:8080"),
            ("192.168.1.7", "http://192.168.1.7"),
            ("192.168.1.7:80", "http://192.168.1.7"),
            ("GRAPH.example.com", "https://graph.example.com"),
            // Behind a proxy that asks for another host.
            ("127.0.0.1:8080", "https://graph.example.com"),
        ] {
            let headers = [("host", host), ("origin", origin), ("sec-fetch-site", "same-origin")];
            assert_eq!(outcome(&Method::POST, &headers, false), Ok(()), "{host} {origin}");
        }
        assert_eq!(outcome(&Method::GET, &[HOST, ("sec-fetch-site", "none")], true), Ok(()), "typed by the user");
    }

    #[test]
    fn pages_of_other_sites_change_nothing() {
        for origin in ["http://evil.example", "null", "http://localhost:3000", "http://localhost:8080.evil.example"] {
            for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
                let refused = outcome(&method, &[HOST, ("origin", origin)], false);
                assert_eq!(refused, Err(Refusal::ForeignOrigin { origin: origin.to_owned() }));
            }
            assert!(outcome(&Method::GET, &[HOST, ("origin", origin), ("upgrade", "websocket")], false).is_err());
            assert_eq!(outcome(&Method::GET, &[HOST, ("origin", origin)], false), Ok(()), "it cannot read the answer");
        }
        for site in ["cross-site", "same-site"] {
            assert!(outcome(&Method::GET, &[HOST, ("sec-fetch-site", site)], true).is_err());
            assert!(outcome(&Method::POST, &[HOST, ("sec-fetch-site", site)], false).is_err());
            assert_eq!(outcome(&Method::GET, &[HOST, ("sec-fetch-site", site)], false), Ok(()));
        }
    }

    #[test]
    fn names_that_point_here_are_not_believed() {
        for host in ["evil.example:8080", "notlocalhost", "localhost.evil.example", "", "127.0.0.1.evil.example"] {
            let headers = [("host", host), ("sec-fetch-site", "same-origin")];
            assert_eq!(outcome(&Method::GET, &headers, false), Err(Refusal::ForeignHost { host: host.to_owned() }));
        }
        for host in ["a.localhost:8080", "LOCALHOST", "graph.example.com:8443", "localhost."] {
            assert_eq!(outcome(&Method::GET, &[("host", host), ("sec-fetch-site", "none")], false), Ok(()), "{host}");
        }
    }
}
