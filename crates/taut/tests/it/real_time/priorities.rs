//! The priorities of threads, and the settings of an ORB that has them.

use std::thread;

use taut::real_time::{
    DirectMapping, NativePriority, NativePriorityError, Priority, PriorityMapping, RealTime, RtOrb,
    SchedulingClass,
};
use taut::{
    InitError, Orb, OrbBuilder, PriorityMappingKind, RealTimeSettings, SystemExceptionKind,
    WithoutRights, minor,
};
use test_tools::{in_own_process, without_right_to_priorities};

use super::{native, refusal};

fn real_time(change: impl FnOnce(&mut RealTimeSettings)) -> Result<Orb, InitError> {
    let builder = Orb::builder().real_time(RealTime::new());
    builder
        .settings(|settings| change(&mut settings.real_time))
        .build()
}

/// Runs `run` in a thread of its own, with an ORB that has priorities.
fn in_thread(builder: OrbBuilder, run: impl FnOnce(RtOrb) + Send + 'static) {
    let orb = builder.build().unwrap().real_time().unwrap();
    thread::spawn(move || run(orb)).join().unwrap();
}

#[test]
fn an_ordinary_orb_has_no_priorities() {
    let orb = Orb::builder().build().unwrap();
    let expected = (SystemExceptionKind::BadInvOrder, minor::NOT_REAL_TIME);
    assert_eq!(refusal(orb.real_time()), expected);
}

#[test]
fn an_argument_gives_an_orb_priorities() {
    let line = "-ORBRealTime yes -ORBSchedPolicy SCHED_RR -ORBPriorityMapping direct \
                -ORBLowestNativePriority 2 -ORBHighestNativePriority 7";
    let mut arguments: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
    let builder = Orb::builder().arguments(&mut arguments).unwrap();
    in_thread(builder, |orb| {
        let priority = |number| Priority::new(number).unwrap();
        assert_eq!(orb.to_native(priority(7)), Ok(NativePriority(7)));
        assert_eq!(orb.to_corba(NativePriority(2)), Some(priority(2)));
        let unmappable = (SystemExceptionKind::DataConversion, minor::omg(2));
        assert_eq!(refusal(orb.to_native(priority(8))), unmappable);
        assert_eq!(orb.to_corba(NativePriority(1)), None);
    });
}

#[test]
fn a_thread_has_no_priority_until_it_is_given_one() {
    in_thread(Orb::builder().real_time(RealTime::new()), |orb| {
        let current = orb.current();
        let not_set = (SystemExceptionKind::Initialize, minor::PRIORITY_NOT_SET);
        assert_eq!(refusal(current.the_priority()), not_set);
        for (priority, expected) in [(0, 1), (i16::MAX, 99), (16_384, 50)] {
            current.set_the_priority(priority).unwrap();
            assert_eq!(current.the_priority(), Ok(priority));
            if let Some(native) = native(&orb) {
                assert_eq!(native, expected);
            }
        }
        // Another ORB of the thread has the same, another thread none.
        let other = Orb::builder().real_time(RealTime::new()).build().unwrap();
        assert_eq!(
            other.real_time().unwrap().current().the_priority(),
            Ok(16_384)
        );
        let elsewhere = thread::spawn(move || current.the_priority())
            .join()
            .unwrap();
        assert_eq!(refusal(elsewhere), not_set);
    });
}

#[test]
fn what_is_no_priority_is_refused_and_changes_nothing() {
    let direct = DirectMapping {
        lowest: NativePriority(1),
        highest: NativePriority(10),
    };
    in_thread(
        Orb::builder().real_time(RealTime::new().mapping(direct)),
        |orb| {
            let current = orb.current();
            current.set_the_priority(10).unwrap();
            let out_of_range = (SystemExceptionKind::BadParam, minor::PRIORITY_OUT_OF_RANGE);
            let unmappable = (SystemExceptionKind::DataConversion, minor::omg(2));
            for (priority, expected) in [
                (-1, out_of_range),
                (i16::MIN, out_of_range),
                (0, unmappable),
                (11, unmappable),
                (i16::MAX, unmappable),
            ] {
                assert_eq!(
                    refusal(current.set_the_priority(priority)),
                    expected,
                    "{priority}"
                );
                assert_eq!(current.the_priority(), Ok(10));
                if let Some(native) = native(&orb) {
                    assert_eq!(native, 10);
                }
            }
        },
    );
}

#[test]
fn an_argument_that_makes_no_sense_says_what_to_write() {
    for (line, expected) in [
        ("-ORBRealTime perhaps", "write yes or no"),
        (
            "-ORBSchedulingClass idle",
            "write fifo, round-robin or other",
        ),
        ("-ORBPriorityMapping none", "write linear or direct"),
        (
            "-ORBHighestNativePriority high",
            "write a priority of the system",
        ),
        ("-ORBWithoutRights warn", "write continue or error"),
        (
            "-ORBInternalPriority -1",
            "write a priority from 0 to 32767",
        ),
        (
            "-ORBInternalPriority 32768",
            "write a priority from 0 to 32767",
        ),
        ("-ORBInternalCpus 1-", "write the number of a CPU"),
        ("-ORBInternalCpus 3-2", "write the number of a CPU"),
        ("-ORBInternalCpus 0,1024", "write the number of a CPU"),
    ] {
        let mut arguments: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        let refused = Orb::builder().arguments(&mut arguments).unwrap_err();
        assert!(refused.to_string().contains(expected), "{line}: {refused}");
    }
}

