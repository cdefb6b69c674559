//! Values with a place in time: made of maps, of texts and of each other, cut, moved, compared and taken apart.

mod between;
mod fields;
mod make;
mod parts;
mod shift;
mod truncate;

pub(crate) use between::{Unit, between};
pub(crate) use make::{Kind, Now, duration, from_epoch, make, now};
pub(crate) use parts::part;
pub(crate) use shift::plus;
pub(crate) use truncate::truncate;
