//! Where does the process spend its processor time? Profiles on demand, by samples of the call stacks of its threads.
//!
//! What it is: one call, [`cpu`], which takes as long as it is told and gives a file that tools read. What it is not:
//! it knows no protocol and no user. While no profile is taken there is no timer and no cost.
//!
//! Functions have names where the program has its symbols, or the package with them is installed (`rhizome-dbgsym`).

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::Mutex;
use pprof::protos::Message as _;
use pprof::{ProfilerGuardBuilder, Report};

/// Samples a second of processor time: no round number, so that it does not keep step with what happens periodically.
pub const SAMPLES_PER_SECOND: i32 = 99;

/// Longest time of one profile.
pub const TIME_MAX: Duration = Duration::from_secs(60);

/// How often it is looked whether the profile is still wanted.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Parts of the system in which a sample would find no way back to its callers.
const LEFT_OUT: [&str; 3] = ["libgcc", "pthread", "vdso"];

/// How a profile is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Google's format, compressed with gzip, which `pprof` and `go tool pprof` read
    /// (<https://github.com/google/pprof/blob/main/proto/profile.proto>).
    Pprof,
    /// A line for each stack, from its thread to the innermost function, with the number of samples: the input of
    /// flame graphs.
    Folded,
}

/// Why there is no profile.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// One is being taken.
    #[error("a profile is being taken already; try again when it has ended")]
    Busy,
    /// The time is none that a profile may take.
    #[error("a profile takes from 1 to {max} seconds, but {given} were asked for")]
    Time {
        /// What was asked for, in seconds.
        given: u64,
        /// The most, in seconds.
        max: u64,
    },
    /// Whoever asked has gone, or the process ends.
    #[error("the profile was given up before its end")]
    Stopped,
    /// The system gives no timer, or something else fails.
    #[error("no profile can be taken here: {0}")]
    Failed(String),
}

/// Held while a profile is taken: the timer and its signal are those of the process.
static TAKING: Mutex<()> = Mutex::new(());

/// Takes a profile of all threads for `seconds`, which blocks as long. `goes_on` is asked whether it is still wanted.
///
/// # Errors
/// [`ProfileError`].
pub fn cpu(seconds: u64, format: Format, goes_on: impl Fn() -> bool) -> Result<Vec<u8>, ProfileError> {
    if seconds == 0 || seconds > TIME_MAX.as_secs() {
        return Err(ProfileError::Time { given: seconds, max: TIME_MAX.as_secs() });
    }
    let _taking = TAKING.try_lock().ok_or(ProfileError::Busy)?;
    let failed = |error: pprof::Error| ProfileError::Failed(error.to_string());
    let guard =
        ProfilerGuardBuilder::default().frequency(SAMPLES_PER_SECOND).blocklist(&LEFT_OUT).build().map_err(failed)?;
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        std::thread::sleep(left.min(LOOK_INTERVAL));
        if !goes_on() {
            return Err(ProfileError::Stopped);
        }
    }
    let report = guard.report().build().map_err(failed)?;
    drop(guard);
    match format {
        Format::Pprof => compressed(&report).map_err(|error| ProfileError::Failed(error.to_string())),
        Format::Folded => Ok(folded(&report).into_bytes()),
    }
}

fn compressed(report: &Report) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&report.pprof()?.encode_to_vec())?;
    Ok(encoder.finish()?)
}

fn folded(report: &Report) -> String {
    let mut lines: Vec<String> = report
        .data
        .iter()
        .map(|(stack, count)| {
            let mut line = word(&stack.thread_name_or_id());
            for symbol in stack.frames.iter().rev().flat_map(|frame| frame.iter().rev()) {
                line.push(';');
                line.push_str(&word(&symbol.name()));
            }
            // Writing to a string cannot fail.
            let _ = write!(line, " {count}");
            line
        })
        .collect();
    lines.sort_unstable();
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

/// A name without what separates names.
fn word(name: &str) -> String {
    name.replace([';', '\n'], ":")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::io::Read as _;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[inline(never)]
    fn a_function_that_works(stop: &AtomicBool) -> u64 {
        let mut sum = 0_u64;
        while !stop.load(Ordering::Relaxed) {
            for number in 0..10_000_u64 {
                sum = black_box(sum.wrapping_mul(31).wrapping_add(number));
            }
        }
        sum
    }

    /// One test, because one profile is taken at a time.
    #[test]
    fn a_profile_names_what_works_and_there_is_one_at_a_time() {
        for given in [0, 61] {
            assert!(matches!(cpu(given, Format::Folded, || true), Err(ProfileError::Time { .. })));
        }
        assert!(matches!(cpu(60, Format::Folded, || false), Err(ProfileError::Stopped)));
        let stop = AtomicBool::new(false);
        let (folded, zipped) = std::thread::scope(|scope| {
            let name = std::thread::Builder::new().name("at;work".to_owned());
            name.spawn_scoped(scope, || a_function_that_works(&stop)).unwrap();
            let folded = cpu(1, Format::Folded, || {
                assert!(matches!(cpu(1, Format::Folded, || true), Err(ProfileError::Busy)));
                true
            });
            let zipped = cpu(1, Format::Pprof, || true);
            stop.store(true, Ordering::Relaxed);
            (String::from_utf8(folded.unwrap()).unwrap(), zipped.unwrap())
        });
        let line = folded.lines().find(|line| line.contains("a_function_that_works"));
        let line = line.unwrap_or_else(|| panic!("{folded}"));
        assert!(line.starts_with("at:work;"), "{line}");
        assert!(line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap() > 0, "{line}");

        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&*zipped).read_to_end(&mut bytes).unwrap();
        let profile = pprof::protos::Profile::decode(&*bytes).unwrap();
        assert!(profile.string_table.iter().any(|text| text.contains("a_function_that_works")));
        assert!(profile.sample.iter().map(|sample| sample.value[0]).sum::<i64>() > 0);
    }
}
