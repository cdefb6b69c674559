//! Limits of the language, each with its reason. Exceeding one is an [`crate::ErrorKind::TooLarge`] that names it.

/// Bytes of a script in UTF-8. The longest scripts that HugeGraph's users send are inserts, far below 1 MiB.
pub const SCRIPT_BYTES_MAX: usize = 1024 * 1024;

/// How deep traversals, collections and predicates may be nested in each other. Parser, lowering and printer recurse,
/// so this bounds the stack; the deepest traversal of TinkerPop's feature suite has 7 levels.
pub const NESTING_MAX: usize = 96;

/// Digits of a number, and of its exponent's value in decimal places: conversion takes quadratic time.
pub const NUMBER_DIGITS_MAX: usize = 1024;

/// Items that a range such as `1..10` may have: it is written in a few bytes but takes memory for each item.
pub const RANGE_ITEMS_MAX: i64 = 65_536;
