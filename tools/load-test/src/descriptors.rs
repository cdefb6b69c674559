//! Open files: each user's connection is one.

use crate::error::LoadTestError;
use crate::limits::OTHER_DESCRIPTORS;

/// As many of these users as this process may have connections for; raises the limit of open files where that is needed
/// and allowed.
pub(crate) fn users_allowed(users: u32) -> u32 {
    match allow_connections(users) {
        Err(LoadTestError::OpenFiles { allowed, .. }) => {
            u32::try_from(allowed.saturating_sub(OTHER_DESCRIPTORS)).unwrap_or(u32::MAX).min(users)
        }
        _ => users,
    }
}

/// Raises the limit of open files to what this number of users needs, or says how to.
pub(crate) fn allow_connections(users: u32) -> Result<(), LoadTestError> {
    let needed = u64::from(users) + OTHER_DESCRIPTORS;
    let Ok((soft, hard)) = rlimit::Resource::NOFILE.get() else { return Ok(()) };
    if soft >= needed {
        return Ok(());
    }
    let raised = rlimit::Resource::NOFILE.set(needed, hard.max(needed)).or_else(|error| {
        // Only a privileged process may raise the hard limit; any process may raise the soft limit up to it.
        if hard >= needed { rlimit::Resource::NOFILE.set(needed, hard) } else { Err(error) }
    });
    raised.map_err(|error| LoadTestError::OpenFiles {
        users,
        needed,
        allowed: soft.max(hard),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_as_many_as_the_system_allows() {
        assert_eq!(users_allowed(1), 1);
        let most = users_allowed(u32::MAX);
        assert!(most < u32::MAX, "no system has that many open files");
        assert_eq!(users_allowed(most), most);
        assert!(matches!(allow_connections(u32::MAX), Err(LoadTestError::OpenFiles { .. })));
    }
}
