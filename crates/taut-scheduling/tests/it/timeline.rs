//! Timelines as pictures and traces.

use taut_scheduling::{Options, Strategy, Task, TaskSet, Timeline, simulate};

fn timeline() -> Timeline {
    let tasks = vec![
        Task::new("fast <&\"", 5_000, 2_000),
        Task::new("slow", 7_000, 4_000),
    ];
    let set = TaskSet::from_tasks(tasks);
    simulate(&set, &Options::new(Strategy::RateMonotonic), None)
        .unwrap()
        .timeline
}

#[test]
fn a_simulation_shows_who_has_the_processor_when() {
    let timeline = timeline();
    let first: Vec<_> = timeline.slices[..4]
        .iter()
        .map(|slice| (slice.task, slice.start_ns, slice.end_ns))
        .collect();
    // The slow task misses its deadline at 7,000.
    assert_eq!(
        first,
        [
            (0, 0, 2_000),
            (1, 2_000, 5_000),
            (0, 5_000, 7_000),
            (1, 7_000, 8_000)
        ]
    );
    assert_eq!(timeline.end_ns, 70_000);
    assert!(timeline.misses() >= 1);
}

#[test]
fn a_picture_has_a_box_for_each_slice_and_arrows_for_each_job() {
    let timeline = timeline();
    let svg = timeline.to_svg();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("<title>").count(), timeline.slices.len());
    let due = timeline
        .jobs
        .iter()
        .filter(|job| job.deadline_ns <= timeline.end_ns);
    assert_eq!(
        svg.matches("<path").count(),
        timeline.jobs.len() + due.count()
    );
    assert!(svg.contains("fast &lt;&amp;&quot;") && svg.contains("#cc3311"));
    assert_eq!(svg.matches('<').count(), svg.matches('>').count());
}

#[test]
fn a_trace_has_an_event_for_each_slice_release_and_miss() {
    let timeline = timeline();
    let json = timeline.to_trace_json();
    assert_eq!(json.matches("\"ph\":\"X\"").count(), timeline.slices.len());
    assert_eq!(json.matches("\"release\"").count(), timeline.jobs.len());
    assert_eq!(
        json.matches("\"deadline missed\"").count(),
        timeline.misses()
    );
    assert!(json.contains("\"ts\":2.000,\"dur\":3.000") && json.contains("fast <&\\\""));
    assert_eq!(json.matches('{').count(), json.matches('}').count());
}
