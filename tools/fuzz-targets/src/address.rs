//! Addresses of requests: any path and query is split and decoded, or refused with a reason.

use http_server::{Address, decode};

use crate::text::with_text;

/// Addresses: the raw segments are those of the path, and each is decoded once.
pub(crate) fn address(bytes: &[u8]) {
    with_text(bytes, |text| {
        drop(decode(text));
        let Ok(uri) = text.parse() else { return };
        let address = Address::new(uri);
        for at in 0..address.len() {
            let raw = address.raw(at);
            assert!(!raw.contains('/'), "segment {at} is {raw}");
            assert!(address.path().contains(raw));
            if let Ok(decoded) = address.decoded(at) {
                assert!(decoded.len() <= raw.len(), "{raw} grew to {decoded}");
            }
        }
        assert_eq!(address.raw(address.len()), "");
    });
}
