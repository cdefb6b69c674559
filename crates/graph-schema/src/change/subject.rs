//! What a change is about, and the checks every kind of element has: names, numbers, user data.

use graph_model::format_date;

use crate::change::{Change, ChangeRules, GraphMode, SchemaElement, SchemaKey, SchemaKind};
use crate::definition::{CREATE_TIME, UserData};
use crate::{Catalogue, SchemaError, limits};

/// The element a change is about: it makes the errors.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) kind: SchemaKind,
    pub(super) name: &'a str,
}

impl Subject<'_> {
    pub(super) fn invalid(self, reason: impl Into<String>) -> SchemaError {
        SchemaError::Invalid { kind: self.kind.name(), name: self.name.to_owned(), reason: reason.into() }
    }

    pub(super) fn not_allowed(self, reason: impl Into<String>) -> SchemaError {
        SchemaError::NotAllowed { kind: self.kind.name(), name: self.name.to_owned(), reason: reason.into() }
    }

    pub(super) fn not_supported(self, reason: impl Into<String>) -> SchemaError {
        SchemaError::NotSupported { kind: self.kind.name(), name: self.name.to_owned(), reason: reason.into() }
    }

    pub(super) fn exists(self) -> SchemaError {
        SchemaError::Exists { kind: self.kind.name(), name: self.name.to_owned() }
    }

    /// The error for an element that is not there, with a similar name as a hint.
    pub(super) fn not_found(self, catalogue: &Catalogue) -> SchemaError {
        let hint = catalogue.suggestion(self.kind, self.name);
        SchemaError::NotFound { kind: self.kind.name(), name: self.name.to_owned(), hint }
    }

    /// That clients do not make the schema of an auto graph.
    pub(super) fn made_on_write(self) -> SchemaError {
        self.not_supported(
            "the graph has schema.mode=auto: labels and property keys are made by the first write with them, hold any \
             type and stay until the graph is cleared",
        )
    }

    /// Refuses names that TinkerPop refuses, and those that are too long.
    pub(super) fn check_declared_name(self) -> Result<(), SchemaError> {
        if self.name.is_empty() || self.name.starts_with('~') {
            return Err(self.invalid("the name must not be empty nor begin with '~'"));
        }
        if self.name.chars().nth(limits::NAME_CHARS_MAX).is_some() {
            return Err(self.invalid(format!("the name must have at most {} characters", limits::NAME_CHARS_MAX)));
        }
        Ok(())
    }

    /// Refuses names HugeGraph refuses: the default of its option `schema.illegal_name_regex` and the characters ids
    /// use.
    pub(super) fn check_name(self) -> Result<(), SchemaError> {
        if self.name.is_empty() {
            return Err(self.invalid("the name must not be empty"));
        }
        if self.name.chars().nth(limits::NAME_CHARS_MAX).is_some() {
            return Err(self.invalid(format!("the name must have at most {} characters", limits::NAME_CHARS_MAX)));
        }
        if self.name.starts_with('~') {
            return Err(self.invalid("the name must not begin with '~', which marks names of the server"));
        }
        if self.name.ends_with([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']) {
            return Err(self.invalid("the name must not end with a blank"));
        }
        if let Some(forbidden) = self.name.chars().find(|c| matches!(c, '#' | '>' | ':' | '!')) {
            return Err(self.invalid(format!("the name must not contain '{forbidden}'")));
        }
        Ok(())
    }

    /// The number of a new element: the next one, or in restoring mode the given one.
    pub(super) fn number(self, catalogue: &Catalogue, id: Option<i64>, mode: GraphMode) -> Result<u32, SchemaError> {
        if catalogue.is_auto() {
            return Err(self.made_on_write());
        }
        let id = id.filter(|id| *id != 0);
        match (mode, id) {
            (GraphMode::Restoring, None) => Err(self.invalid("its id must be given in mode RESTORING")),
            (GraphMode::Restoring, Some(id)) => {
                let number = u32::try_from(id).ok().filter(|number| *number <= limits::NUMBER_MAX);
                let number = number.ok_or_else(|| {
                    self.invalid(format!("its id must be from 1 to {}, but is {id}", limits::NUMBER_MAX))
                })?;
                if catalogue.is_used(self.kind, number) {
                    return Err(self.invalid(format!("its id {number} is used already")));
                }
                Ok(number)
            }
            (_, Some(id)) => Err(self.invalid(format!("its id {id} must not be given unless the mode is RESTORING"))),
            (_, None) => Ok(catalogue.next_ids().of(self.kind)),
        }
    }

    /// The user data of a new element: as given, with the moment of creation.
    pub(super) fn new_user_data(self, given: &UserData, rules: &ChangeRules<'_>) -> Result<UserData, SchemaError> {
        self.check_user_data(given)?;
        let mut user_data = given.clone();
        if rules.mode != GraphMode::Restoring || user_data.get(CREATE_TIME).is_none() {
            user_data.set(CREATE_TIME, format!("\"{}\"", format_date(rules.now_ms, rules.zone)));
        }
        Ok(user_data)
    }

    /// Sets entries of user data.
    pub(super) fn merge_user_data(self, user_data: &mut UserData, given: &UserData) -> Result<(), SchemaError> {
        self.check_user_data(given)?;
        for (name, json) in &given.0 {
            user_data.set(name, json.clone());
        }
        Ok(())
    }

    fn check_user_data(self, given: &UserData) -> Result<(), SchemaError> {
        match given.0.iter().find(|(_, json)| json.trim() == "null") {
            Some((name, _)) => Err(self.invalid(format!("the user data entry '{name}' must not be null"))),
            None => Ok(()),
        }
    }
}

/// Removes the named entries; their values do not matter.
pub(super) fn remove_user_data(user_data: &mut UserData, given: &UserData) {
    for (name, _) in &given.0 {
        user_data.remove(name);
    }
}

impl Catalogue {
    /// The change that stores one element.
    pub(super) fn with(&self, element: SchemaElement) -> Result<Change, SchemaError> {
        let mut catalogue = self.clone();
        catalogue.put(element.clone())?;
        Ok(Change { catalogue, put: vec![element], removed: Vec::new() })
    }

    /// The change that takes elements out.
    pub(super) fn without(&self, removed: Vec<SchemaKey>) -> Change {
        let mut catalogue = self.clone();
        for key in &removed {
            catalogue.take(*key);
        }
        Change { catalogue, put: Vec::new(), removed }
    }

    /// The change that changes nothing.
    pub(super) fn unchanged(&self) -> Change {
        Change { catalogue: self.clone(), put: Vec::new(), removed: Vec::new() }
    }
}
