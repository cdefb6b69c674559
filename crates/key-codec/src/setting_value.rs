//! Values of settings and counters in `meta`: unsigned numbers, one after the other.

use crate::CodecError;
use crate::reader::Reader;
use crate::varint;

/// Appends numbers.
pub fn put_numbers(out: &mut Vec<u8>, numbers: &[u64]) {
    for number in numbers {
        varint::put(out, *number);
    }
}

/// Reads exactly `N` numbers.
pub fn read_numbers<const N: usize>(bytes: &[u8]) -> Result<[u64; N], CodecError> {
    let mut reader = Reader::new(bytes, "setting");
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = reader.varint()?;
    }
    reader.end()?;
    Ok(numbers)
}

/// Reads numbers, however many there are.
pub fn read_all_numbers(bytes: &[u8]) -> Result<Vec<u64>, CodecError> {
    let mut reader = Reader::new(bytes, "setting");
    let mut numbers = Vec::new();
    while !reader.is_at_end() {
        numbers.push(reader.varint()?);
    }
    Ok(numbers)
}

/// Reads the first of several numbers: the format version, whatever a later version writes behind it.
pub fn read_first_number(bytes: &[u8]) -> Result<u64, CodecError> {
    Reader::new(bytes, "setting").varint()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        let mut bytes = Vec::new();
        put_numbers(&mut bytes, &[0, 300, u64::MAX]);
        assert_eq!(read_numbers(&bytes), Ok([0, 300, u64::MAX]));
        assert_eq!(read_all_numbers(&bytes), Ok(vec![0, 300, u64::MAX]));
        assert_eq!(read_all_numbers(&[]), Ok(vec![]));
        assert!(read_all_numbers(&bytes[..bytes.len() - 1]).is_err());
        assert!(read_numbers::<2>(&bytes).is_err());
        assert!(read_numbers::<4>(&bytes).is_err());
        assert_eq!(read_first_number(&bytes), Ok(0));
    }
}