#[test]
fn settings_alone_give_an_orb_priorities() {
    let cpu = taut_sys::cpu::allowed().unwrap()[0];
    let builder = Orb::builder().settings(|settings| {
        settings.real_time.enabled = true;
        settings.real_time.internal_priority = Some(Priority::MIN);
        settings.real_time.internal_cpus = vec![cpu];
    });
    builder.build().unwrap().real_time().unwrap();
}

/// All CORBA priorities are one native priority.
#[derive(Debug)]
struct OneLevel;

impl PriorityMapping for OneLevel {
    fn to_native(&self, _: Priority) -> Option<NativePriority> {
        Some(NativePriority(5))
    }

    fn to_corba(&self, native: NativePriority) -> Option<Priority> {
        (native.0 == 5).then_some(Priority::MIN)
    }
}

#[test]
fn a_mapping_of_the_application_replaces_that_of_the_settings() {
    in_thread(
        Orb::builder().real_time(RealTime::new().mapping(OneLevel)),
        |orb| {
            orb.current().set_the_priority(30_000).unwrap();
            assert_eq!(orb.to_native(Priority::MAX), Ok(NativePriority(5)));
            if let Some(native) = native(&orb) {
                assert_eq!(native, 5);
            }
        },
    );
}

#[test]
fn nice_values_are_priorities_too() {
    let builder = Orb::builder()
        .real_time(RealTime::new())
        .settings(|settings| {
            settings.real_time.scheduling_class = SchedulingClass::Other;
            settings.real_time.highest_native = Some(-10);
        });
    in_thread(builder, |orb| {
        let native_of = |priority| orb.to_native(priority).unwrap().0;
        assert_eq!(
            (native_of(Priority::MIN), native_of(Priority::MAX)),
            (19, -10)
        );
        orb.current().set_the_priority(i16::MAX).unwrap();
        if orb.applies_native_priorities() {
            let nice = taut_sys::priority::Scheduling::Other { nice: -10 };
            assert_eq!(taut_sys::priority::get().unwrap(), nice);
        }
    });
}

#[test]
fn settings_that_make_no_sense_end_the_initialization() {
    let fault = |change: fn(&mut RealTimeSettings)| match real_time(change).unwrap_err() {
        InitError::RealTime(fault) => fault,
        other => panic!("{other}"),
    };
    let too_high = fault(|settings| settings.highest_native = Some(100));
    assert!(
        too_high
            .to_string()
            .contains("real_time.highest_native = 100"),
        "{too_high}"
    );
    let too_low = fault(|settings| settings.lowest_native = Some(0));
    assert!(matches!(too_low, NativePriorityError::OutOfRange { .. }));
    let reversed = fault(|settings| {
        settings.lowest_native = Some(20);
        settings.highest_native = Some(10);
    });
    assert!(matches!(reversed, NativePriorityError::Reversed { .. }));
    let reversed = fault(|settings| {
        settings.scheduling_class = SchedulingClass::Other;
        settings.lowest_native = Some(-20);
        settings.highest_native = Some(19);
    });
    assert!(matches!(reversed, NativePriorityError::Reversed { .. }));
    let direct = fault(|settings| {
        settings.scheduling_class = SchedulingClass::Other;
        settings.priority_mapping = PriorityMappingKind::Direct;
    });
    assert!(matches!(direct, NativePriorityError::DirectNiceValues));
}

#[test]
fn without_the_right_it_is_an_error_or_goes_on() {
    in_own_process(without_the_right_it_is_an_error_or_goes_on, || {
        without_right_to_priorities(|| {
            let refused = real_time(|settings| settings.without_rights = WithoutRights::Error);
            let InitError::RealTime(fault) = refused.unwrap_err() else {
                panic!("another fault");
            };
            let is_refused = matches!(fault, NativePriorityError::Refused { .. });
            assert!(is_refused, "{fault}");
            let orb = real_time(|_| ()).unwrap().real_time().unwrap();
            assert!(!orb.applies_native_priorities());
            orb.current().set_the_priority(7).unwrap();
            assert_eq!(orb.current().the_priority(), Ok(7));
            assert_eq!(taut_sys::priority::current().unwrap(), None);
        });
    });
}

/// The right is there when the ORB is built, and not when a priority is set.
#[test]
fn a_right_that_is_lost_is_an_error_or_goes_on() {
    in_own_process(a_right_that_is_lost_is_an_error_or_goes_on, || {
        let set = |settings: &mut RealTimeSettings| settings.without_rights = WithoutRights::Error;
        let Ok(strict) = real_time(set) else {
            eprintln!("LEFT OUT: native priorities are not allowed here");
            return;
        };
        let lenient = real_time(|_| ()).unwrap().real_time().unwrap().current();
        let strict = strict.real_time().unwrap().current();
        without_right_to_priorities(move || {
            let refused = (
                SystemExceptionKind::NoPermission,
                minor::NATIVE_PRIORITY_REFUSED,
            );
            assert_eq!(refusal(strict.set_the_priority(7)), refused);
            let not_set = (SystemExceptionKind::Initialize, minor::PRIORITY_NOT_SET);
            assert_eq!(refusal(strict.the_priority()), not_set);
            lenient.set_the_priority(7).unwrap();
            assert_eq!(strict.the_priority(), Ok(7));
            assert_eq!(taut_sys::priority::current().unwrap(), None);
        });
    });
}
