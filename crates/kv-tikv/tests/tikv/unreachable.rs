//! No cluster where one should be. These need none, so they always run.

use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use kv::KvError;
use kv::conformance::TABLES;
use kv_tikv::{TikvEngine, TikvOptions, TikvTls};

fn options(endpoints: &[String]) -> TikvOptions {
    TikvOptions {
        pd_endpoints: endpoints.to_vec(),
        connect_timeout: Duration::from_millis(300),
        ..TikvOptions::default()
    }
}

fn refused(options: &TikvOptions) -> String {
    match TikvEngine::open(options, TABLES) {
        Ok(_) => panic!("opened"),
        Err(error) => error.to_string(),
    }
}

/// If nothing listens, or never answers, an error names the address instead of an endless wait.
#[test]
fn a_wrong_address_is_an_error_that_names_it() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = |listener: &TcpListener| listener.local_addr().unwrap().to_string();
    let (silent_address, closed_address) = (address(&silent), address(&closed));
    drop(closed);
    for addresses in [vec![silent_address.clone()], vec![closed_address.clone()], vec![closed_address, silent_address]]
    {
        let opened = TikvEngine::open(&options(&addresses), TABLES);
        assert!(matches!(opened.as_ref().err(), Some(KvError::Unavailable { .. })), "{:?}", opened.err());
        let words = opened.err().unwrap().to_string();
        assert!(addresses.iter().all(|address| words.contains(address)) && words.contains("300 ms"), "{words}");
    }
}

#[test]
fn options_that_cannot_be_are_told() {
    let good = options(&["127.0.0.1:1".to_owned()]);
    for (wrong, words) in [
        (options(&[]), "at least one PD endpoint"),
        (TikvOptions { prefix: String::new(), ..good.clone() }, "the prefix \"\""),
        (TikvOptions { prefix: "a b".to_owned(), ..good.clone() }, "the prefix \"a b\""),
        (TikvOptions { prefix: "a".repeat(65), ..good.clone() }, "64 letters"),
        (TikvOptions { in_flight_max: 0, ..good.clone() }, "in_flight_max"),
    ] {
        let error = refused(&wrong);
        assert!(error.contains(words), "{error}");
    }
    let file = PathBuf::from("/nowhere/ca.pem");
    let tls = TikvTls { ca: file.clone(), certificate: file.clone(), key: file };
    let error = refused(&TikvOptions { tls: Some(tls), ..good });
    assert!(error.contains("/nowhere/ca.pem"), "{error}");
}
