//! Limits of graphs over a store in memory.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;

use graph_host::{Store, StoreOptions};
use graph_limits::{Change, GraphLimits, Limits};
use graph_store::stored_settings::swap;
use key_codec::GraphNumber;
use key_codec::key::MetaKind;
use key_codec::tables::TABLES;
use kv::conformance::ScatteredEngine;
use kv::{Engine, MemoryEngine};
use serving::{Quota, QuotaOptions, Quotas, WorkBounds};

fn open(engine: &Arc<dyn Engine>, of_settings: Quota) -> (GraphLimits, Arc<Quotas>) {
    let store = Store::open(Arc::clone(engine), StoreOptions::default()).unwrap();
    let quotas = Arc::new(Quotas::new(QuotaOptions { graph: of_settings, ..QuotaOptions::default() }));
    (GraphLimits::open(Arc::new(store), Arc::clone(&quotas)).unwrap(), quotas)
}

fn two_a_second() -> Limits {
    Limits { requests_per_second: 2, ..Limits::default() }
}

fn change(text: &str) -> Change {
    serde_json::from_str(text).unwrap()
}

#[test]
fn limits_are_in_force_at_once_and_after_a_restart() {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
    {
        let (limits, quotas) = open(&engine, Quota::default());
        assert_eq!(limits.of("g"), (Limits::default(), false));
        assert!((0..100).all(|_| quotas.request(None, Some("g")).is_ok()));
        limits.set("g", Some(two_a_second())).unwrap();
        assert_eq!(limits.of("g"), (two_a_second(), true));
        assert_eq!((0..100).filter(|_| quotas.request(None, Some("g")).is_ok()).count(), 2);
        assert!((0..100).all(|_| quotas.request(None, Some("other")).is_ok()), "of this graph only");
        let refused = quotas.request(None, Some("g")).unwrap_err().to_string();
        assert!(refused.contains("graph 'g'") && refused.contains("requests_per_second"), "{refused}");
    }
    let (limits, quotas) = open(&engine, Quota::default());
    assert_eq!(limits.of("g"), (two_a_second(), true));
    limits.set("g", None).unwrap();
    assert_eq!(limits.of("g"), (Limits::default(), false));
    assert!((0..100).all(|_| quotas.request(None, Some("g")).is_ok()));
}

#[test]
fn a_graph_can_have_more_than_the_settings_give() {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
    let (limits, quotas) = open(&engine, Quota { requests_per_second: 2, ..Quota::default() });
    limits.set("free", Some(Limits::default())).unwrap();
    assert!((0..100).all(|_| quotas.request(None, Some("free")).is_ok()), "0: no limit");
    assert_eq!((0..100).filter(|_| quotas.request(None, Some("other")).is_ok()).count(), 2);
}

#[test]
fn another_server_over_the_store_reads_them() {
    let engine: Arc<dyn Engine> = Arc::new(ScatteredEngine::open(TABLES));
    let ((first, _), (second, quotas)) = (open(&engine, Quota::default()), open(&engine, Quota::default()));
    first.set("g", Some(two_a_second())).unwrap();
    assert_eq!(second.of("g"), (Limits::default(), false));
    second.refresh().unwrap();
    assert_eq!(second.of("g"), (two_a_second(), true));
    assert_eq!((0..100).filter(|_| quotas.request(None, Some("g")).is_ok()).count(), 2);
    // Changes of both are kept.
    second.set("h", Some(two_a_second())).unwrap();
    first.set("i", Some(two_a_second())).unwrap();
    second.refresh().unwrap();
    assert!(["g", "h", "i"].iter().all(|graph| first.of(graph).1 && second.of(graph).1));
}

#[test]
fn what_is_not_given_is_as_in_the_settings() {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
    let (limits, quotas) = open(&engine, Quota { requests_per_second: 2, ..Quota::default() });
    limits.change("g", change(r#"{"traverser_depth_max":3,"query_timeout_ms":20}"#)).unwrap();
    let own = Limits { traverser_depth_max: 3, query_timeout_ms: 20, ..two_a_second() };
    assert_eq!(limits.of("g"), (own, true));
    assert_eq!((quotas.bounds("g").traverser_depth_max, quotas.bounds("g").query_timeout_ms), (3, 20));
    assert_eq!(quotas.bounds("other"), WorkBounds::default());
    limits.change("g", change("{}")).unwrap();
    assert_eq!((limits.of("g"), quotas.bounds("g")), ((two_a_second(), false), WorkBounds::default()));
    assert!(serde_json::from_str::<Change>(r#"{"traverser_depth":3}"#).is_err());
}

#[test]
fn limits_that_were_kept_before_there_were_more_are_read() {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
    drop(open(&engine, Quota::default()));
    let row = (GraphNumber::STORE, MetaKind::Setting, "limits");
    let kept = r#"{"g":{"requests_per_second":2,"bytes_per_second":0,"running_queries_max":0,"query_memory_max":0}}"#;
    assert!(swap(&*engine, row, None, Some(kept.as_bytes())).unwrap());
    let (limits, _) = open(&engine, Quota::default());
    assert_eq!(limits.of("g"), (two_a_second(), true));
}
