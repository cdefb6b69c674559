//! What a server's own metrics say about its memory.

/// The parts of the memory, as the server counts them, and the whole as the system does.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MemoryMetrics {
    /// `process_resident_memory_bytes`.
    pub(super) resident_bytes: f64,
    /// `rhizome_memory_bytes`, by part.
    pub(super) parts: Vec<(String, f64)>,
}

/// The part defined as what remains of the total.
const REST: &str = "rest";

impl MemoryMetrics {
    /// Parses them from Prometheus's text format.
    pub(super) fn parse(text: &str) -> Self {
        let mut memory = Self::default();
        for line in text.lines() {
            let Some((name, value)) = line.rsplit_once(' ') else { continue };
            let Ok(value) = value.parse::<f64>() else { continue };
            if name == "process_resident_memory_bytes" {
                memory.resident_bytes = value;
            } else if let Some(part) = name.strip_prefix("rhizome_memory_bytes{part=\"") {
                memory.parts.push((part.trim_end_matches("\"}").to_owned(), value));
            }
        }
        memory
    }

    /// The percentage of resident memory that the counted parts account for; above 100 if they exceed it.
    pub(super) fn accounted_percent(&self) -> f64 {
        let counted: f64 = self.parts.iter().filter(|(part, _)| part != REST).map(|(_, bytes)| bytes).sum();
        100.0 * counted / self.resident_bytes.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_not_accounted_for() {
        let text = "# HELP x\nprocess_resident_memory_bytes 1000\nrhizome_memory_bytes{part=\"blocks\"} 700\n\
                    # rest: what is left\nrhizome_memory_bytes{part=\"rest\"} 100\n\
                    rhizome_memory_bytes{part=\"graphs\"} 200\n";
        let memory = MemoryMetrics::parse(text);
        assert_eq!(memory.parts.len(), 3);
        assert!((memory.accounted_percent() - 90.0).abs() < 1e-9);
    }
}
