//! Which server runs a task: the one that accepted it, or the one that took it over from a dead one.

use key_codec::key::MetaKind;
use key_codec::{GraphNumber, setting_value};

use super::{Cluster, rows};
use graph_store::StoreError;
use graph_store::stored_settings::{read_row, swap};

/// What becomes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The task is this server's, from now on.
    Taken,
    /// It was already.
    Own,
    /// Another server that lives has it.
    Others,
}

impl Cluster {
    /// Who runs a task; 0: nobody.
    pub(crate) fn task_owner(&self, graph: GraphNumber, task: u64) -> Result<u64, StoreError> {
        let stored = read_row(&*self.engine, graph, MetaKind::TaskOwner, &task.to_string())?;
        stored.map_or(Ok(0), |bytes| Ok(setting_value::read_numbers::<1>(&bytes)?[0]))
    }

    /// Takes a task whose server is dead, or that has none; with `always` one of a living server, too.
    pub(crate) fn claim_task(&self, graph: GraphNumber, task: u64, always: bool) -> Result<Claim, StoreError> {
        let name = task.to_string();
        let stored = read_row(&*self.engine, graph, MetaKind::TaskOwner, &name)?;
        let owner = match &stored {
            Some(bytes) => setting_value::read_numbers::<1>(bytes)?[0],
            None => 0,
        };
        if owner == self.id {
            return Ok(Claim::Own);
        }
        if owner != 0 && !always && self.is_live(&rows::read(&*self.engine)?, owner) {
            return Ok(Claim::Others);
        }
        let mut new = Vec::new();
        setting_value::put_numbers(&mut new, &[self.id]);
        let place = (graph, MetaKind::TaskOwner, &*name);
        let taken = swap(&*self.engine, place, stored.as_deref(), Some(&new))?;
        Ok(if taken { Claim::Taken } else { Claim::Others })
    }

    /// Forgets who ran a task that has ended.
    pub(crate) fn release_task(&self, graph: GraphNumber, task: u64) {
        let mut own = Vec::new();
        setting_value::put_numbers(&mut own, &[self.id]);
        let place = (graph, MetaKind::TaskOwner, &*task.to_string());
        if let Err(error) = swap(&*self.engine, place, Some(&own), None) {
            tracing::debug!(task, %error, "the row that says who ran a task stays");
        }
    }

    /// Whether a server is none that lives. The rows are read again.
    pub(crate) fn is_gone(&self, id: u64) -> Result<bool, StoreError> {
        Ok(!self.is_live(&rows::read(&*self.engine)?, id))
    }
}
