//! Every limit of this engine, with its reason. Those of batches, keys and values are in [`kv::limits`].

/// Bytes of batches that may wait for the writer. It writes all that waits at once, so this is also the largest group:
/// far below a write buffer, and about a tenth of a second of writing.
pub(crate) const QUEUE_BYTES_MAX: usize = 8 << 20;

/// Batches that may wait for the writer: a longer queue would only add latency.
pub(crate) const QUEUE_BATCHES_MAX: usize = 4096;

/// Batches of at most this many bytes are written by one of their waiters, larger ones by the writer thread: a few
/// elements take microseconds, while hundreds would delay the other tasks of the waiter's thread.
pub(crate) const LED_BATCH_BYTES_MAX: usize = 8 << 10;

/// Bytes that a waiter writes as one group; if more is queued, the writer thread does it. About half a millisecond.
pub(crate) const LED_BYTES_MAX: usize = 64 << 10;

/// Groups that one waiter writes in succession while others keep adding batches; after that the writer thread
/// continues.
pub(crate) const LED_GROUPS_MAX: usize = 8;

/// Keys that are read one by one instead: the ends of an edge. What RocksDB sets up for a call with several costs more
/// than two reads.
pub(crate) const MULTI_GET_KEYS_MIN: usize = 2;

/// Keys read in one call of RocksDB. Each found value stays pinned in memory until the call's answers have been handed
/// on.
pub(crate) const MULTI_GET_KEYS_MAX: usize = 1024;

/// Keys of such a call that are looked for in the cache of rows before all are: enough to tell how many it has, few
/// enough to cost hardly anything where it has none.
pub(crate) const MULTI_GET_KEYS_PROBED: usize = 16;

/// The part of these that must be there for the others to be looked for, as a divisor: looking for a row that is not
/// there, and keeping it, costs about half of what is saved by one that is.
pub(crate) const MULTI_GET_FOUND_SHARE: usize = 2;

/// Ranged tables that one process may open with different descriptions: RocksDB asks plain functions without state for
/// partitions, and each table needs its own.
pub(crate) const PREFIX_SLOTS: usize = 32;

/// The part of the memory budget that writes may take, as a divisor: half for writes, half (at least) for blocks read.
pub(crate) const WRITE_BUFFER_SHARE: usize = 2;

/// The part of the memory budget that rows read lately may take at most, as a divisor: blocks serve every kind of read.
pub(crate) const ROW_CACHE_SHARE: usize = 4;

/// Keys per batch, on average, up to which a write says each key to the cache of rows, twice. A batch of more takes so
/// much more time in RocksDB alone that readers do well with what is left; saying its keys would be a tenth of its
/// work.
pub(crate) const CACHE_KEYS_PER_BATCH_MAX: usize = 16;

/// Write-ahead log kept at most, in write buffers: what must be read again when a store is opened after a crash.
pub(crate) const WAL_WRITE_BUFFERS_MAX: usize = 16;

/// Write buffers one table may have, with those on their way to disk; then its writes wait.
pub(crate) const WRITE_BUFFERS_MAX: i32 = 8;

/// The part of a write buffer that its filter takes: some sixteen bits for each of its rows, of a hundred bytes. A
/// look-up of a key that is not there then hardly ever searches it.
pub(crate) const WRITE_BUFFER_FILTER_SHARE: f64 = 0.02;

/// Files of one table not yet merged at which writes are slowed down, and at which they wait. Four times what RocksDB
/// does by default, because our write buffers, and with them these files, are a quarter as large. A load on two
/// processors was seen to reach 40.
pub(crate) const UNMERGED_FILES_SLOW: i32 = 80;
pub(crate) const UNMERGED_FILES_MAX: i32 = 144;

/// Size of RocksDB's own log file at which it starts a new one, and how many it keeps.
pub(crate) const LOG_FILE_BYTES_MAX: usize = 4 << 20;
pub(crate) const LOG_FILES_MAX: usize = 3;

/// Times a part of a table is halved when it is cut into runs: each halving costs two searches, and keys in which this
/// many do not lead to small parts are too unlike each other in size to be cut well.
pub(crate) const SPLIT_DEPTH_MAX: usize = 64;

/// Bytes of keys and values at which a file of sorted rows ends: few files even for hundreds of millions of rows (each
/// open one costs a file descriptor), small enough that a later merge which must rewrite one is soon done.
pub(crate) const SORTED_FILE_BYTES: u64 = 256 << 20;

/// How long files of the write-ahead log are kept at most for being read.
pub(crate) const LOG_KEPT_SECONDS: u64 = 7 * 24 * 3600;

/// Pieces of a file of the log that are looked at for the number of its first write; those before it are about the
/// file.
pub(crate) const LOG_HEADERS_MAX: usize = 16;

/// Bytes that a scan of a large part reads ahead: a few milliseconds of a disk, and few calls of the system.
pub(crate) const SCAN_AHEAD_BYTES: usize = 1 << 20;

/// Files of another program's database that are open at the same time: it is read once, from the beginning to the end.
pub(crate) const FOREIGN_OPEN_FILES_MAX: i32 = 512;

/// Bytes read ahead in such a database.
pub(crate) const FOREIGN_READAHEAD_BYTES: usize = 2 << 20;
