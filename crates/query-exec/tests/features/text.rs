//! Values as one text each, the same for values that the suite calls equal; and expected values as such texts.

use query_value::{Enum, Value};

use crate::run::Names;

/// The text of a result.
pub(crate) fn of(value: &Value) -> String {
    let many = |open: &str, items: Vec<String>| format!("{open}[{}]", items.join(","));
    let sorted = |mut items: Vec<String>| {
        items.sort();
        items
    };
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Byte(n) => format!("d[{n}].b"),
        Value::Short(n) => format!("d[{n}].s"),
        Value::Int(n) => format!("d[{n}].i"),
        Value::Long(n) => format!("d[{n}].l"),
        Value::BigInteger(n) => format!("d[{n}].n"),
        Value::Float(n) => float(f64::from(*n), "f", &n.to_string()),
        Value::Double(n) => float(*n, "d", &n.to_string()),
        Value::BigDecimal(n) => format!("d[{}].m", n.normalized().to_plain_string()),
        Value::Char(c) => format!("str[{c}]"),
        Value::String(text) => format!("str[{text}]"),
        Value::Bytes(bytes) => format!("bytes[{bytes:?}]"),
        Value::Uuid(bits) => format!("uuid[{bits:032x}]"),
        Value::DateTime(moment) => {
            let since = moment.since_epoch();
            format!("dt[{}.{}]", since.seconds, since.nanoseconds)
        }
        Value::Duration(duration) => format!("duration[{duration}]"),
        Value::List(items) => many("l", items.iter().map(of).collect()),
        Value::BulkSet(items) => {
            let repeat = |(item, count): (&Value, &u64)| vec![of(item); usize::try_from(*count).unwrap()];
            many("l", items.iter().flat_map(repeat).collect())
        }
        Value::Set(items) => many("s", sorted(items.iter().map(of).collect())),
        Value::Map(map) => many("m", sorted(map.iter().map(|(k, v)| format!("{}:{}", of(k), of(v))).collect())),
        Value::Entry(pair) => format!("m[{}:{}]", of(&pair.0), of(&pair.1)),
        Value::Vertex(vertex) => format!("v[{}]", id(&vertex.id)),
        Value::Edge(edge) => format!("e[{}-{}->{}]", id(&edge.source.id), edge.label, id(&edge.target.id)),
        Value::VertexProperty(property) => format!(
            "vp[{}-{}->{}]",
            property.owner.as_ref().map(|owner| id(&owner.id)).unwrap_or_default(),
            property.key,
            of(&property.value)
        ),
        Value::Property(property) => format!("prop[{}->{}]", property.key, of(&property.value)),
        Value::Path(path) => many("p", path.objects.iter().map(of).collect()),
        Value::Enum(Enum::T(part)) => format!("t[{}]", part.name()),
        Value::Enum(constant) => format!("{}[{}]", constant.class(), constant.name()),
        other => format!("{other:?}"),
    }
}

fn id(value: &Value) -> String {
    value.as_i64().map_or_else(|| of(value), |n| n.to_string())
}

/// The text of an id, as the suite gives it.
fn id_text(value: &Value) -> Value {
    value.as_i64().map_or_else(|| value.clone(), |n| Value::from(n.to_string()))
}

fn float(n: f64, suffix: &str, shortest: &str) -> String {
    if n.is_nan() {
        "d[NaN]".to_owned()
    } else if n.is_infinite() {
        if n > 0.0 { "d[Infinity]".to_owned() } else { "d[-Infinity]".to_owned() }
    } else if n == 0.0 {
        format!("d[0].{suffix}")
    } else {
        format!("d[{shortest}].{suffix}")
    }
}

