//! Reports that are tables only, in the look of the others: for measurements that are no load tests of a server.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::markup::{STYLE, table_markup};
use super::wrap::wrap;
use crate::table::{Grid, markdown_cell};

/// A report.
#[derive(Clone, Debug, Default)]
pub struct TableReport {
    /// What was measured.
    pub title: String,
    /// What was tested and how: names and values. The one named "Command" is shown as code.
    pub facts: Vec<(&'static str, String)>,
    /// The tables, in order.
    pub sections: Vec<TableSection>,
    /// What stands above everything if the run was ended early.
    pub warning: Option<String>,
}

/// A table and what it needs to be read.
#[derive(Clone, Debug, Default)]
pub struct TableSection {
    /// Its heading.
    pub title: String,
    /// What the columns mean.
    pub lead: String,
    /// The table.
    pub grid: Grid,
    /// What else must be known.
    pub notes: Vec<String>,
}

impl TableReport {
    /// For a terminal.
    #[must_use]
    pub fn to_terminal(&self) -> String {
        let mut text = format!("{}\n\n", self.title);
        let width = self.facts.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        for (name, value) in &self.facts {
            text += &format!("{name:width$}  {value}\n");
        }
        if let Some(line) = &self.warning {
            text += &format!("\n{line}\n");
        }
        for section in &self.sections {
            text += &format!("\n{}\n{}\n", section.title, section.grid.to_terminal());
            for line in std::iter::once(&section.lead).chain(&section.notes).filter(|line| !line.is_empty()) {
                text += &format!("{line}\n");
            }
        }
        text
    }

    /// For Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n", markdown_cell(&self.title));
        for (name, value) in &self.facts {
            let value = if *name == "Command" {
                format!("`{}`", value.replace(['`', '\n'], " "))
            } else {
                markdown_cell(value)
            };
            text += &format!("- {name}: {value}\n");
        }
        if let Some(line) = &self.warning {
            text += &format!("\n**{}**\n", markdown_cell(line));
        }
        for section in &self.sections {
            text += &format!("\n## {}\n\n", markdown_cell(&section.title));
            if !section.lead.is_empty() {
                text += &format!("{}\n\n", markdown_cell(&section.lead));
            }
            text += &section.grid.to_markdown();
            if !section.notes.is_empty() {
                text.push('\n');
            }
            for note in &section.notes {
                text += &format!("- {}\n", markdown_cell(note));
            }
        }
        wrap(&text)
    }

    /// The page: one file that loads nothing.
    #[must_use]
    pub fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        h1 { (self.title) }
                        div.facts {
                            dl {
                                @for (name, value) in &self.facts {
                                    dt { (name) }
                                    dd { @if *name == "Command" { code { (value) } } @else { (value) } }
                                }
                            }
                        }
                        @if let Some(line) = &self.warning { p.warning { (line) } }
                    }
                    main { @for section in &self.sections { (section_markup(section)) } }
                }
            }
        };
        page.into_string()
    }
}

fn section_markup(section: &TableSection) -> Markup {
    html! {
        section {
            h2 { (section.title) }
            @if !section.lead.is_empty() { p.lead { (section.lead) } }
            (table_markup(&section.grid, &section.title))
            @if !section.notes.is_empty() { ul.notes { @for note in &section.notes { li { (note) } } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn report(text: &str) -> TableReport {
        let grid = Grid {
            headers: vec!["a".to_owned(), "b".to_owned()],
            rows: vec![vec![text.to_owned(), "1".to_owned()]],
            marked: None,
            text_columns: 1,
        };
        let section =
            TableSection { title: text.to_owned(), lead: text.to_owned(), grid, notes: vec![text.to_owned()] };
        let facts = vec![("Machine", text.to_owned()), ("Command", text.to_owned())];
        TableReport { title: text.to_owned(), facts, sections: vec![section], warning: Some(text.to_owned()) }
    }

    #[test]
    fn all_forms_have_everything() {
        let report = report("some text");
        assert_eq!(report.to_terminal().matches("some text").count(), 8);
        assert_eq!(report.markdown().matches("some text").count(), 8);
        assert!(report.markdown().contains("- Command: `some text`\n"));
        // Title and heading twice: as the page's title and as the caption of the table.
        assert_eq!(report.html().matches("some text").count(), 10);
    }

    proptest! {
        #[test]
        fn no_text_becomes_an_element(text in "(?s).*[<>&\"'].*") {
            prop_assert_eq!(report(&text).html().matches('<').count(), report("plain").html().matches('<').count());
        }
    }
}
