//! What a function is: its name, what it takes, what it gives.

use crate::aggregate::Aggregate;
use crate::context::Context;
use crate::error::{Detail, Error, Result};
use crate::types::Types;
use crate::value::Value;

/// What a function does.
#[derive(Clone, Copy)]
pub enum Body {
    /// Computes a value of values.
    Scalar(fn(&[Value], &Context<'_>) -> Result<Value>),
    /// Puts the values of many rows together.
    Aggregate(Aggregate),
}

/// A function.
pub struct Function {
    /// Its name, as it is usually written.
    pub name: &'static str,
    /// Its arguments: names and types, those that may be missing last.
    pub arguments: &'static [(&'static str, Types)],
    /// How many arguments must be given.
    pub required: usize,
    /// Whether the last argument may come again and again.
    pub is_variadic: bool,
    /// Whether it gives null where an argument is null, without being called.
    pub is_strict: bool,
    /// Whether it gives the same for the same arguments in one statement.
    pub is_deterministic: bool,
    /// The types of its results, beside null.
    pub result: Types,
    /// The chapter of the manual it is in, such as `Mathematical`.
    pub category: &'static str,
    /// What it gives.
    pub description: &'static str,
    /// What it does.
    pub body: Body,
}

impl Function {
    /// Whether it takes so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        count >= self.required && (self.is_variadic || count <= self.arguments.len())
    }

    /// The types that it takes at a position from 0; none beyond its arguments.
    pub fn argument(&self, position: usize) -> Option<Types> {
        let last = self.arguments.last().filter(|_| self.is_variadic);
        self.arguments.get(position).or(last).map(|(_, types)| *types)
    }

    /// Its signature, such as `left(original :: STRING, length :: INTEGER) :: STRING`.
    pub fn signature(&self) -> String {
        let arguments: Vec<_> = self.arguments.iter().map(|(name, types)| format!("{name} :: {types}")).collect();
        format!("{}({}) :: {}", self.name, arguments.join(", "), self.result)
    }

    /// The aggregate that it is, if it is one.
    pub fn aggregate(&self) -> Option<Aggregate> {
        match self.body {
            Body::Aggregate(aggregate) => Some(aggregate),
            Body::Scalar(_) => None,
        }
    }

    /// Calls it.
    ///
    /// # Errors
    ///
    /// A syntax error for a wrong number of arguments and for aggregates, a type error for arguments of wrong types,
    /// and what the function itself refuses.
    pub fn call(&self, arguments: &[Value], context: &Context<'_>) -> Result<Value> {
        let Body::Scalar(body) = self.body else {
            let message = format!("{}() puts rows together and cannot be called with values", self.name);
            return Err(Error::syntax(Detail::InvalidAggregation, message));
        };
        if !self.takes(arguments.len()) {
            return Err(self.count_error(arguments.len()));
        }
        if self.is_strict && arguments.iter().any(Value::is_null) {
            return Ok(Value::Null);
        }
        for (position, argument) in arguments.iter().enumerate() {
            let types = self.argument(position).unwrap_or(Types::ANY);
            if !types.takes(argument) {
                return Err(self.type_error(position, argument.type_name()));
            }
        }
        body(arguments, context)
    }

    /// The error of a wrong number of arguments.
    pub fn count_error(&self, found: usize) -> Error {
        let expected = match (self.required, self.arguments.len()) {
            (least, _) if self.is_variadic => format!("at least {least}"),
            (least, most) if least == most => format!("{most}"),
            (least, most) => format!("{least} to {most}"),
        };
        Error::syntax(
            Detail::InvalidNumberOfArguments,
            format!("{}() takes {expected} arguments, found {found}: {}", self.name, self.signature()),
        )
    }

    /// The error of an argument of a wrong type.
    fn type_error(&self, position: usize, found: &str) -> Error {
        let expected = self.argument(position).unwrap_or(Types::ANY);
        Error::type_error(
            Detail::InvalidArgumentValue,
            format!("{}() expects {expected} as argument {}, found {found}", self.name, position + 1),
        )
    }
}
