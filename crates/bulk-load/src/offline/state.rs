//! The state of an offline load: the sum of the journal's steps.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::Path;

use sorted_runs::RunMeta;

use super::journal::{Counts, Cover, RejectedRow, Step};
use crate::error::LoadError;
use crate::progress::Phase;

/// What is finished.
#[derive(Default)]
pub(crate) struct State {
    vertices: PhaseState,
    edges: PhaseState,
    rejected: Vec<RejectedRow>,
    unreadable: u64,
    labels: Vec<Counts>,
    /// Disabled index labels, and those rebuilt since.
    suspended: Vec<String>,
    built: Vec<String>,
}

/// What is finished of a phase.
#[derive(Default)]
pub(crate) struct PhaseState {
    pub(crate) covers: Vec<Cover>,
    pub(crate) runs: Vec<RunMeta>,
    pub(crate) all_read: bool,
    pub(crate) stored: bool,
    /// Bytes read this time, and time of threads for storing them, in milliseconds.
    pub(crate) bytes_read: u64,
    pub(crate) storing_ms: u64,
}

impl PhaseState {
    fn run_bytes(&self) -> u64 {
        self.runs.iter().map(RunMeta::bytes).sum()
    }

    fn covered_bytes(&self) -> u64 {
        self.covers.iter().map(|cover| cover.end - cover.start).sum()
    }
}

impl State {
    pub(crate) fn of(steps: Vec<Step>) -> Self {
        let mut state = Self::default();
        for step in steps {
            state.add(step);
        }
        for phase in [Phase::Vertices, Phase::Edges] {
            state.phase_mut(phase).storing_ms = 0;
        }
        state
    }

    pub(crate) fn add(&mut self, step: Step) {
        match step {
            Step::Suspended(names) => {
                for name in names {
                    if !self.suspended.contains(&name) {
                        self.suspended.push(name);
                    }
                }
            }
            Step::Read(phase, portion) => {
                if self.labels.len() < portion.labels.len() {
                    self.labels.resize(portion.labels.len(), Counts::default());
                }
                for (sum, more) in self.labels.iter_mut().zip(&portion.labels) {
                    sum.read += more.read;
                    sum.inserted += more.inserted;
                    sum.rejected += more.rejected;
                    sum.skipped += more.skipped;
                }
                self.unreadable += portion.unreadable;
                self.rejected.extend(portion.rejected);
                let of_phase = self.phase_mut(phase);
                of_phase.covers.extend(portion.covers);
                of_phase.runs.extend(portion.runs);
                of_phase.storing_ms += portion.storing_ms;
            }
            Step::AllRead(phase) => self.phase_mut(phase).all_read = true,
            Step::Stored(phase) => self.phase_mut(phase).stored = true,
            Step::Built(name) => self.built.push(name),
        }
    }

    pub(crate) fn phase(&self, phase: Phase) -> &PhaseState {
        match phase {
            Phase::Vertices => &self.vertices,
            Phase::Edges => &self.edges,
        }
    }

    pub(crate) fn phase_mut(&mut self, phase: Phase) -> &mut PhaseState {
        match phase {
            Phase::Vertices => &mut self.vertices,
            Phase::Edges => &mut self.edges,
        }
    }

    /// The number the next run gets.
    pub(crate) fn next_run(&self) -> u64 {
        let runs = self.vertices.runs.iter().chain(&self.edges.runs);
        runs.map(|run| run.number + 1).max().unwrap_or_default()
    }

    /// Rows left out, as far as they were written down.
    pub(crate) fn rejected(&self) -> &[RejectedRow] {
        &self.rejected
    }

    pub(crate) fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Rows or elements left out.
    pub(crate) fn rejected_rows(&self) -> u64 {
        self.labels.iter().map(|label| label.rejected).sum::<u64>() + self.unreadable
    }

    /// Counts of the first `labels` labels.
    pub(crate) fn counts(&self, labels: usize) -> Vec<Counts> {
        self.labels.iter().copied().take(labels).collect()
    }

    /// Whether all elements are in the store, so that index labels may be built.
    pub(crate) fn is_loaded(&self) -> bool {
        self.edges.stored || !self.built.is_empty()
    }

    /// Index labels that have yet to be rebuilt.
    pub(crate) fn unbuilt(&self) -> Vec<String> {
        self.suspended.iter().filter(|name| !self.built.contains(name)).cloned().collect()
    }

    /// Removes files of runs that are no longer needed or were never finished.
    pub(crate) fn remove_strays(&self, dir: &Path) -> Result<(), LoadError> {
        let needed: HashSet<String> = [&self.vertices, &self.edges]
            .into_iter()
            .filter(|phase| !phase.stored)
            .flat_map(|phase| phase.runs.iter().map(|run| RunMeta::file_name(run.number)))
            .collect();
        let failed = |error| LoadError::work_in(dir, "clean up the folder", error);
        for entry in std::fs::read_dir(dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".run") && !needed.contains(&name) {
                match std::fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Upper bound of the disk space for the rest of the load, given the bytes of sources for vertices and for edges:
    /// the runs still to be written, the store's own files of the phase at work, and both of a later phase. Estimated
    /// from the runs so far; without any, as in a load by batches, what is written is taken to be as large as its
    /// source.
    pub(crate) fn room_needed(&self, vertex_bytes: u64, edge_bytes: u64) -> u64 {
        let run_bytes = self.vertices.run_bytes() + self.edges.run_bytes();
        let source_bytes = self.vertices.covered_bytes() + self.edges.covered_bytes();
        let runs_of = |bytes: u64| match (run_bytes, source_bytes) {
            (0, _) | (_, 0) => bytes,
            _ => {
                u64::try_from(u128::from(bytes) * u128::from(run_bytes) / u128::from(source_bytes)).unwrap_or(u64::MAX)
            }
        };
        let of_phase = |phase: &PhaseState, bytes: u64| {
            if phase.stored {
                return 0;
            }
            let to_read = runs_of(bytes.saturating_sub(phase.covered_bytes()));
            to_read + (phase.run_bytes() + to_read)
        };
        of_phase(&self.vertices, vertex_bytes) + of_phase(&self.edges, edge_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::journal::Portion;
    use sorted_runs::SectionMeta;

    #[test]
    fn the_room_needed_follows_from_what_was_read() {
        let mut state = State::default();
        assert_eq!(state.room_needed(100, 1_000), 2 * 1_100);
        let section = SectionMeta { table: 1, prefix: Vec::new(), offset: 0, bytes: 150, rows: 1 };
        let portion = Portion {
            covers: vec![Cover { file: 0, start: 0, end: 50 }],
            runs: vec![RunMeta { number: 4, sections: vec![section] }],
            ..Portion::default()
        };
        state.add(Step::Read(Phase::Vertices, portion));
        assert_eq!(state.next_run(), 5);
        // 50 bytes became 150: vertices lack 150 of runs and 300 in the store, edges 3,000 of runs and as much in the
        // store.
        assert_eq!(state.room_needed(100, 1_000), 450 + 6_000);
        state.add(Step::Stored(Phase::Vertices));
        assert_eq!(state.room_needed(100, 1_000), 6_000);
    }
}
