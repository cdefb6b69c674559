//! Whose request it is that a proxy has handed on: the header `X-Forwarded-For`, which is believed as far as proxies
//! have written it that are trusted.

use std::net::{IpAddr, SocketAddr};

use hyper::header::HeaderMap;
use ipnet::IpNet;

use crate::limits::FORWARDED_MAX;

const HEADER: &str = "x-forwarded-for";

/// The address of the client of a request that came from `peer`. Each proxy appends whom it has the request from, so
/// the header is read from its end, as long as the address before is one of `trusted`; what clients write themselves is
/// further to the left, and is not looked at.
pub(crate) fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut client = peer.to_canonical();
    if !is_one_of(client, trusted) {
        return client;
    }
    let lines = headers.get_all(HEADER).iter().rev();
    let parts = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
    for part in parts.take(FORWARDED_MAX) {
        // Without an address the one before it is what is known.
        let Some(address) = address(part.trim()) else { break };
        client = address;
        if !is_one_of(client, trusted) {
            break;
        }
    }
    client
}

fn is_one_of(address: IpAddr, networks: &[IpNet]) -> bool {
    networks.iter().any(|network| network.contains(&address))
}

/// An address, with a port perhaps.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn of(peer: &str, lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(HEADER, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let trusted: Vec<IpNet> = ["10.0.0.0/8", "127.0.0.1/32", "fd00::/8"].map(|one| one.parse().unwrap()).into();
        client(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn what_trusted_proxies_have_written_is_believed() {
        assert_eq!(of("10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(of("10.0.0.1", &["203.0.113.9, 10.0.0.2"]), "203.0.113.9", "two proxies");
        assert_eq!(of("10.0.0.1", &["203.0.113.9", "10.0.0.2,10.0.0.3"]), "203.0.113.9", "several lines");
        assert_eq!(of("::ffff:10.0.0.1", &["203.0.113.9:4711"]), "203.0.113.9");
        assert_eq!(of("fd00::1", &["[2001:db8::7]:443"]), "2001:db8::7");
        assert_eq!(of("10.0.0.1", &["[2001:db8::7]"]), "2001:db8::7");
        assert_eq!(of("10.0.0.1", &["10.0.0.9"]), "10.0.0.9", "a client among the proxies");
    }

    #[test]
    fn what_others_write_is_not() {
        assert_eq!(of("203.0.113.9", &["127.0.0.1"]), "203.0.113.9", "no proxy");
        assert_eq!(of("10.0.0.1", &["127.0.0.1, 203.0.113.9"]), "203.0.113.9", "before what the proxy has appended");
        assert_eq!(of("10.0.0.1", &["127.0.0.1", "203.0.113.9, 10.0.0.2"]), "203.0.113.9");
        for nothing in ["", "unknown", "203.0.113", "1.2.3.4.5", "\u{e9}", ",", "203.0.113.9, nonsense"] {
            assert_eq!(of("10.0.0.1", &[nothing]), "10.0.0.1", "{nothing}");
        }
        assert_eq!(of("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(of("10.0.0.1", &["203.0.113.9, unknown, 10.0.0.7"]), "10.0.0.7");
        let long = vec!["10.0.0.2"; 10_000].join(",");
        assert_eq!(of("10.0.0.1", &[&format!("203.0.113.9,{long}")]), "10.0.0.2", "so many are no proxies");
    }
}
