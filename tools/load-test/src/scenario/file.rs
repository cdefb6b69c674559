//! The TOML form of a scenario. Unknown keys are errors: a misspelt option would measure something else.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The methods of the REST contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Method {
    Get,
    Post,
    Put,
    Delete,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    pub(super) name: String,
    #[serde(default)]
    pub(super) description: String,
    pub(super) requests_max: Option<u64>,
    #[serde(default)]
    pub(super) request: Vec<RequestFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestFile {
    pub(super) label: Option<String>,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Option<String>,
    pub(super) batch: Option<u32>,
    #[serde(default = "one")]
    pub(super) weight: u32,
    #[serde(default)]
    pub(super) status: Statuses,
    #[serde(default)]
    pub(super) count_ids: bool,
    #[serde(default)]
    pub(super) contains: Texts,
    /// In the order of their names, so that the same file always checks the same first.
    #[serde(default)]
    pub(super) counts: BTreeMap<String, String>,
    #[serde(default = "one")]
    pub(super) elements: u32,
}

/// One status or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Statuses {
    One(u16),
    Many(Vec<u16>),
}

impl Default for Statuses {
    fn default() -> Self {
        Self::One(200)
    }
}

impl Statuses {
    pub(super) fn into_list(self) -> Vec<u16> {
        match self {
            Self::One(status) => vec![status],
            Self::Many(statuses) => statuses,
        }
    }
}

/// No text, one, or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Default for Texts {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Texts {
    pub(super) fn into_list(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
        }
    }
}

fn one() -> u32 {
    1
}
