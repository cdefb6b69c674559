//! Numbers in bodies, which HugeGraph also takes as texts.

use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value as Json;

/// A whole number: `3` or `"3"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntBody(pub i64);

/// A number: `0.5` or `"0.5"`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RealBody(pub f64);

impl<'de> Deserialize<'de> for IntBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        number(deserializer, "a whole number", Json::as_i64).map(Self)
    }
}

impl<'de> Deserialize<'de> for RealBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        number(deserializer, "a number", Json::as_f64).map(Self)
    }
}

fn number<'de, D: Deserializer<'de>, T: FromStr>(
    deserializer: D,
    expected: &str,
    read: fn(&Json) -> Option<T>,
) -> Result<T, D::Error> {
    let given = Json::deserialize(deserializer)?;
    let number = match &given {
        Json::String(text) => text.trim().parse().ok(),
        other => read(other),
    };
    number.ok_or_else(|| Error::custom(format!("expected {expected}, but got {given}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_texts() {
        let int = |json: &str| serde_json::from_str::<IntBody>(json).map(|body| body.0).ok();
        let real = |json: &str| serde_json::from_str::<RealBody>(json).map(|body| body.0).ok();
        assert_eq!(
            (int("3"), int(r#""3""#), int("-1"), int("1.5"), int("true"), int(r#""x""#)),
            (Some(3), Some(3), Some(-1), None, None, None)
        );
        assert_eq!((real("1"), real(r#""0.5""#), real("null"), real("[]")), (Some(1.0), Some(0.5), None, None));
    }
}
