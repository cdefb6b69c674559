//! What all pages have: the style, and how a table looks.

use maud::{Markup, html};

use crate::table::Grid;

/// The style of all pages.
pub(super) const STYLE: &str = include_str!("style.css");

/// A table for the page; it scrolls sideways where the page is narrow.
pub(super) fn table_markup(grid: &Grid, caption: &str) -> Markup {
    html! {
        div.table tabindex="0" {
            table {
                caption { (caption) }
                thead {
                    tr {
                        @for (index, header) in grid.headers.iter().enumerate() {
                            th.text[index < grid.text_columns] scope="col" { (header) }
                        }
                    }
                }
                tbody {
                    @for (index, row) in grid.rows.iter().enumerate() {
                        tr.marked[grid.marked == Some(index)] {
                            @for (index, cell) in row.iter().enumerate() {
                                td.text[index < grid.text_columns] { (cell) }
                            }
                        }
                    }
                }
            }
        }
    }
}
