//! Query parameters, and configurations of graphs ([`graph_conf`]), as HugeGraph reads them. What it is not: it knows
//! no endpoint.

pub mod graph_conf;

pub mod bounds;

use std::borrow::Cow;

use openapi_document::Operation;
use rest_errors::ApiError;

/// The query part of an address.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    sent: http_server::Query<'a>,
    /// What the endpoint is described with; only in tests of the server, which check that handlers ask for nothing
    /// else.
    described: Option<&'static Operation>,
}

impl<'a> Query<'a> {
    /// The query part `text`. `described`: what the endpoint is described with, where that is to be checked.
    pub fn new(text: &'a str, described: Option<&'static Operation>) -> Self {
        Self { sent: http_server::Query::new(text), described }
    }

    #[expect(clippy::panic, reason = "only in tests of the server, to fail the request and so the test")]
    fn check_described(self, name: &str) {
        if let Some(operation) = self.described
            && !operation.query.iter().any(|field| field.name == name)
        {
            let (method, template) = (operation.method, operation.template);
            panic!(
                "{method} {template} asks for the parameter '{name}', \
                which its description (rest-description) does not have"
            );
        }
    }

    /// The values of a name, in order, decoded.
    pub fn all(self, name: &'a str) -> impl Iterator<Item = Result<Cow<'a, str>, ApiError>> {
        self.check_described(name);
        self.sent.all(name).map(|value| Ok(value?))
    }

    /// The first value of a name; `None` where the name is absent.
    pub fn one(self, name: &'a str) -> Result<Option<Cow<'a, str>>, ApiError> {
        self.all(name).next().transpose()
    }

    /// The first value of a name; `None` where it is absent or empty.
    pub fn text(self, name: &'a str) -> Result<Option<Cow<'a, str>>, ApiError> {
        Ok(self.one(name)?.filter(|value| !value.is_empty()))
    }

    /// True only for `true`, in any case: HugeGraph's reading of booleans.
    pub fn flag(self, name: &'a str, default: bool) -> Result<bool, ApiError> {
        Ok(self.text(name)?.map_or(default, |value| value.eq_ignore_ascii_case("true")))
    }

    /// A whole number.
    pub fn number(self, name: &'a str) -> Result<Option<i64>, ApiError> {
        let Some(value) = self.text(name)? else { return Ok(None) };
        match value.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => {
                Err(ApiError::bad_input(format!("'{name}' must be a whole number of 64 bits, but got '{value}'")))
            }
        }
    }

    /// A limit: `None` inside means no limit (-1).
    pub fn limit(self, default: u64) -> Result<Option<u64>, ApiError> {
        match self.number("limit")? {
            None => Ok(Some(default)),
            Some(-1) => Ok(None),
            Some(number) => match u64::try_from(number) {
                Ok(limit) => Ok(Some(limit)),
                Err(_) => {
                    Err(ApiError::bad_input(format!("'limit' must be 0 or more, or -1 for all, but got {number}")))
                }
            },
        }
    }

    /// How many elements to skip.
    pub fn offset(self) -> Result<u64, ApiError> {
        let number = self.number("offset")?.unwrap_or_default();
        u64::try_from(number).map_err(|_| ApiError::bad_input(format!("'offset' must be 0 or more, but got {number}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query<'_> {
        Query::new(text, None)
    }

    #[test]
    fn values_are_decoded() {
        let query = query("names=a%26b&x=1+2&names=c&page&flag=TRUE");
        let names: Vec<_> = query.all("names").map(Result::unwrap).collect();
        assert_eq!(names, ["a&b", "c"]);
        assert_eq!(query.one("x").unwrap().unwrap(), "1 2");
        assert_eq!(query.one("page").unwrap().unwrap(), "");
        assert_eq!(query.text("page").unwrap(), None);
        assert!(query.flag("flag", false).unwrap());
        assert!(query.flag("absent", true).unwrap());
    }

    #[test]
    fn limits_follow_the_one_rule() {
        assert_eq!(query("").limit(100).unwrap(), Some(100));
        assert_eq!(query("limit=-1").limit(100).unwrap(), None);
        assert_eq!(query("limit=0").limit(100).unwrap(), Some(0));
        assert!(query("limit=-2").limit(100).is_err());
        assert!(query("limit=abc").limit(100).is_err());
        assert!(query("offset=-1").offset().is_err());
    }
}
