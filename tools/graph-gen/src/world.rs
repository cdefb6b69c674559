//! What forums and messages are made from.

use crate::clock::Clock;
use crate::dictionary::Dictionary;
use crate::knows::Friends;
use crate::person::Persons;

/// What all forums and messages are made from.
#[derive(Clone, Copy)]
pub(crate) struct World<'a> {
    pub(crate) seed: u64,
    pub(crate) clock: Clock,
    pub(crate) dictionary: &'a Dictionary,
    pub(crate) persons: &'a Persons,
    pub(crate) friends: &'a Friends,
}
