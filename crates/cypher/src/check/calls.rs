//! Functions whose arguments' types are known: what they refuse, what they answer.

use super::Type;
use super::scope::wrong_type;
use crate::ast::Expr;
use crate::error::Result;

/// The type of a function's result.
///
/// # Errors
/// An argument of a type that is known and not taken.
pub(super) fn result(name: &str, types: &[Type], arguments: &[Expr]) -> Result<Type> {
    use Type::{Any, Boolean, Float, Integer, List, Map, Node, Null, Number, Path, Relationship, String};
    let first = types.first().unwrap_or(&Null);
    let wanted: Option<(&str, bool)> = match name {
        "labels" => Some(("Node", matches!(first, Node))),
        "type" | "startnode" | "endnode" => Some(("Relationship", matches!(first, Relationship))),
        "length" | "nodes" | "relationships" => Some(("Path", matches!(first, Path))),
        "size" => Some(("String or List", matches!(first, String | List(_)))),
        "properties" => Some(("Map, Node or Relationship", matches!(first, Map | Node | Relationship))),
        _ => None,
    };
    if let (Some((wanted, false)), Some(argument)) = (wanted, arguments.first())
        && !matches!(first, Any | Null)
    {
        return Err(wrong_type(argument.span, wanted, first));
    }
    Ok(match name {
        "labels" | "keys" | "split" => List(Box::new(String)),
        "type" | "tostring" | "replace" | "substring" | "left" | "right" | "trim" | "ltrim" | "rtrim" | "elementid"
        | "tolower" | "toupper" | "lower" | "upper" => String,
        "length" | "size" | "count" | "id" | "timestamp" => Integer,
        "nodes" => List(Box::new(Node)),
        "relationships" => List(Box::new(Relationship)),
        "properties" => Map,
        "startnode" | "endnode" => Node,
        "range" => List(Box::new(Integer)),
        "collect" => List(Box::new(first.clone())),
        "reverse" | "tail" if matches!(first, List(_)) => first.clone(),
        "min" | "max" => first.clone(),
        "head" | "last" => match first {
            List(item) => (**item).clone(),
            _ => Any,
        },
        "exists" | "isempty" | "isnan" => Boolean,
        "rand" | "pi" | "e" | "sqrt" | "sin" | "cos" | "tan" | "log" | "exp" => Float,
        "abs" if matches!(first, Integer | Float | Number) => first.clone(),
        _ => Any,
    })
}
