//! Sizes of networks after LDBC's scale factors.
//!
//! LDBC publishes how many vertices and edges its own generator makes for a scale factor (the bulk-loaded part, without
//! update streams): 0.1: 327,588 and 1,477,965; 1: 3,181,724 and 17,256,038; 10: 29,987,835 and 176,623,445. There is
//! no scale factor 60 of LDBC; graphs of that name in the literature have about 187 million vertices and 1.25 billion
//! edges. The numbers of persons below were chosen so that this generator makes about as many edges.

use std::fmt;
use std::str::FromStr;

use crate::error::GenError;

/// A size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScaleFactor {
    /// The factor, as people write it.
    pub name: &'static str,
    /// Number of persons; everything else follows.
    pub persons: u64,
}

/// All sizes there are, the smallest first.
pub const SCALE_FACTORS: [ScaleFactor; 4] = [
    ScaleFactor { name: "0.1", persons: 1_300 },
    ScaleFactor { name: "1", persons: 9_250 },
    ScaleFactor { name: "10", persons: 60_000 },
    ScaleFactor { name: "60", persons: 320_000 },
];

impl fmt::Display for ScaleFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl FromStr for ScaleFactor {
    type Err = GenError;

    fn from_str(text: &str) -> Result<Self, GenError> {
        SCALE_FACTORS
            .into_iter()
            .find(|factor| factor.name == text)
            .ok_or_else(|| GenError::ScaleFactor { given: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_read_as_they_are_written() {
        for factor in SCALE_FACTORS {
            assert_eq!(factor.to_string().parse::<ScaleFactor>().unwrap(), factor);
        }
        let error = "3".parse::<ScaleFactor>().unwrap_err();
        assert_eq!(error.to_string(), "there is no scale factor 3: give 0.1, 1, 10 or 60, or a number of persons");
    }
}
