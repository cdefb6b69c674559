//! An HTTP API described as data, and written as an OpenAPI 3.1 document.
//!
//! What it is: the words for operations ([`Operation`], [`Shape`], [`Field`]), all `const`, so that a description is a
//! table of constants next to the handler it describes; and [`Api::document_json`], which makes a document of them.
//! What it is not: it serves nothing and knows no API of ours.

mod document;
mod operation;

pub use document::{Api, Area, Described, Login, LoginScheme, Scope};
pub use operation::{Answer, Body, Field, Operation, Shape, may, must};
