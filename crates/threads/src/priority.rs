//! Low-priority threads: those of long reads.
//!
//! A lower priority alone is not enough: on newer kernels a running thread keeps the processor for some milliseconds,
//! even when a thread of higher priority wakes up. So these threads are put into Linux's idle class, which is preempted
//! at once. If the processors are never idle, that class gets next to nothing; a thread that starves in it takes part
//! with its lower priority for a while.

/// Lowers the calling thread's CPU priority for as long as it lives: in the idle class, and with this niceness when it
/// starves there. 0 changes nothing. Where the system has no such thing, nothing changes either.
pub fn stand_back(niceness: u8) {
    #[cfg(target_os = "linux")]
    linux::stand_back(niceness);
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}

#[cfg(target_os = "linux")]
mod linux {
    use std::cell::RefCell;
    use std::collections::HashMap;
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    use parking_lot::Mutex;
    use rustix::thread::{Pid, gettid};

    /// Time between two looks at how the threads fare. It is also how long a starving one is let out of the idle class.
    const LOOK_EVERY: Duration = Duration::from_millis(500);

    /// What the system says of a thread, since it began.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) struct Times {
        /// On a processor.
        pub(super) ran: Duration,
        /// Ready to run, and not let.
        pub(super) waited: Duration,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Class {
        Idle,
        Normal,
    }

    struct Watched {
        before: Times,
        class: Class,
    }

    /// `None` where nobody could be started to watch: threads must not starve then.
    static WATCHED: OnceLock<Option<Mutex<HashMap<Pid, Watched>>>> = OnceLock::new();

    fn watched() -> Option<&'static Mutex<HashMap<Pid, Watched>>> {
        let begin = || {
            let started = std::thread::Builder::new().name("priorities".to_owned()).spawn(watch);
            started.inspect_err(|error| tracing::warn!(%error, "long reads keep the usual priority")).ok()?;
            Some(Mutex::default())
        };
        WATCHED.get_or_init(begin).as_ref()
    }

    /// A thread's membership among those watched; its numbers may be another thread's once it has ended.
    struct Member(Pid);

    impl Drop for Member {
        fn drop(&mut self) {
            if let Some(watched) = watched() {
                watched.lock().remove(&self.0);
            }
        }
    }

    thread_local! {
        static MEMBER: RefCell<Option<Member>> = const { RefCell::new(None) };
    }

    pub(super) fn stand_back(niceness: u8) {
        if niceness == 0 {
            return;
        }
        // No process means the calling thread: on Linux each has a niceness of its own.
        if let Err(error) = rustix::process::setpriority_process(None, i32::from(niceness)) {
            tracing::debug!(%error, "a thread keeps its priority");
        }
        let thread = gettid();
        let (Some(before), Some(watched)) = (times(thread), watched()) else { return };
        let class = if set_class(thread, Class::Idle) { Class::Idle } else { Class::Normal };
        watched.lock().insert(thread, Watched { before, class });
        MEMBER.with_borrow_mut(|member| *member = Some(Member(thread)));
    }

    fn watch() {
        let mut last = Instant::now();
        loop {
            std::thread::sleep(LOOK_EVERY);
            let passed = last.elapsed();
            last = Instant::now();
            // While this thread is being started there is nothing to look at yet.
            let Some(Some(threads)) = WATCHED.get() else { continue };
            for (thread, watched) in threads.lock().iter_mut() {
                let Some(now) = times(*thread) else { continue };
                let class = if starves(watched.before, now, passed) { Class::Normal } else { Class::Idle };
                watched.before = now;
                if watched.class != class && set_class(*thread, class) {
                    watched.class = class;
                }
            }
        }
    }

    /// Whether a thread wanted to run for more than half of the time that has passed, but ran for less than 2% of it.
    pub(super) fn starves(before: Times, now: Times, passed: Duration) -> bool {
        let ran = now.ran.saturating_sub(before.ran);
        let waited = now.waited.saturating_sub(before.waited);
        waited > passed / 2 && ran < passed / 50
    }

    /// `None` where the system does not tell.
    pub(super) fn times(thread: Pid) -> Option<Times> {
        let text = std::fs::read_to_string(format!("/proc/self/task/{}/schedstat", thread.as_raw_nonzero())).ok()?;
        let mut numbers = text.split_ascii_whitespace().map(|number| number.parse().map(Duration::from_nanos).ok());
        Some(Times { ran: numbers.next()??, waited: numbers.next()?? })
    }

    /// Whether it succeeded.
    fn set_class(thread: Pid, class: Class) -> bool {
        let policy = match class {
            Class::Idle => libc::SCHED_IDLE,
            Class::Normal => libc::SCHED_OTHER,
        };
        let parameters = libc::sched_param { sched_priority: 0 };
        #[expect(unsafe_code, reason = "a system call that reads a structure which outlives it")]
        let outcome = unsafe { libc::sched_setscheduler(thread.as_raw_nonzero().get(), policy, &raw const parameters) };
        if outcome != 0 {
            tracing::debug!(error = %std::io::Error::last_os_error(), "a thread keeps its scheduling class");
        }
        outcome == 0
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Duration;

    use super::linux::{Times, starves, times};
    use super::*;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn who_waits_without_running_starves() {
        let before = Times { ran: ms(70), waited: ms(10) };
        let later = |ran: u64, waited: u64| Times { ran: ms(70 + ran), waited: ms(10 + waited) };
        assert!(starves(before, later(1, 480), ms(500)));
        assert!(!starves(before, later(20, 480), ms(500)), "it is let run now and then");
        assert!(!starves(before, later(0, 0), ms(500)), "it sleeps");
        assert!(!starves(before, later(490, 5), ms(500)));
    }

    /// The scheduling class of the calling thread, as the system shows it.
    #[expect(clippy::unwrap_used, reason = "test code")]
    fn class() -> u32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        // The name may hold blanks and ends with the last bracket; the class is the 41st field, and the third is the
        // first after the name.
        stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(38).unwrap().parse().unwrap()
    }

    #[test]
    fn a_thread_that_stands_back_is_in_the_idle_class() {
        std::thread::spawn(|| {
            assert!(times(rustix::thread::gettid()).is_some());
            stand_back(0);
            assert_eq!(class(), 0);
            stand_back(5);
            assert_eq!(class(), libc::SCHED_IDLE.unsigned_abs());
        })
        .join()
        .unwrap();
    }
}
