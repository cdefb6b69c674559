//! Threads that stay on one processor.
//!
//! The system moves threads so that each gets its share. Where there is one thread for each processor anyway, moving
//! only costs: what it was working on is in the caches of the processor it came from, the sockets it serves among that.

/// The processors that the calling thread may use, ascending. Empty where the system does not tell.
#[must_use]
pub fn processors() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    return linux::processors();
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

/// Ties the calling thread to one of its [`processors`], and gives whether that was possible. A thread that it starts
/// is tied like it until that calls [`run_anywhere`].
pub fn run_on(processor: usize) -> bool {
    #[cfg(target_os = "linux")]
    return linux::run_on(processor);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = processor;
        false
    }
}

/// Lets the calling thread run where the first thread that was tied could run before: for the first lines of one that a
/// tied thread may have started.
pub fn run_anywhere() {
    #[cfg(target_os = "linux")]
    linux::run_anywhere();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::OnceLock;

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// What the first thread that was tied could use before.
    static ALL: OnceLock<Vec<usize>> = OnceLock::new();

    pub(super) fn processors() -> Vec<usize> {
        match sched_getaffinity(None) {
            Ok(set) => (0..CpuSet::MAX_CPU).filter(|&processor| set.is_set(processor)).collect(),
            Err(error) => {
                tracing::debug!(%error, "which processors there are is not known");
                Vec::new()
            }
        }
    }

    pub(super) fn run_on(processor: usize) -> bool {
        let processors = processors();
        if !processors.contains(&processor) {
            return false;
        }
        ALL.get_or_init(|| processors);
        tie(&[processor])
    }

    pub(super) fn run_anywhere() {
        if let Some(processors) = ALL.get() {
            tie(processors);
        }
    }

    fn tie(processors: &[usize]) -> bool {
        let mut set = CpuSet::new();
        for &processor in processors {
            set.set(processor);
        }
        // No process means the calling thread.
        sched_setaffinity(None, &set)
            .inspect_err(|error| tracing::debug!(%error, ?processors, "a thread stays on the processors it has"))
            .is_ok()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Where the calling thread may run, as the system shows it, for instance `0-3`.
    #[expect(clippy::unwrap_used, reason = "test code")]
    fn allowed() -> String {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        line.unwrap().trim().to_owned()
    }

    #[test]
    fn a_thread_is_tied_and_let_go() {
        std::thread::spawn(|| {
            let before = allowed();
            let (first, last) = (processors()[0], *processors().last().unwrap());
            assert!(run_on(last));
            assert_eq!(allowed(), last.to_string());
            let inherited = std::thread::spawn(|| {
                let inherited = allowed();
                run_anywhere();
                (inherited, allowed())
            });
            assert_eq!(inherited.join().unwrap(), (last.to_string(), before));
            assert_eq!(processors(), [last]);
            assert!(!run_on(last + 1));
            assert_eq!(run_on(first), first == last);
            assert_eq!(allowed(), last.to_string());
        })
        .join()
        .unwrap();
    }
}
