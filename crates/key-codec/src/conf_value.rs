//! Values of graph configurations in `meta`: keys and their values, sorted by key.

use std::collections::BTreeMap;

use crate::reader::Reader;
use crate::{CodecError, varint};

const LAYOUT: u8 = 1;

/// Appends a configuration.
pub fn put_conf(out: &mut Vec<u8>, conf: &BTreeMap<String, String>) {
    out.push(LAYOUT);
    for text in conf.iter().flat_map(|(key, value)| [key, value]) {
        varint::put(out, u64::try_from(text.len()).unwrap_or(u64::MAX));
        out.extend_from_slice(text.as_bytes());
    }
}

/// Reads a configuration.
pub fn read_conf(bytes: &[u8]) -> Result<BTreeMap<String, String>, CodecError> {
    let mut reader = Reader::new(bytes, "graph configuration");
    if reader.byte()? != LAYOUT {
        return Err(reader.error("unknown layout"));
    }
    let mut conf = BTreeMap::<String, String>::new();
    while !reader.is_at_end() {
        let key = reader.text()?;
        if conf.last_key_value().is_some_and(|(last, _)| last.as_str() >= key) {
            return Err(reader.error("keys out of order"));
        }
        let value = reader.text()?;
        conf.insert(key.to_owned(), value.to_owned());
    }
    Ok(conf)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn configurations_round_trip(conf in prop::collection::btree_map(".{0,9}", ".{0,9}", 0..6)) {
            let mut bytes = Vec::new();
            put_conf(&mut bytes, &conf);
            prop_assert_eq!(read_conf(&bytes), Ok(conf));
        }

        #[test]
        fn any_bytes_are_read_without_panic_and_in_one_form(bytes in any::<Vec<u8>>()) {
            if let Ok(conf) = read_conf(&bytes) {
                let mut again = Vec::new();
                put_conf(&mut again, &conf);
                prop_assert_eq!(again, bytes);
            }
        }
    }

    #[test]
    fn a_key_is_there_once() {
        assert!(read_conf(&[1, 1, b'a', 0, 1, b'a', 0]).is_err());
        assert!(read_conf(&[1, 1, b'b', 0, 1, b'a', 0]).is_err());
        assert!(read_conf(&[2]).is_err());
    }
}
