//! Values of properties.

use compact_str::CompactString;
use graph_model::{Cardinality, DataType, Value};

use crate::bytes::{Read, Reader};
use crate::limits::ITEMS_RESERVED_MAX;

/// The type of a code.
pub(crate) fn data_type(code: u8) -> Option<DataType> {
    Some(match code {
        1 => DataType::Object,
        2 => DataType::Boolean,
        3 => DataType::Byte,
        4 => DataType::Int,
        5 => DataType::Long,
        6 => DataType::Float,
        7 => DataType::Double,
        8 => DataType::Text,
        9 => DataType::Blob,
        10 => DataType::Date,
        11 => DataType::Uuid,
        _ => return None,
    })
}

/// Reads the value of a key.
pub(crate) fn property(reader: &mut Reader<'_>, data_type: DataType, cardinality: Cardinality) -> Read<Value> {
    if cardinality == Cardinality::Single {
        return single(reader, data_type);
    }
    let count = reader.count()?;
    let mut items = Vec::with_capacity(count.min(ITEMS_RESERVED_MAX));
    for _ in 0..count {
        items.push(single(reader, data_type)?);
    }
    Ok(if cardinality == Cardinality::Set { Value::Set(items) } else { Value::List(items) })
}

fn single(reader: &mut Reader<'_>, data_type: DataType) -> Read<Value> {
    Ok(match data_type {
        DataType::Any => return Err("HugeGraph has no values of every type"),
        DataType::Object => {
            return Err("a value of the type OBJECT is written in a form of Java's that is not read here: migrate \
                        with --from URL");
        }
        DataType::Boolean => Value::Boolean(reader.vint()? == 1),
        DataType::Byte => Value::Byte(i8::try_from(reader.vint()?).map_err(|_| "a BYTE is out of range")?),
        DataType::Int => Value::Int(reader.vint()?),
        DataType::Long => Value::Long(reader.vlong()?),
        DataType::Float => Value::Float(f32::from_be_bytes(reader.array()?)),
        DataType::Double => Value::Double(f64::from_be_bytes(reader.array()?)),
        DataType::Text => Value::Text(CompactString::from(reader.text()?)),
        DataType::Blob => Value::Blob(reader.bytes()?.into()),
        DataType::Date => Value::Date(reader.vlong()?),
        DataType::Uuid => Value::Uuid(u128::from_be_bytes(reader.array()?)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Layout;
    use crate::bytes::tests::hex;

    fn read(digits: &str, data_type: DataType, cardinality: Cardinality) -> Read<Value> {
        let bytes = hex(digits);
        let mut reader = Reader::new(&bytes, Layout::New);
        let value = property(&mut reader, data_type, cardinality)?;
        reader.end()?;
        Ok(value)
    }

    #[test]
    fn values_as_hugegraph_writes_them() {
        use Cardinality::{List, Set, Single};
        assert_eq!(read("01", DataType::Boolean, Single), Ok(Value::Boolean(true)));
        assert_eq!(read("8fffffff00", DataType::Byte, Single), Ok(Value::Byte(-128)));
        assert_eq!(read("8fff85f700", DataType::Int, Single), Ok(Value::Int(-2_000_000)));
        assert_eq!(read("81fff790a2aefae3a000", DataType::Long, Single), Ok(Value::Long(-4_995_000_000_000_000)));
        assert_eq!(read("3fd0000000000000", DataType::Double, Single), Ok(Value::Double(0.25)));
        assert_eq!(read("3eaaaaab", DataType::Float, Single), Ok(Value::Float(1.0 / 3.0)));
        assert_eq!(read("03616e6e", DataType::Text, Single), Ok(Value::Text("ann".into())));
        assert_eq!(read("02fe5f", DataType::Blob, Single), Ok(Value::Blob([0xfe, 0x5f].into())));
        assert_eq!(
            read("0201610162", DataType::Text, Set),
            Ok(Value::Set(vec![Value::Text("a".into()), Value::Text("b".into())]))
        );
        assert_eq!(read("00", DataType::Uuid, List), Ok(Value::List(Vec::new())));
        assert!(read("80808001", DataType::Text, Single).is_err());
        assert!(read("8100", DataType::Byte, Single).is_err(), "128");
        assert!(read("00", DataType::Object, Single).unwrap_err().contains("--from"));
    }
}
