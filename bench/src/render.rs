//! Tables of records, as text for a terminal and as Markdown for a page.
//!
//! A [`Layout`] says which rows of a run share a table and which share a line, and what
//! stands in each column.

use crate::record::Row;

/// A way to show rows as tables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The title of each table: `{field}` is replaced by that field of its first row.
    pub(crate) title: &'static str,
    /// Rows that differ in one of these fields are in different tables.
    pub(crate) tables: &'static [&'static str],
    /// Rows that differ in one of these fields are in different lines.
    pub(crate) lines: &'static [&'static str],
    pub(crate) columns: &'static [Column],
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    heading: &'static str,
    /// The row of a line that it shows: the first with this text in this field. A column
    /// for which a table has no row at all is left out. Without, the first row of a line.
    of: Option<(&'static str, &'static str)>,
    is_left: bool,
    cell: Cell,
}

/// The content of a column's cells. Where a row has none of it, the cell is `-`.
#[derive(Debug, Clone, Copy)]
enum Cell {
    /// A field as it is, with spaces for underscores.
    Word(&'static str),
    /// Nanoseconds, in microseconds with two decimals.
    Micros(&'static str),
    /// A number with so many decimals.
    Number(&'static str, usize),
    /// A figure with its least and greatest value, with so many decimals.
    Spread(&'static str, usize),
    /// Something else.
    Of(fn(&Row) -> Option<String>),
}

impl Column {
    const fn new(heading: &'static str, is_left: bool, cell: Cell) -> Self {
        Self {
            heading,
            of: None,
            is_left,
            cell,
        }
    }

    /// A field as it is.
    pub(crate) const fn word(heading: &'static str, field: &'static str) -> Self {
        Self::new(heading, true, Cell::Word(field))
    }

    /// A field of nanoseconds, in microseconds.
    pub(crate) const fn micros(heading: &'static str, field: &'static str) -> Self {
        Self::new(heading, false, Cell::Micros(field))
    }

    /// A number with so many decimals.
    pub(crate) const fn number(
        heading: &'static str,
        field: &'static str,
        decimals: usize,
    ) -> Self {
        Self::new(heading, false, Cell::Number(field, decimals))
    }

    /// A figure with its spread, with so many decimals.
    pub(crate) const fn spread(
        heading: &'static str,
        field: &'static str,
        decimals: usize,
    ) -> Self {
        Self::new(heading, true, Cell::Spread(field, decimals))
    }

    /// The text that a function makes of a row.
    pub(crate) const fn with(heading: &'static str, text: fn(&Row) -> Option<String>) -> Self {
        Self::new(heading, false, Cell::Of(text))
    }

    /// The same of the row of a line that has this text in this field.
    pub(crate) const fn of(mut self, field: &'static str, text: &'static str) -> Self {
        self.of = Some((field, text));
        self
    }

    /// The same, with cells that begin where the heading does.
    pub(crate) const fn left(mut self) -> Self {
        self.is_left = true;
        self
    }

    fn shows(&self, row: &Row) -> bool {
        self.of.is_none_or(|(field, text)| row.is(field, text))
    }

    fn text(&self, line: &[&Row]) -> String {
        let row = line.iter().find(|row| self.shows(row));
        let text = row.and_then(|row| self.cell.text(row));
        text.unwrap_or_else(|| "-".to_owned())
    }
}

impl Cell {
    fn text(&self, row: &Row) -> Option<String> {
        match *self {
            Self::Word(field) => Some(row.text(field).replace('_', " ")),
            Self::Micros(field) => row.number(field).map(microseconds),
            Self::Number(field, decimals) => row.number(field).map(|it| format!("{it:.decimals$}")),
            Self::Spread(field, decimals) => {
                row.get_spread(field).map(|it| format!("{it:.decimals$}"))
            }
            Self::Of(text) => text(row),
        }
    }
}

/// A table to be shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub(crate) title: String,
    /// Headings, and whether the cells below begin where they do.
    columns: Vec<(&'static str, bool)>,
    lines: Vec<Vec<String>>,
}

impl Layout {
    /// The tables of these rows.
    pub(crate) fn tables(&self, rows: &[Row]) -> Vec<Table> {
        let rows: Vec<&Row> = rows.iter().collect();
        let tables = grouped(&rows, self.tables).into_iter();
        tables.map(|rows| self.table(&rows)).collect()
    }

    /// The tables as text, each with its title before and a blank line behind it.
    pub(crate) fn text(&self, rows: &[Row]) -> String {
        let tables = self.tables(rows).into_iter();
        let shown = tables.map(|table| format!("{}{}\n", table.title_line(), table.text()));
        shown.collect()
    }

    fn table(&self, rows: &[&Row]) -> Table {
        let is_there = |column: &&Column| rows.iter().any(|row| column.shows(row));
        let columns: Vec<&Column> = self.columns.iter().filter(is_there).collect();
        let lines = grouped(rows, self.lines).into_iter();
        let line = |line: Vec<&Row>| columns.iter().map(|column| column.text(&line)).collect();
        Table {
            title: rows.first().map(|row| self.title(row)).unwrap_or_default(),
            lines: lines.map(line).collect(),
            columns: columns.iter().map(|it| (it.heading, it.is_left)).collect(),
        }
    }

    fn title(&self, row: &Row) -> String {
        let mut parts = self.title.split('{');
        let mut title = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (field, rest) = part.split_once('}').unwrap_or((part, ""));
            title += &row.text(field);
            title += rest;
        }
        title
    }
}

/// Rows that have the same in all of these fields together, in the order of the first of
/// each group.
fn grouped<'a>(rows: &[&'a Row], fields: &[&str]) -> Vec<Vec<&'a Row>> {
    let mut groups: Vec<(Vec<String>, Vec<&Row>)> = Vec::new();
    for &row in rows {
        let key: Vec<_> = fields.iter().map(|field| row.text(field)).collect();
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

impl Table {
    fn title_line(&self) -> String {
        match self.title.is_empty() {
            true => String::new(),
            false => format!("{}\n", self.title),
        }
    }

    /// The table for a terminal, columns aligned.
    pub(crate) fn text(&self) -> String {
        let headings = self
            .columns
            .iter()
            .map(|(heading, _)| (*heading).to_owned());
        let lines: Vec<Vec<String>> = std::iter::once(headings.collect())
            .chain(self.lines.iter().cloned())
            .collect();
        let mut text = String::new();
        for line in &lines {
            let mut shown = String::new();
            for (place, (cell, (_, is_left))) in line.iter().zip(&self.columns).enumerate() {
                let cells = lines.iter().map(|line| line[place].chars().count());
                let width = cells.max().unwrap_or(0);
                shown += &match is_left {
                    true => format!("  {cell:width$}"),
                    false => format!("  {cell:>width$}"),
                };
            }
            text += shown.trim_end();
            text.push('\n');
        }
        text
    }

    /// The table in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|(heading, _)| *heading).collect());
        for (_, is_left) in &self.columns {
            text += if *is_left { "|---" } else { "|--:" };
        }
        text += "|\n";
        for cells in &self.lines {
            text += &line(cells.iter().map(String::as_str).collect());
        }
        text
    }
}

/// Nanoseconds in microseconds, rounded to two decimals.
pub(crate) fn microseconds(ns: f64) -> String {
    // Halves are rounded up.
    format!("{:.2}", (ns / 10.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Spread;

    const LAYOUT: Layout = Layout {
        title: "{bench} in mode {mode}:",
        tables: &["mode"],
        lines: &["system"],
        columns: &[
            Column::word("system", "system"),
            Column::micros("median µs", "median_ns").of("way", "call"),
            Column::number("flood", "share", 1).of("way", "flood"),
            Column::number("never", "share", 1).of("way", "never"),
            Column::spread("× raw", "ratio", 3),
        ],
    };

    fn rows() -> Vec<Row> {
        let row = |mode: &str, system: &str, way: &str| {
            let row = Row::new().with("bench", "ping").with("mode", mode);
            row.with("system", system).with("way", way)
        };
        let ratio = Spread::of([1.0, 1.0604, 1.2]);
        vec![
            row("same", "raw_sockets", "call").with("median_ns", 12_496),
            row("split", "taut", "call").with("median_ns", 9),
            row("same", "raw_sockets", "flood").with("share", 0.96),
            row("same", "taut", "call").spread("ratio", ratio),
        ]
    }

    #[test]
    fn rows_share_tables_and_lines_by_their_fields() {
        let expected = [
            "ping in mode same:",
            "  system       median µs  flood  × raw",
            "  raw sockets      12.50    1.0  -",
            "  taut                 -      -  1.060 (1.000-1.200)",
            "",
            "ping in mode split:",
            "  system  median µs  × raw",
            "  taut         0.01  -",
            "",
            "",
        ];
        assert_eq!(LAYOUT.text(&rows()), expected.join("\n"));
    }

    #[test]
    fn a_page_has_the_same_cells() {
        let expected = "| system | median µs | × raw |\n|---|--:|---|\n| taut | 0.01 | - |\n";
        assert_eq!(LAYOUT.tables(&rows())[1].markdown(), expected);
    }

    #[test]
    fn microseconds_have_two_decimals() {
        let shown = [12_496.0, 104_005.0, 9.0, 4.0].map(microseconds);
        assert_eq!(shown, ["12.50", "104.01", "0.01", "0.00"]);
    }
}
