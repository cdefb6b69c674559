//! Versions of the protocol, and what each has.

use std::fmt;

/// A version of Bolt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Before the dot.
    pub major: u8,
    /// After the dot.
    pub minor: u8,
}

/// The ranges that are spoken, the newest first: major, lowest and highest minor. There is no version 5.5 in use.
pub(crate) const SPOKEN: [(u8, u8, u8); 3] = [(5, 6, 8), (5, 0, 4), (4, 4, 4)];

impl Version {
    /// A version by its numbers.
    #[must_use]
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// Whether this crate speaks it.
    #[must_use]
    pub fn is_spoken(self) -> bool {
        SPOKEN.iter().any(|(major, low, high)| self.major == *major && (*low..=*high).contains(&self.minor))
    }

    /// All versions that are spoken, the newest first.
    pub fn spoken() -> impl Iterator<Item = Self> {
        SPOKEN.iter().flat_map(|(major, low, high)| (*low..=*high).rev().map(|minor| Self::new(*major, minor)))
    }

    /// Whether elements carry ids that are texts, and moments are in UTC: 5.0.
    #[must_use]
    pub fn has_element_ids(self) -> bool {
        self >= Self::new(5, 0)
    }

    /// Whether clients authenticate by a message of its own instead of in HELLO: 5.1.
    #[must_use]
    pub fn has_logon(self) -> bool {
        self >= Self::new(5, 1)
    }

    /// Whether clients may send TELEMETRY: 5.4.
    #[must_use]
    pub fn has_telemetry(self) -> bool {
        self >= Self::new(5, 4)
    }

    /// Whether a summary has GQL statuses instead of notifications: 5.6.
    #[must_use]
    pub fn has_statuses(self) -> bool {
        self >= Self::new(5, 6)
    }

    /// Whether failures have GQL statuses, and HELLO's answer names the version: 5.7.
    #[must_use]
    pub fn has_failure_statuses(self) -> bool {
        self >= Self::new(5, 7)
    }

    /// Whether the answers to RUN and BEGIN name the database: 5.8.
    #[must_use]
    pub fn names_database(self) -> bool {
        self >= Self::new(5, 8)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
