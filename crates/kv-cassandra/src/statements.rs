//! The statements of each table, prepared when they are first needed.

use std::fmt::Write;

use kv::TableSpec;
use scylla::client::session::Session;
use scylla::errors::ExecutionError;
use scylla::statement::Statement;
use scylla::statement::prepared::PreparedStatement;
use tokio::sync::OnceCell;

use crate::limits::FIRST_PAGE_ROWS;
use crate::options::ReplicaConsistency;

/// The kinds of statements. `p` is the partition, `r` the row, `v` the value, `w` the token of the last swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Ask {
    Get,
    GetRows,
    GetPartitions,
    FirstRows,
    Rows,
    RowsFrom,
    RowsAfter,
    RowsBefore,
    RowsFromBefore,
    RowsAfterBefore,
    Tokens,
    Partitions,
    PartitionsAt,
    Put,
    Delete,
    DeletePartition,
    SwapIn,
    Swap,
    SwapOut,
    SwapRead,
}

const ASKS: usize = Ask::SwapRead as usize + 1;

impl Ask {
    fn is_swap(self) -> bool {
        matches!(self, Self::SwapIn | Self::Swap | Self::SwapOut)
    }

    /// The statement for the table `t`, whose name holds its keyspace.
    fn text(self, t: &str) -> String {
        let mut text = String::new();
        let outcome = match self {
            Self::Get => write!(text, "SELECT v FROM {t} WHERE p = ? AND r = ?"),
            Self::GetRows => write!(text, "SELECT r, v FROM {t} WHERE p = ? AND r IN ?"),
            Self::GetPartitions => write!(text, "SELECT p, v FROM {t} WHERE p IN ? AND r = ?"),
            Self::FirstRows => {
                write!(text, "SELECT p, r, v FROM {t} WHERE p IN ? PER PARTITION LIMIT {FIRST_PAGE_ROWS}")
            }
            Self::Rows => write!(text, "SELECT r, v FROM {t} WHERE p = ?"),
            Self::RowsFrom => write!(text, "SELECT r, v FROM {t} WHERE p = ? AND r >= ?"),
            Self::RowsAfter => write!(text, "SELECT r, v FROM {t} WHERE p = ? AND r > ?"),
            Self::RowsBefore => write!(text, "SELECT r, v FROM {t} WHERE p = ? AND r < ?"),
            Self::RowsFromBefore => write!(text, "SELECT r, v FROM {t} WHERE p = ? AND r >= ? AND r < ?"),
            Self::RowsAfterBefore => write!(text, "SELECT r, v FROM {t} WHERE p = ? AND r > ? AND r < ?"),
            Self::Tokens => write!(text, "SELECT p, r, v FROM {t} WHERE token(p) > ? AND token(p) <= ?"),
            Self::Partitions => write!(text, "SELECT DISTINCT p FROM {t} WHERE token(p) > ? AND token(p) <= ?"),
            Self::PartitionsAt => write!(text, "SELECT DISTINCT p FROM {t} WHERE token(p) = ?"),
            Self::Put => write!(text, "INSERT INTO {t} (p, r, v) VALUES (?, ?, ?)"),
            Self::Delete => write!(text, "DELETE FROM {t} WHERE p = ? AND r = ?"),
            Self::DeletePartition => write!(text, "DELETE FROM {t} WHERE p = ?"),
            Self::SwapIn => write!(text, "INSERT INTO {t} (p, r, v, w) VALUES (?, ?, ?, ?) IF NOT EXISTS"),
            Self::Swap => write!(text, "UPDATE {t} SET v = ?, w = ? WHERE p = ? AND r = ? IF v = ?"),
            Self::SwapOut => write!(text, "DELETE FROM {t} WHERE p = ? AND r = ? IF v = ?"),
            Self::SwapRead => write!(text, "SELECT v, w FROM {t} WHERE p = ? AND r = ?"),
        };
        debug_assert!(outcome.is_ok(), "writing to a string");
        text
    }
}

/// The statements of one table.
pub(crate) struct Statements {
    table: String,
    prepared: [OnceCell<PreparedStatement>; ASKS],
}

impl Statements {
    pub(crate) fn new(keyspace: &str, spec: &TableSpec) -> Self {
        Self { table: format!("{keyspace}.\"{}\"", spec.name), prepared: [const { OnceCell::const_new() }; ASKS] }
    }

    /// The statement, if it is prepared already.
    pub(crate) fn prepared(&self, ask: Ask) -> Option<&PreparedStatement> {
        self.prepared.get(ask as usize)?.get()
    }

    /// The statement, prepared. All but swaps can be repeated without harm, since writes carry their timestamp.
    pub(crate) async fn get(
        &self,
        session: &Session,
        ask: Ask,
        consistency: ReplicaConsistency,
    ) -> Result<&PreparedStatement, ExecutionError> {
        let prepare = async {
            let mut prepared = session.prepare(Statement::new(ask.text(&self.table))).await?;
            prepared.set_is_idempotent(!ask.is_swap());
            if ask == Ask::SwapRead {
                // A read of this kind first completes an unfinished swap.
                prepared.set_consistency(match consistency {
                    ReplicaConsistency::LocalQuorum => scylla::statement::Consistency::LocalSerial,
                    _ => scylla::statement::Consistency::Serial,
                });
            }
            Ok(prepared)
        };
        match self.prepared.get(ask as usize) {
            Some(cell) => cell.get_or_try_init(|| prepare).await,
            None => Err(ExecutionError::EmptyPlan),
        }
    }
}
