//! Who is at the other end of a connection: its address, its certificate, and what its last login was found to be.

use std::any::Any;
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::Arc;

use hyper::header::{self, HeaderMap};
use hyper::http::Extensions;
use parking_lot::Mutex;
use tls::ClientCertificate;

/// The client of a connection, kept with each of its requests where [`crate::Options::note_peers`] says so or where it
/// has shown a certificate.
#[derive(Default)]
pub(crate) struct Client {
    /// Its address, where it is noted.
    pub(crate) peer: Option<IpAddr>,
    /// The certificate that TLS has verified.
    pub(crate) certificate: Option<ClientCertificate>,
    login: LastLogin,
}

impl Client {
    pub(crate) fn new(peer: Option<IpAddr>, certificate: Option<ClientCertificate>) -> Self {
        Self { peer, certificate, login: LastLogin::default() }
    }

    /// Whether requests need to know it.
    pub(crate) fn is_noted(&self) -> bool {
        self.peer.is_some() || self.certificate.is_some()
    }
}

/// The address of the client that sent a request where somebody trusted has named another one than the connection's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forwarded(pub(crate) IpAddr);

/// The address of the client that sent a request, where it is noted, by the request's extensions.
#[must_use]
pub fn peer(extensions: &Extensions) -> Option<IpAddr> {
    let forwarded = extensions.get::<Forwarded>().map(|forwarded| forwarded.0);
    forwarded.or_else(|| client(extensions)?.peer)
}

pub(crate) fn client(extensions: &Extensions) -> Option<&Client> {
    extensions.get::<Arc<Client>>().map(|client| &**client)
}

/// What the header `Authorization` of the last request of a connection was found to be. Clients send theirs with every
/// request; to decode and look it up each time costs more than to answer a read. Kept is a keyed hash of the header,
/// whose keys die with the connection, never the password.
#[derive(Default)]
struct LastLogin {
    keys: (RandomState, RandomState),
    found: Mutex<Option<Found>>,
}

struct Found {
    header: [u64; 2],
    what: Box<dyn Any + Send>,
}

impl LastLogin {
    /// 128 bits that cannot be guessed without the keys.
    fn hash(&self, header: &[u8]) -> [u64; 2] {
        [self.keys.0.hash_one(header), self.keys.1.hash_one(header)]
    }
}

fn authorization(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(header::AUTHORIZATION).map(header::HeaderValue::as_bytes)
}

/// What [`note_login`] noted for the last request of this connection, if this one has the same `Authorization` header.
/// Whoever asks must look whether it is still true.
#[must_use]
pub fn last_login<T: Clone + 'static>(headers: &HeaderMap, extensions: &Extensions) -> Option<T> {
    let (login, header) = (&client(extensions)?.login, authorization(headers)?);
    let found = login.found.lock();
    let found = found.as_ref().filter(|found| found.header == login.hash(header))?;
    found.what.downcast_ref::<T>().cloned()
}

/// Notes what the `Authorization` header of a request was found to be, for the next one of its connection. Nothing is
/// noted where there is no such header or clients are not noted.
pub fn note_login<T: Send + 'static>(headers: &HeaderMap, extensions: &Extensions, what: T) {
    let (Some(client), Some(header)) = (client(extensions), authorization(headers)) else { return };
    let header = client.login.hash(header);
    *client.login.found.lock() = Some(Found { header, what: Box::new(what) });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(header: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(header) = header {
            headers.insert(header::AUTHORIZATION, header.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_login_is_found_again_by_the_same_header_on_the_same_connection() {
        let connection = || {
            let mut extensions = Extensions::new();
            extensions.insert(Arc::new(Client::new(Some(IpAddr::from([127, 0, 0, 1])), None)));
            extensions
        };
        let (first, second) = (connection(), connection());
        note_login(&asked(Some("Basic one")), &first, "bob".to_owned());
        assert_eq!(last_login(&asked(Some("Basic one")), &first), Some("bob".to_owned()));
        assert_eq!(last_login::<String>(&asked(Some("Basic two")), &first), None);
        assert_eq!(last_login::<String>(&asked(None), &first), None);
        assert_eq!(last_login::<String>(&asked(Some("Basic one")), &second), None, "another connection");
        assert_eq!(last_login::<u32>(&asked(Some("Basic one")), &first), None, "another service's");
        note_login(&asked(Some("Basic two")), &first, "eve".to_owned());
        assert_eq!(last_login::<String>(&asked(Some("Basic one")), &first), None, "only the last one is kept");
        note_login(&asked(Some("Basic one")), &Extensions::new(), "bob".to_owned());
        assert_eq!(last_login::<String>(&asked(Some("Basic one")), &Extensions::new()), None);
    }
}
