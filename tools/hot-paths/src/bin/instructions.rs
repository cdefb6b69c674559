//! One hot path, for callgrind to count the instructions of: `cargo xtask instructions` runs this program once for
//! each.
//!
//! `instructions --list` prints the names of those with bounds; `instructions NAME` does the case [`TIMES`] times in
//! [`measured_section`], which is what callgrind counts.
#![expect(clippy::print_stdout, reason = "benchmark code")]

use hot_paths::{CASES, PAIRS};

/// Number of repetitions, over which occasional work (a growing buffer, a tree that splits) is averaged. `xtask`
/// divides by it.
const TIMES: usize = 100;

/// What is counted. Its name is known to `xtask`.
#[inline(never)]
fn measured_section(work: &mut dyn FnMut()) {
    for _ in 0..TIMES {
        work();
    }
}

fn main() {
    let asked = std::env::args().nth(1).unwrap_or_default();
    if asked == "--list" {
        for case in CASES {
            println!("{}", case.name);
        }
        return;
    }
    if let Some(case) = CASES.iter().chain(PAIRS).find(|case| case.name == asked) {
        let mut work = (case.make)();
        // Once outside: what is made at the first use belongs to no request.
        work();
        measured_section(&mut *work);
    }
}
