//! What the system and the allocator say about this process's memory.

/// Size of a page of memory on the systems this runs on, in which Linux counts a process's memory.
const PAGE_BYTES: u64 = 4_096;

/// Memory of the process in RAM; 0 where the system does not say.
pub fn resident_bytes() -> u64 {
    statm(1)
}

/// The part of it that is pages of files: the program and its libraries.
pub fn program_bytes() -> u64 {
    statm(2)
}

/// A figure of the system's short summary, in bytes.
fn statm(column: usize) -> u64 {
    let pages = || std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(column)?.parse::<u64>().ok();
    pages().unwrap_or_default().saturating_mul(PAGE_BYTES)
}

/// Freed memory that the allocator keeps for what is allocated next; `None` where it does not say. It looks at every
/// free piece, which takes up to some milliseconds in a process with much memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn kept_bytes() -> Option<u64> {
    #[expect(
        unsafe_code,
        reason = "a function of the C library without arguments that only reads, and locks what it reads"
    )]
    let info = unsafe { libc::mallinfo2() };
    u64::try_from(info.fordblks).ok()
}

/// Unknown here.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn kept_bytes() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_a_part_of_the_process() {
        let (resident, program) = (resident_bytes(), program_bytes());
        assert!(program > 0 && program < resident, "{program} of {resident}");
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn what_was_freed_is_kept() {
        // Pieces between others, which cannot be given back to the system.
        let mut pieces: Vec<_> = (0..200_u8).cycle().take(4_000).map(|byte| vec![byte; 10_000]).collect();
        let before = kept_bytes().unwrap();
        let mut number = 0;
        pieces.retain(|_| {
            number += 1;
            number % 2 == 0
        });
        // Other tests allocate meanwhile; half of what was freed must still show.
        assert!(kept_bytes().unwrap() > before + 10_000_000);
        assert_eq!(pieces.len(), 2_000);
    }
}
