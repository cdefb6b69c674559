//! The parameters of a request, as JSON.

use serde_json::{Map, Value as Json};

use crate::AnalysisError;

/// Parameters by name; null counts as not given.
#[derive(Clone, Debug)]
pub(crate) struct Parameters(pub(crate) Map<String, Json>);

impl Parameters {
    /// The names of those given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name.as_str())
    }

    pub(crate) fn given(&self, name: &str) -> Option<&Json> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn wrong(&self, name: &str, wanted: &str) -> AnalysisError {
        let given = self.given(name).cloned().unwrap_or_default();
        AnalysisError::Parameter(format!("the value of {name} must be {wanted}, but got {given}"))
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, AnalysisError> {
        self.given(name).map(|value| value.as_str().ok_or_else(|| self.wrong(name, "a text"))).transpose()
    }

    pub(crate) fn flag(&self, name: &str) -> Result<bool, AnalysisError> {
        let flag = self.given(name).map(|value| value.as_bool().ok_or_else(|| self.wrong(name, "true or false")));
        Ok(flag.transpose()?.unwrap_or(false))
    }

    pub(crate) fn whole(&self, name: &str) -> Result<Option<i64>, AnalysisError> {
        self.given(name).map(|value| value.as_i64().ok_or_else(|| self.wrong(name, "a whole number"))).transpose()
    }

    pub(crate) fn float(&self, name: &str) -> Result<Option<f64>, AnalysisError> {
        self.given(name).map(|value| value.as_f64().ok_or_else(|| self.wrong(name, "a number"))).transpose()
    }

    pub(crate) fn count(&self, name: &str) -> Result<Option<usize>, AnalysisError> {
        let wanted = "a whole number of 0 or more";
        let size = |value: &Json| value.as_u64().and_then(|value| usize::try_from(value).ok());
        self.given(name).map(|value| size(value).ok_or_else(|| self.wrong(name, wanted))).transpose()
    }

    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, AnalysisError> {
        let wrong = || self.wrong(name, "a text or a list of texts");
        match self.given(name) {
            None => Ok(Vec::new()),
            Some(Json::String(text)) => Ok(vec![text.clone()]),
            Some(Json::Array(texts)) => {
                texts.iter().map(|text| text.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
            }
            Some(_) => Err(wrong()),
        }
    }
}
