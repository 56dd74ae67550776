//! One page that shows all results: nothing outside of it is needed, no script runs.

mod latency;
mod plot;
mod ratios;
mod scalability;
mod share;
mod throughput;
mod units;

use std::fs;
use std::path::Path;

use super::kind::{Element as Type, Kind};
use super::others::Others;
use super::result::RowResult;
use super::rows::Group;
use crate::drawing::markup::{Element, classed, element};
use crate::error::BenchError;
use crate::machine;
use crate::placement::Mode;
use crate::system::System;

const STYLE: &str = include_str!("style.css");

/// Writes the page.
///
/// # Errors
///
/// [`BenchError::Write`].
pub(super) fn write(results: &[RowResult], others: &Others, file: &Path) -> Result<(), BenchError> {
    let page = render(results, others, &machine::description(), &machine::today());
    fs::write(file, page).map_err(|source| BenchError::Write {
        file: file.to_path_buf(),
        source,
    })
}

fn render(
    results: &[RowResult],
    others: &Others,
    machine: &[(&str, String)],
    date: &str,
) -> String {
    let floods: Vec<_> = (results.iter())
        .filter(|it| it.row.group == Group::Flood)
        .collect();
    // Floods are drawn as curves; of them the smallest buffers are listed as well.
    let listed: Vec<_> = (results.iter())
        .filter(|it| match it.row.kind {
            Kind::Flood {
                element, octets, ..
            } => element == Type::Octet && octets == 1 << 10,
            _ => true,
        })
        .collect();
    let sections = [
        section(
            "Every call beside its goal",
            "How many times the time of the same octets on bare sockets a call takes. \
             The upright mark is the goal; the bar reaches from the least to the most of all \
             rounds. What lies farther right than the scale ends in an arrow.",
            vec![ratios::table(&listed)],
        ),
        section(
            "Throughput of one-way calls",
            "Payload by the size of the buffer in each call, sender and receiver on one CPU.",
            grid("three", throughput::pictures(&floods)),
        ),
        section(
            "Latency of a call without arguments",
            "All samples of all rounds, on a logarithmic scale.",
            grid("two", latency::pictures(results)),
        ),
        section(
            "One of many servants",
            "Latency of a call without arguments by the number of objects that the server \
             has; to whom the next call goes, the title says. The level line is that of the \
             sockets alone.",
            grid("three", scalability::pictures(&others.scalability)),
        ),
        section(
            "The ORB's share of a call",
            "What probes in both programs saw: the whole round trip, and below it each step of \
             the ORB's, without the probe in it. Beside the name stands the ORB's share without \
             the probes and with them, for they overlap with what they measure.",
            grid("two", share::pictures(&others.probes)),
        ),
        section(
            "How it was measured",
            &method(results),
            vec![facts(machine)],
        ),
    ];
    let body = element("body")
        .child(header(results, date))
        .children(sections.into_iter().flatten());
    let head = element("head")
        .child(element("meta").with("charset", "utf-8"))
        .child(
            element("meta")
                .with("name", "viewport")
                .with("content", "width=device-width, initial-scale=1"),
        )
        .child(
            element("meta")
                .with("name", "color-scheme")
                .with("content", "light dark"),
        )
        .child(element("title").text("Taut beside bare sockets"))
        .child(element("style").text(STYLE));
    let html = element("html").with("lang", "en").child(head).child(body);
    format!("<!DOCTYPE html>\n{html}\n")
}

/// The one figure that says most, and how many goals are met.
fn header(results: &[RowResult], date: &str) -> Element {
    let void = (results.iter()).find(|it| it.row.kind == Kind::Void && it.row.mode == Mode::Same);
    let ratio = |system| Some(void?.figures(system)?.ratio_raw?.median);
    let mut header = element("header").child(element("h1").text("Taut beside bare sockets"));
    if let Some(taut) = ratio(System::Taut) {
        let mut claim = classed("p", "claim")
            .text("A call takes ")
            .child(classed("strong", "taut").text(format!("{taut:.2}")))
            .text(" times the time of its octets alone");
        if let Some(omniorb) = ratio(System::Omniorb) {
            claim = claim
                .text("; through omniORB, ")
                .child(classed("strong", "omniorb").text(format!("{omniorb:.2}")));
        }
        header = header.child(claim.text("."));
    }
    let met = results
        .iter()
        .filter(|it| it.is_met() == Some(true))
        .count();
    header
        .child(classed("p", "date").text(format!("{met} of {} goals met · {date}", results.len())))
}

