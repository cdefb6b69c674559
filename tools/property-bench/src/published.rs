//! What rust_graph_lib's benchmark page says (bench-tikv-rocksdb.md, September 2019), in the units it must have meant.
//!
//! The page labels its first table of batch puts "ms"; two days later its author published it again in seconds with the
//! same magnitudes, and the program that printed it measured seconds. So both are seconds here.

use crate::result::Operation;

/// Where the page is.
pub const PAGE: &str = "https://github.com/UNSW-database/rust_graph_lib/blob/tikv/bench-tikv-rocksdb.md";

/// A published row of a single operation, in microseconds for a record or key; a range where the page has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedOperation {
    /// What the page's operation is here.
    pub operation: Operation,
    /// RocksDB 5 or 6 on one machine.
    pub rocksdb_us: Option<(f64, f64)>,
    /// TiKV on one machine.
    pub tikv_us: Option<(f64, f64)>,
    /// TiKV on nine or more machines.
    pub tikv_cluster_us: Option<(f64, f64)>,
}

/// Sections 1 and 2 of the page.
pub const OPERATIONS: [PublishedOperation; 4] = [
    PublishedOperation {
        operation: Operation::InsertRaw,
        rocksdb_us: Some((55_000.0, 105_000.0)),
        tikv_us: Some((26_000.0, 34_000.0)),
        tikv_cluster_us: Some((90_000.0, 90_000.0)),
    },
    PublishedOperation {
        operation: Operation::ExtendRaw,
        rocksdb_us: Some((400.0, 1_300.0)),
        tikv_us: Some((240.0, 340.0)),
        tikv_cluster_us: Some((600.0, 900.0)),
    },
    PublishedOperation {
        operation: Operation::GetAll,
        rocksdb_us: Some((30.0, 60.0)),
        tikv_us: Some((3_000.0, 4_000.0)),
        tikv_cluster_us: Some((4_000.0, 5_000.0)),
    },
    PublishedOperation {
        operation: Operation::BatchGet,
        rocksdb_us: None,
        tikv_us: Some((8.0, 8.0)),
        tikv_cluster_us: Some((8.0, 10.0)),
    },
];

/// A published load of a whole graph in batches, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedLoad {
    /// DG10 (about 30 million nodes and 177 million edges) or DG60 (about 187 million and 1.25 billion).
    pub graph: &'static str,
    /// Which state of the page.
    pub version: &'static str,
    /// Records in a batch.
    pub batch: u32,
    /// TiKV on a cluster.
    pub tikv_s: Option<f64>,
    /// RocksDB on one machine.
    pub rocksdb_s: Option<f64>,
    /// What must be known of it.
    pub note: &'static str,
}

const fn load(
    graph: &'static str,
    version: &'static str,
    batch: u32,
    tikv_s: Option<f64>,
    rocksdb_s: Option<f64>,
    note: &'static str,
) -> PublishedLoad {
    PublishedLoad { graph, version, batch, tikv_s, rocksdb_s, note }
}

/// The tables of batch puts.
#[rustfmt::skip]
pub const LOADS: [PublishedLoad; 13] = [
    load("DG10", "3 September", 100, Some(15_229.0), Some(867.3), "the page says ms; TiKV's figure fits no other row"),
    load("DG10", "3 September", 500, Some(455.5), Some(860.9), "the page says ms"),
    load("DG10", "3 September", 1000, Some(453.4), Some(880.7), "the page says ms"),
    load("DG60", "3 September", 100, Some(3_331.4), None, "the page says ms; RocksDB: \"IO error\""),
    load("DG60", "3 September", 500, Some(3_312.8), None, "the page says ms; RocksDB: \"IO error\""),
    load("DG10", "later", 100, Some(357.5), Some(776.1), ""),
    load("DG10", "later", 500, Some(427.3), Some(873.1), ""),
    load("DG10", "later", 1000, Some(528.1), Some(787.0), ""),
    load("DG10", "later", 10_000, Some(2_039.1), Some(784.1), ""),
    load("DG60", "later", 100, Some(2_526.0), Some(13_516.2), ""),
    load("DG60", "later", 500, Some(2_667.0), Some(8_638.5), ""),
    load("DG60", "later", 1000, Some(2_654.6), Some(8_247.3), ""),
    load("DG60", "later", 10_000, Some(4_054.2), Some(8_104.6), ""),
];

/// Records of a published graph, as its authors' papers and LDBC's tables have it.
#[must_use]
pub fn records(graph: &str) -> f64 {
    match graph {
        "DG10" => 206.6e6,
        _ => 1.44e9,
    }
}

/// What must be known to read the comparison.
pub const CAUTION: &str = "The published figures are from 2019: TiKV's servers and the RocksDB machine are not \
    described, nor the network, the replicas or the number of runs. Its RocksDB wrote its table in memory to a file \
    after each insert, which is most of the time of an insert; its gets are a single call; its loads include reading \
    CSV files, and ours include making and encoding the rows. Its extend does not merge fields, nor does ours. The \
    comparison is one of orders of magnitude.";
