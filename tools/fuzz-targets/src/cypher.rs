//! Cypher's values: whatever text comes for a time, it is read or refused, and what was read is printed as a text that
//! reads the same.

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
