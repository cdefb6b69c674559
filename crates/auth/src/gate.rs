//! Bounds how many passwords are hashed at one time: each takes memory and a processor.

use parking_lot::{Condvar, Mutex};

use crate::limits;

#[derive(Default)]
struct Inside {
    working: usize,
    waiting: usize,
}

/// Lets a few in.
#[derive(Default)]
pub(crate) struct Gate {
    inside: Mutex<Inside>,
    left: Condvar,
}

/// The right to hash.
pub(crate) struct Permit<'g>(&'g Gate);

impl Gate {
    /// Waits for a permit; `None` where too many wait already.
    pub(crate) fn enter(&self) -> Option<Permit<'_>> {
        let mut inside = self.inside.lock();
        if inside.working >= limits::HASHES_AT_ONCE_MAX {
            if inside.waiting >= limits::HASHES_WAITING_MAX {
                return None;
            }
            inside.waiting += 1;
            self.left.wait_while(&mut inside, |inside| inside.working >= limits::HASHES_AT_ONCE_MAX);
            inside.waiting -= 1;
        }
        inside.working += 1;
        Some(Permit(self))
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.inside.lock().working -= 1;
        self.0.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_inside_and_few_wait() {
        let gate = Gate::default();
        let held: Vec<_> = (0..limits::HASHES_AT_ONCE_MAX).map(|_| gate.enter().unwrap()).collect();
        std::thread::scope(|scope| {
            let waiting: Vec<_> =
                (0..limits::HASHES_WAITING_MAX).map(|_| scope.spawn(|| gate.enter().is_some())).collect();
            while gate.inside.lock().waiting < limits::HASHES_WAITING_MAX {
                std::thread::yield_now();
            }
            assert!(gate.enter().is_none());
            drop(held);
            assert!(waiting.into_iter().all(|waiting| waiting.join().unwrap()));
        });
        assert_eq!(gate.inside.lock().working, 0);
    }
}
