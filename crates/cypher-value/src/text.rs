//! Texts.

use smol_str::SmolStr;

/// Names and texts: up to 23 bytes without an allocation, longer ones shared.
pub type Text = SmolStr;
