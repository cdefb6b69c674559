//! Tags of the structures among values.

pub(super) const NODE: u8 = b'N';
pub(super) const RELATIONSHIP: u8 = b'R';
/// A relationship without its ends: in paths.
pub(super) const UNBOUND: u8 = b'r';
pub(super) const PATH: u8 = b'P';
pub(super) const DATE: u8 = b'D';
pub(super) const TIME: u8 = b'T';
pub(super) const LOCAL_TIME: u8 = b't';
pub(super) const LOCAL_DATE_TIME: u8 = b'd';
/// UTC with an offset.
pub(super) const DATE_TIME: u8 = b'I';
/// UTC with a zone.
pub(super) const DATE_TIME_ZONE: u8 = b'i';
/// The clock's time with an offset.
pub(super) const CLOCK_DATE_TIME: u8 = b'F';
/// The clock's time with a zone.
pub(super) const CLOCK_DATE_TIME_ZONE: u8 = b'f';
pub(super) const DURATION: u8 = b'E';
pub(super) const POINT_2D: u8 = b'X';
pub(super) const POINT_3D: u8 = b'Y';
