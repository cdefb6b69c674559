//! Cypher's texts and values. Whatever text comes for a query, it is read and checked, or refused. Whatever text comes
//! for a time, it is read or refused, and what was read is printed as a text that reads the same.

use cypher::{Arity, Callables, Signature, check, parse};
use cypher_value::{Carried, Context, Value, function, to_text};

/// A text: as a day, a time, a moment and a length of time.
pub(crate) fn cypher_temporal(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let context = Context::new(&Carried);
    for name in ["date", "localtime", "time", "localdatetime", "datetime", "duration"] {
        let read = function::find(name).expect("a function of the language");
        let Ok(value) = read.call(&[Value::from(text)], &context) else { continue };
        let printed = to_text(&value).expect("a value with a text");
        assert_eq!(read.call(&[Value::String(printed.clone())], &context).as_ref(), Ok(&value), "{printed}");
    }
}

/// Functions of any number of arguments, one procedure.
struct Known;

impl Callables for Known {
    fn function(&self, _: &str) -> Option<Arity> {
        Some(Arity { min: 0, max: usize::MAX })
    }

    fn procedure(&self, name: &str) -> Option<Signature> {
        let columns = vec![("x".to_owned(), cypher::Type::Any)];
        (name == "p").then_some(Signature { arguments: Vec::new(), columns, is_write: false })
    }
}

/// A text: as a query.
pub(crate) fn cypher_text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(error) = parse(text).and_then(|statement| check(&statement, &Known)) {
        assert!(!error.placed(text).message.is_empty());
    }
}