/// A part of the page; none when there is nothing to show in it.
fn section(title: &str, text: &str, content: Vec<Element>) -> Option<Element> {
    (!content.is_empty()).then(|| {
        element("section")
            .child(element("h2").text(title))
            .child(classed("p", "lead").text(text))
            .children(content)
    })
}

fn grid(columns: &str, pictures: Vec<Element>) -> Vec<Element> {
    match pictures.is_empty() {
        true => Vec::new(),
        false => vec![classed("div", format!("pictures {columns}")).children(pictures)],
    }
}

fn method(results: &[RowResult]) -> String {
    let figures = results.iter().flat_map(|result| &result.figures);
    let rounds = figures.map(|figures| figures.rounds).min().unwrap_or(0);
    let mut text = format!(
        "Sockets and ORBs had their turns at each row {rounds} times, in one run and in \
         rotating order, each with a server and a client of its own. The sockets exchange \
         exactly as many octets as Taut's messages have, by blocking calls. A ratio is the \
         median of those within a round."
    );
    if rounds < 7 {
        text += " These are fewer rounds than one may quote: it was a trial.";
    }
    text
}

fn facts(machine: &[(&str, String)]) -> Element {
    let fact = |(what, which): &(&str, String)| {
        element("div")
            .child(element("dt").text(*what))
            .child(element("dd").text(&**which))
    };
    element("dl").children(machine.iter().map(fact))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::others;
    use crate::goals::result::tests::made_up;

    fn page(results: &[RowResult], others: &Others) -> String {
        let machine = [("processor", "Some <CPU> & more".to_owned())];
        render(results, others, &machine, "2026-01-31")
    }

    /// The names of all elements in the order of their beginning; the document has to
    /// be well-formed for that.
    fn elements(page: &str) -> Vec<String> {
        let options = roxmltree::ParsingOptions {
            allow_dtd: true,
            ..Default::default()
        };
        let document = roxmltree::Document::parse_with_options(page, options).unwrap();
        let elements = document.descendants().filter(roxmltree::Node::is_element);
        elements.map(|it| it.tag_name().name().to_owned()).collect()
    }

    #[test]
    fn the_page_is_well_formed_and_has_its_parts() {
        let results = made_up();
        let elements = elements(&page(&results, &others::tests::made_up()));
        let count = |name: &str| elements.iter().filter(|it| *it == name).count();
        assert_eq!((count("h1"), count("h2"), count("section")), (1, 6, 6));
        assert_eq!(count("table"), 1);
        // A row for the headings, one for each group, and all but 47 floods.
        assert_eq!(count("tr"), 1 + Group::ALL.len() + results.len() - 47);
        // A picture for each type; for each mode, way of waiting and transport; for each
        // order of calls; and for each kind of call that was probed.
        assert_eq!(count("figure"), 6 + 6 + 2 + 2);
        assert_eq!(count("script"), 0);
    }

    #[test]
    fn nothing_outside_of_the_page_is_needed() {
        let page = page(&made_up(), &others::tests::made_up());
        for needed in ["http:", "https:", "url(", "@import", "src=", "href="] {
            assert!(!page.contains(needed), "{needed}");
        }
        assert!(page.contains("Some &lt;CPU&gt; &amp; more"));
        // Escaped, a style sheet would mean something else.
        assert!(!STYLE.contains(['<', '>', '&', '"']));
    }

    #[test]
    fn parts_without_results_are_left_out() {
        let mut results = made_up();
        results.retain(|it| it.row.group == Group::Values);
        for result in &mut results {
            result.figures.retain(|it| it.system != System::Omniorb);
        }
        let page = page(&results, &Others::default());
        let elements = elements(&page);
        assert_eq!(elements.iter().filter(|it| *it == "figure").count(), 0);
        assert_eq!(elements.iter().filter(|it| *it == "section").count(), 2);
        assert!(page.contains("4 of 4 goals met"));
    }

    #[test]
    fn few_rounds_are_called_a_trial() {
        let page = page(&made_up(), &others::tests::made_up());
        assert!(page.contains("it was a trial"), "three rounds are few");
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let written = write(
            &made_up(),
            &Others::default(),
            Path::new("/nonexistent/page.html"),
        );
        assert!(matches!(written, Err(BenchError::Write { .. })));
    }
}
