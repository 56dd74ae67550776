//! Throughput against the size of the buffers, a picture for each type.

use super::plot::{Plot, SYSTEMS};
use crate::drawing::markup::{Element, element};
use crate::drawing::scale::round_up;
use crate::goals::kind::{Element as Type, Kind};
use crate::goals::result::{Figures, RowResult};
use crate::system::System;

/// A picture for each type that was sent, all with the same axes.
pub(super) fn pictures(floods: &[&RowResult]) -> Vec<Element> {
    let figures = floods.iter().flat_map(|flood| {
        let gb_s = |it| gb_s(flood, it);
        flood.figures.iter().filter_map(gb_s)
    });
    let top = round_up(figures.fold(1e-3, f64::max));
    let types = Type::ALL.into_iter();
    types.filter_map(|of| picture(of, floods, top)).collect()
}

/// The curves of a type; none when it was not sent.
fn picture(of: Type, floods: &[&RowResult], top: f64) -> Option<Element> {
    let points: Vec<_> = (floods.iter())
        .filter_map(|flood| match flood.row.kind {
            Kind::Flood {
                element, octets, ..
            } if element == of => Some((octets, *flood)),
            _ => None,
        })
        .collect();
    let (least, most) = (points.first()?.0, points.last()?.0);
    let curve = |system: System| {
        let point = |(octets, flood): &(u32, &RowResult)| {
            Some((f64::from(*octets), gb_s(flood, flood.figures(system)?)?))
        };
        (system, points.iter().filter_map(point).collect())
    };
    let tick = |(place, (octets, _)): (usize, &(u32, &RowResult))| {
        let text = match (octets / 1_024, place + 1 == points.len()) {
            (kib, true) => format!("{kib} KiB"),
            (kib, false) => kib.to_string(),
        };
        (f64::from(*octets), text)
    };
    let ticks: Vec<_> = points.iter().enumerate().map(tick).collect();
    let svg = Plot::new((least.into(), most.into()), top).draw(
        &format!("throughput of {}", title(of)),
        "GB/s",
        &ticks,
        &SYSTEMS.map(curve),
    );
    let caption = element("figcaption")
        .child(element("b").text(title(of)))
        .child(element("span").text(goals(&points)));
    Some(element("figure").child(caption).child(svg))
}

/// Gigabytes (10⁹ octets) of payload in a second.
fn gb_s(flood: &RowResult, figures: &Figures) -> Option<f64> {
    Some(flood.mb_s(figures)? / 1e3)
}

fn title(of: Type) -> String {
    match of {
        Type::Struct => "BinStruct".to_owned(),
        other => other.word().to_owned(),
    }
}

/// How many of the goals are met.
fn goals(points: &[(u32, &RowResult)]) -> String {
    let met = (points.iter()).filter(|(_, flood)| flood.is_met() == Some(true));
    let goal = points[0].1.row.goal;
    format!("{goal}: {} of {} sizes", met.count(), points.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::result::tests::made_up;
    use crate::goals::rows::{FLOOD_BUFFERS, Group};

    #[test]
    fn every_type_has_a_picture_with_a_curve_for_each_system() {
        let made_up = made_up();
        let floods: Vec<_> = made_up
            .iter()
            .filter(|it| it.row.group == Group::Flood)
            .collect();
        let pictures = pictures(&floods);
        assert_eq!(pictures.len(), Type::ALL.len());
        for picture in pictures {
            let picture = picture.to_string();
            assert_eq!(picture.matches("<polyline").count(), 3, "{picture}");
            assert_eq!(picture.matches("<circle").count(), 3 * FLOOD_BUFFERS.len());
            assert!(picture.contains("8 of 8 sizes"), "{picture}");
        }
    }

    #[test]
    fn what_was_not_sent_has_no_picture() {
        assert!(pictures(&[]).is_empty());
    }
}
