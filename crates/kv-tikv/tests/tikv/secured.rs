//! Encrypted connections, on a development store that asks for certificates: `scripts/test-tikv.sh` starts one and says
//! in the environment where its certificates are.

use std::path::PathBuf;
use std::time::Duration;

use kv::conformance::{POINTS, TABLES};
use kv::{Engine, Key, Read, RowRange, WriteBatch};
use kv_tikv::{TikvEngine, TikvOptions, TikvTls};

use crate::cluster::options;

/// Where the certificates are.
const CERTIFICATES: &str = "RHIZOME_TEST_TIKV_TLS";

fn tls(ca: &str) -> TikvTls {
    let folder = PathBuf::from(std::env::var(CERTIFICATES).unwrap_or_else(|_| panic!("{CERTIFICATES} is not set")));
    TikvTls { ca: folder.join(ca), certificate: folder.join("client.pem"), key: folder.join("client-key.pem") }
}

fn with(tls: Option<TikvTls>) -> TikvOptions {
    TikvOptions { tls, connect_timeout: Duration::from_secs(3), ..options("secured") }
}

#[test]
#[ignore = "needs a development store with certificates: scripts/test-tikv.sh"]
fn what_is_written_over_tls_is_read_and_scanned() {
    let engine = TikvEngine::open(&with(Some(tls("ca.pem"))), TABLES).unwrap();
    let mut batch = WriteBatch::new();
    for n in 0..100_u8 {
        batch.put_key(POINTS, Key::new(&[7, n], 1), &[n]);
    }
    engine.commit(batch).unwrap();
    let mut found = None;
    assert!(engine.get(POINTS, Key::new(&[7, 9], 1), &mut |value| found = Some(value.to_vec())).unwrap());
    assert_eq!(found.as_deref(), Some(&[9][..]));
    let count = |mut cursor: Box<dyn kv::Cursor + '_>| {
        let mut count = 0;
        while cursor.next().unwrap().is_some() {
            count += 1;
        }
        count
    };
    assert_eq!(count(engine.scan(POINTS, RowRange::all(&[7])).unwrap()), 100);
    // Asks PD for the regions.
    assert_eq!(count(engine.scan_partitions(POINTS, &[7], None).unwrap()), 100);
}

#[test]
#[ignore = "needs a development store with certificates: scripts/test-tikv.sh"]
fn who_cannot_speak_to_it_says_so_in_time() {
    for tls in [None, Some(tls("other-ca.pem"))] {
        let options = with(tls);
        let error = TikvEngine::open(&options, TABLES).err().unwrap().to_string();
        assert!(error.contains(&options.pd_endpoints[0]) && error.contains("cannot reach TiKV"), "{error}");
        assert!(error.contains("TLS"), "{error}");
    }
}
