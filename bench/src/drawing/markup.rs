//! Elements of a page: always closed, and what is text stays text.

use std::fmt;

/// Elements that have no end in HTML.
const VOID: [&str; 2] = ["meta", "br"];

/// An element with its attributes and what is in it.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    content: Vec<Node>,
}

#[derive(Debug, Clone)]
enum Node {
    Element(Element),
    Text(String),
}

/// An empty element.
pub(crate) fn element(name: &'static str) -> Element {
    Element {
        name,
        attributes: Vec::new(),
        content: Vec::new(),
    }
}

/// An element of a class that the style sheet knows.
pub(crate) fn classed(name: &'static str, class: impl Into<String>) -> Element {
    element(name).with("class", class.into())
}

impl Element {
    /// Adds an attribute.
    pub(crate) fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// Adds text.
    pub(crate) fn text(mut self, text: impl Into<String>) -> Self {
        self.content.push(Node::Text(text.into()));
        self
    }

    /// Adds an element.
    pub(crate) fn child(mut self, child: Self) -> Self {
        self.content.push(Node::Element(child));
        self
    }

    /// Adds elements.
    pub(crate) fn children(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.content.extend(children.into_iter().map(Node::Element));
        self
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}", self.name)?;
        for (name, value) in &self.attributes {
            write!(f, " {name}=\"{}\"", escaped(value))?;
        }
        if VOID.contains(&self.name) {
            return f.write_str("/>");
        }
        f.write_str(">")?;
        for node in &self.content {
            match node {
                Node::Element(element) => element.fmt(f)?,
                Node::Text(text) => f.write_str(&escaped(text))?,
            }
        }
        write!(f, "</{}>", self.name)?;
        // Lines, for those who read the source.
        match self.name {
            "svg" | "section" | "tr" | "p" | "style" | "head" | "figure" => f.write_str("\n"),
            _ => Ok(()),
        }
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let shown = classed("b", "a\"b")
            .text("1 < 2 & 3 > 2")
            .child(element("br"));
        assert_eq!(
            shown.to_string(),
            "<b class=\"a&quot;b\">1 &lt; 2 &amp; 3 &gt; 2<br/></b>"
        );
    }

    #[test]
    fn elements_without_content_are_closed() {
        let cells = [element("td"), element("td").text("x")];
        let row = element("tr").children(cells);
        assert_eq!(row.to_string(), "<tr><td></td><td>x</td></tr>\n");
    }
}
