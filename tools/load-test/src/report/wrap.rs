//! Markdown with lines of at most [`COLUMNS`] characters, so that a report can be read and reviewed as text.

/// Longest line, unless it is a table row, a heading or a single word.
const COLUMNS: usize = 120;

/// Breaks the paragraphs and list items of a text; each is one line of it.
pub(super) fn wrap(text: &str) -> String {
    let mut wrapped = String::with_capacity(text.len() + text.len() / COLUMNS);
    for line in text.lines() {
        if line.starts_with(['|', '#']) || line.chars().count() <= COLUMNS {
            wrapped.push_str(line);
        } else {
            wrap_line(line, &mut wrapped);
        }
        wrapped.push('\n');
    }
    wrapped
}

fn wrap_line(line: &str, wrapped: &mut String) {
    let indent = if line.starts_with("- ") { "  " } else { "" };
    let mut columns = 0;
    for (index, word) in line.split(' ').enumerate() {
        let width = word.chars().count();
        if index == 0 {
            columns = width;
        } else if columns + 1 + width > COLUMNS && !begins_block(word) {
            wrapped.push('\n');
            wrapped.push_str(indent);
            columns = indent.len() + width;
        } else {
            wrapped.push(' ');
            columns += 1 + width;
        }
        wrapped.push_str(word);
    }
}

/// Whether a word at the beginning of a line would be markup: of a list, a heading, a quotation or a table.
fn begins_block(word: &str) -> bool {
    let is_mark = word.chars().all(|c| "-+*=#_".contains(c));
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    is_mark || word.starts_with(['>', '|', '~']) || word.starts_with("```") || [".", ")"].contains(&number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn items_continue_with_an_indent() {
        let text = format!("# {0}\n\n- {0}\n", "word ".repeat(30).trim_end());
        let wrapped = wrap(&text);
        let lines: Vec<_> = wrapped.lines().collect();
        assert_eq!(lines.len(), 4, "{wrapped}");
        assert!(lines[2].starts_with("- word ") && lines[2].len() <= COLUMNS, "{wrapped}");
        assert!(lines[3].starts_with("  word "), "{wrapped}");
    }

    #[test]
    fn tables_stay() {
        let row = format!("| {} |\n", "cell ".repeat(40));
        assert_eq!(wrap(&row), row);
    }

    proptest! {
        #[test]
        fn only_spaces_become_line_breaks(words in prop::collection::vec("[a-z0-9.)#|>*=+-]{0,40}", 1..40)) {
            let line = format!("A {}", words.join(" "));
            let wrapped = wrap(&line);
            prop_assert_eq!(wrapped.trim_end_matches('\n').replace('\n', " "), line);
            for line in wrapped.lines().skip(1) {
                prop_assert!(!begins_block(line.split(' ').next().unwrap_or_default()), "{wrapped}");
            }
        }
    }
}