/// The value of a text of the suite; none where its elements are unknown.
pub(crate) fn parse(names: &Names, text: &str) -> Option<Value> {
    let text = text.trim();
    let inner = |open: &str, close: &str| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    if text == "null" {
        return Some(Value::Null);
    }
    if text == "true" || text == "false" {
        return Some(Value::Bool(text == "true"));
    }
    if let Some(word) = inner("d[", "]") {
        return Some(Value::Double(match word {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            other => other.parse().ok()?,
        }));
    }
    if let Some(rest) = text.strip_prefix("d[")
        && let Some((number, suffix)) = rest.split_once("].")
    {
        return Some(match suffix {
            "b" => Value::Byte(number.parse().ok()?),
            "s" => Value::Short(number.parse().ok()?),
            "i" => Value::Int(number.parse().ok()?),
            "l" => Value::Long(number.parse().ok()?),
            "f" => Value::Float(number.parse().ok()?),
            "d" => Value::Double(number.parse().ok()?),
            "n" => Value::from(number.parse::<bigdecimal::num_bigint::BigInt>().ok()?),
            _ => Value::from(number.parse::<bigdecimal::BigDecimal>().ok()?),
        });
    }
    if let Some(inner) = inner("str[", "]") {
        return Some(Value::from(inner));
    }
    if let Some(inner) = inner("dt[", "]") {
        return query_value::DateTime::parse(inner).map(Value::DateTime);
    }
    if let Some(inner) = inner("uuid[", "]") {
        return u128::from_str_radix(&inner.replace('-', ""), 16).ok().map(Value::Uuid);
    }
    if let Some(inner) = inner("t[", "]") {
        return query_value::T::from_name(inner).map(|part| Value::Enum(Enum::T(part)));
    }
    if let Some(inner) = inner("D[", "]") {
        return Enum::from_script("Direction", inner).map(Value::Enum);
    }
    if let Some(inner) = inner("M[", "]") {
        return query_value::Merge::from_name(inner).map(|part| Value::Enum(Enum::Merge(part)));
    }
    if let Some(name) = inner("v[", "].id") {
        return names.vertex(name)?.element_id().cloned();
    }
    if let Some(name) = inner("v[", "].sid") {
        return names.vertex(name)?.element_id().map(id_text);
    }
    if let Some(name) = inner("v[", "]") {
        return names.vertex(name);
    }
    if let Some(name) = inner("e[", "].id") {
        return names.edge(name)?.element_id().cloned();
    }
    if let Some(name) = inner("e[", "].sid") {
        return names.edge(name)?.element_id().map(id_text);
    }
    if let Some(name) = inner("e[", "]") {
        return names.edge(name);
    }
    if let Some(name) = inner("vp[", "]") {
        let (owner, rest) = name.split_once('-')?;
        let (key, value) = rest.split_once("->")?;
        let owner = names.vertex(owner)?.element_id()?.clone();
        return Some(Value::from(query_value::VertexProperty {
            id: Value::Null,
            key: key.into(),
            value: parse(names, value)?,
            meta: Vec::new(),
            owner: Some(std::sync::Arc::new(query_value::Reference::vertex(owner, "".into()))),
        }));
    }
    if let Some(inner) = inner("l[", "]") {
        return split(inner).into_iter().map(|item| parse(names, &item)).collect::<Option<Vec<_>>>().map(Value::from);
    }
    if let Some(inner) = inner("s[", "]") {
        return split(inner).into_iter().map(|item| parse(names, &item)).collect::<Option<Vec<_>>>().map(Value::set);
    }
    if let Some(inner) = inner("p[", "]") {
        let objects = split(inner).into_iter().map(|item| parse(names, &item)).collect::<Option<Vec<_>>>()?;
        let labels = vec![Vec::new(); objects.len()];
        return Some(Value::from(query_value::Path { objects, labels }));
    }
    if let Some(inner) = inner("m[", "]") {
        let json: serde_json::Value = serde_json::from_str(inner).ok()?;
        return of_json(names, &json);
    }
    Some(Value::from(text))
}

fn of_json(names: &Names, json: &serde_json::Value) -> Option<Value> {
    use serde_json::Value as Json;
    Some(match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(n) => i32::try_from(n).map_or(Value::Long(n), Value::Int),
            None => Value::Double(number.as_f64()?),
        },
        Json::String(text) => parse(names, text)?,
        Json::Array(items) => Value::from(items.iter().map(|item| of_json(names, item)).collect::<Option<Vec<_>>>()?),
        Json::Object(map) => {
            let pair = |(key, value): (&String, &Json)| Some((parse(names, key)?, of_json(names, value)?));
            Value::map(map.iter().map(pair).collect::<Option<Vec<_>>>()?)
        }
    })
}

/// Items between commas that are in no brackets.
fn split(text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let (mut items, mut depth, mut item) = (Vec::new(), 0, String::new());
    for character in text.chars() {
        match character {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(std::mem::take(&mut item));
                continue;
            }
            _ => {}
        }
        item.push(character);
    }
    items.push(item);
    items
}
