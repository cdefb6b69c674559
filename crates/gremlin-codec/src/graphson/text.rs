//! Texts that stand for values.

pub(super) fn uuid(text: &str) -> Option<u128> {
    uuid::Uuid::try_parse(text).ok().map(|uuid| uuid.as_u128())
}
