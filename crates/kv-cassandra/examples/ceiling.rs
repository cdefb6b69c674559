//! What one Cassandra answers a plain program that does nothing else: the limit that Rhizome is measured against
//! (`docs/benchmarks/cluster.md`).
//!
//! `cargo run -p kv-cassandra --example ceiling [HOST:PORT] [SECONDS]` makes the keyspace `ceiling`, writes rows of 100
//! bytes alone and in batches, reads them back alone and several at once, and prints rows a second of each way at two
//! numbers of requests under way.

#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::statement::Consistency;
use scylla::statement::batch::{Batch, BatchType};
use scylla::statement::prepared::PreparedStatement;

const VALUE: [u8; 100] = [7; 100];
const REQUESTS_UNDER_WAY: [usize; 2] = [8, 32];
/// Rows that are read back: the first that were written.
const ROWS_READ: u64 = 100_000;

type Failed = Box<dyn std::error::Error + Send + Sync>;

/// A way of writing or reading rows.
#[derive(Clone, Copy, Debug)]
enum Way {
    Single,
    Unlogged(u64),
    Logged(u64),
    Get,
    GetMany(u64),
}

struct Program {
    session: Session,
    put: PreparedStatement,
    get: PreparedStatement,
    get_many: PreparedStatement,
    next: AtomicU64,
}

/// The key of a row: as scattered as real ones, as 8 bytes.
fn key(number: u64) -> [u8; 8] {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()
}

impl Program {
    async fn open(address: &str) -> Result<Self, Failed> {
        let session = SessionBuilder::new().known_node(address).build().await?;
        for statement in [
            "CREATE KEYSPACE IF NOT EXISTS ceiling \
             WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE IF NOT EXISTS ceiling.t (p blob, r blob, v blob, PRIMARY KEY (p, r))",
            "TRUNCATE ceiling.t",
        ] {
            session.query_unpaged(statement, ()).await?;
        }
        let mut statements = Vec::new();
        for text in [
            "INSERT INTO ceiling.t (p, r, v) VALUES (?, ?, ?)",
            "SELECT v FROM ceiling.t WHERE p = ? AND r = ?",
            "SELECT p, v FROM ceiling.t WHERE p IN ? AND r = ?",
        ] {
            let mut statement = session.prepare(text).await?;
            statement.set_consistency(Consistency::One);
            statements.push(statement);
        }
        let [put, get, get_many] = statements.try_into().map_err(|_| "three statements")?;
        Ok(Self { session, put, get, get_many, next: AtomicU64::new(0) })
    }

    /// One request; returns how many rows it had.
    async fn request(&self, way: Way) -> Result<u64, Failed> {
        let empty: &[u8] = &[];
        let count = match way {
            Way::Single | Way::Get => 1,
            Way::Unlogged(count) | Way::Logged(count) | Way::GetMany(count) => count,
        };
        let first = self.next.fetch_add(count, Ordering::Relaxed);
        match way {
            Way::Single => {
                self.session.execute_unpaged(&self.put, (&key(first)[..], empty, &VALUE[..])).await?;
            }
            Way::Unlogged(_) | Way::Logged(_) => {
                let kind = if matches!(way, Way::Logged(_)) { BatchType::Logged } else { BatchType::Unlogged };
                let mut batch = Batch::new(kind);
                let keys: Vec<[u8; 8]> = (first..first + count).map(key).collect();
                for _ in &keys {
                    batch.append_statement(self.put.clone());
                }
                let values: Vec<(&[u8], &[u8], &[u8])> = keys.iter().map(|key| (&key[..], empty, &VALUE[..])).collect();
                self.session.batch(&batch, values).await?;
            }
            Way::Get => {
                let answer = self.session.execute_unpaged(&self.get, (&key(first % ROWS_READ)[..], empty)).await?;
                if answer.into_rows_result()?.rows_num() != 1 {
                    return Err("a row that was written is not there".into());
                }
            }
            Way::GetMany(_) => {
                let keys: Vec<[u8; 8]> = (first..first + count).map(|number| key(number % ROWS_READ)).collect();
                let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
                let answer = self.session.execute_unpaged(&self.get_many, (&keys, empty)).await?;
                if answer.into_rows_result()?.rows_num() as u64 != count {
                    return Err("a row that was written is not there".into());
                }
            }
        }
        Ok(count)
    }

    /// Rows a second with so many requests under way.
    async fn measure(self: &Arc<Self>, way: Way, under_way: usize, length: Duration) -> Result<f64, Failed> {
        let started = Instant::now();
        let workers: Vec<_> = (0..under_way)
            .map(|_| {
                let program = Arc::clone(self);
                tokio::spawn(async move {
                    let mut rows = 0;
                    while started.elapsed() < length {
                        rows += program.request(way).await?;
                    }
                    Ok::<u64, Failed>(rows)
                })
            })
            .collect();
        let mut rows = 0;
        for worker in workers {
            rows += worker.await??;
        }
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        Ok(rows as f64 / started.elapsed().as_secs_f64())
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Failed> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:9042".to_owned());
    let length = Duration::from_secs_f64(arguments.next().map_or(Ok(5.0), |text| text.parse())?);
    let program = Arc::new(Program::open(&address).await?);
    println!("{:<16}{:>12}{:>12}   rows a second, by requests under way", "", "8", "32");
    // Twice: the first round is the store's warm-up.
    for round in 0..2 {
        for way in [
            Way::Single,
            // As a vertex with its entry in the index of its label, or an edge at both of its ends.
            Way::Unlogged(2),
            Way::Unlogged(10),
            Way::Unlogged(50),
            Way::Logged(2),
            Way::Logged(10),
            Way::Logged(50),
            Way::Get,
            Way::GetMany(10),
            Way::GetMany(50),
        ] {
            if matches!(way, Way::Single | Way::Get) {
                program.next.store(0, Ordering::Relaxed);
            }
            let mut rates = Vec::new();
            for under_way in REQUESTS_UNDER_WAY {
                rates.push(program.measure(way, under_way, length).await?);
            }
            if round > 0 {
                let name = match way {
                    Way::Single => "single".to_owned(),
                    Way::Unlogged(count) => format!("unlogged {count}"),
                    Way::Logged(count) => format!("logged {count}"),
                    Way::Get => "get".to_owned(),
                    Way::GetMany(count) => format!("get {count}"),
                };
                let rates: String = rates.iter().map(|rate| format!("{rate:>12.0}")).collect();
                println!("{name:<16}{rates}");
            }
        }
    }
    Ok(())
}
