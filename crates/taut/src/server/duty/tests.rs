use super::*;

#[test]
fn a_thread_is_relieved_only_in_an_upcall_and_the_other_goes_on() {
    let duty = Duty::new();
    let first = duty.shift();
    assert_eq!(duty.relieve(first, 9, true), None);
    assert!(duty.begin(first, Task::Request));
    let second = duty.relieve(first, 9, false).unwrap().shift;
    assert_eq!(duty.shift(), second);
    assert_eq!(
        duty.relieve(second, 9, true),
        None,
        "nobody runs a servant on duty"
    );

    assert!(duty.begin(second, Task::Request));
    assert_eq!(duty.relieve(first, 9, true), None, "it has been relieved");
    assert_eq!(duty.hand_over(first), None, "it has been relieved");
    assert_eq!(duty.upcall_ended(first), Upcall::Relieved);
    assert_eq!(duty.upcall_ended(second), Upcall::OnDuty);
    assert_eq!(duty.relieve(second, 9, true), None, "it sends");
    assert_eq!(duty.sent(), Rest::Nothing);
    assert!(duty.is_busy());
    assert_eq!(duty.sent_apart(), Rest::Nothing);
    assert!(!duty.is_busy());
}

#[test]
fn as_many_are_under_way_as_the_limit_says() {
    let duty = Duty::new();
    let mut shift = duty.shift();
    for _ in 0..2 {
        assert!(duty.begin(shift, Task::Request));
        shift = duty.relieve(shift, 3, false).unwrap().shift;
    }
    assert!(duty.begin(shift, Task::Request));
    assert_eq!(duty.relieve(shift, 3, false), None);
    assert_eq!(duty.sent_apart(), Rest::Nothing);
    assert!(duty.relieve(shift, 3, false).is_some());
    let duty = Duty::new();
    assert!(duty.begin(duty.shift(), Task::Request));
    assert_eq!(duty.relieve(duty.shift(), 0, true), None);
}

#[test]
fn a_oneway_is_overtaken_only_if_it_must_be() {
    let duty = Duty::new();
    let shift = duty.shift();
    assert!(duty.begin(shift, Task::Sending));
    duty.acknowledged();
    assert_eq!(duty.relieve(shift, 9, false), None);
    assert!(duty.relieve(shift, 9, true).is_some());
    assert_eq!(duty.upcall_ended(shift), Upcall::Relieved);
}

#[test]
fn a_oneway_by_itself_ends_at_once_and_any_other_does_not() {
    let duty = Duty::new();
    let first = duty.shift();
    assert!(duty.begin(first, Task::Request));
    assert!(!duty.oneway_ended(first), "there is a reply");
    assert_eq!(duty.upcall_ended(first), Upcall::OnDuty);
    assert_eq!(duty.sent(), Rest::Nothing);

    assert!(duty.begin(first, Task::Oneway));
    assert!(duty.oneway_ended(first));
    assert!(!duty.is_busy());

    assert!(duty.begin(first, Task::Oneway));
    let second = duty.relieve(first, 9, true).unwrap().shift;
    assert!(!duty.oneway_ended(first), "it has been relieved");
    assert!(duty.begin(second, Task::Oneway));
    assert!(!duty.oneway_ended(second), "another is under way");
    assert_eq!(duty.upcall_ended(second), Upcall::OnDuty);
    assert_eq!(duty.sent(), Rest::Nothing);
    assert_eq!(duty.sent_apart(), Rest::Nothing);

    assert!(duty.begin(second, Task::Oneway));
    assert_eq!(duty.close(), Rest::Nothing);
    assert!(!duty.oneway_ended(second), "somebody has to say goodbye");
    assert_eq!(duty.upcall_ended(second), Upcall::OnDuty);
    assert_eq!(duty.sent(), Rest::Goodbye);
}

#[test]
fn whoever_ends_the_last_request_of_a_closing_connection_says_goodbye() {
    let duty = Duty::new();
    let first = duty.shift();
    assert!(duty.begin(first, Task::Request));
    let second = duty.relieve(first, 9, false).unwrap().shift;
    assert!(duty.begin(second, Task::Request));
    assert_eq!(duty.close(), Rest::Nothing);
    assert_eq!(duty.upcall_ended(second), Upcall::OnDuty);
    assert_eq!(duty.sent(), Rest::Nothing);
    assert_eq!(duty.sent_apart(), Rest::Goodbye);
    assert!(!duty.begin(second, Task::Request));
    assert_eq!(duty.close(), Rest::Nothing, "it has been said");

    assert_eq!(Duty::new().close(), Rest::Goodbye);
}

#[test]
fn a_connection_is_forgotten_when_nothing_is_under_way() {
    let duty = Duty::new();
    let first = duty.shift();
    assert!(duty.begin(first, Task::Request));
    assert!(duty.relieve(first, 9, false).is_some());
    assert_eq!(duty.end(), Rest::Nothing);
    assert_eq!(duty.close(), Rest::Nothing, "nobody is there any more");
    assert_eq!(duty.sent_apart(), Rest::Forget);

    assert_eq!(Duty::new().end(), Rest::Forget);
}

#[test]
fn a_request_that_is_answered_later_is_under_way_until_then_and_keeps_no_thread() {
    let duty = Duty::new();
    let shift = duty.shift();
    assert!(duty.begin(shift, Task::Request));
    assert!(duty.defer());
    assert_eq!(duty.upcall_ended(shift), Upcall::OnDuty);
    assert_eq!(duty.sent(), Rest::Nothing);
    assert!(duty.is_busy() && !duty.is_in_upcall());
    // The thread goes on with the next one, and is not relieved of the first.
    assert_eq!(duty.hand_over(shift), None);
    assert!(duty.begin(shift, Task::Request));
    assert!(duty.hand_over(shift).is_some());
    assert_eq!(duty.upcall_ended(shift), Upcall::Relieved);
    assert_eq!(duty.sent_apart(), Rest::Nothing);
    assert_eq!(duty.close(), Rest::Nothing);
    assert_eq!(duty.sent_apart(), Rest::Goodbye);
}

#[test]
fn replies_that_wait_put_the_goodbye_off() {
    let duty = Duty::new();
    let shift = duty.shift();
    // The reply to the first waits, while the second is carried out.
    assert!(duty.begin(shift, Task::Request));
    assert_eq!(duty.upcall_ended(shift), Upcall::OnDuty);
    assert!(duty.begin(shift, Task::Request));
    assert!(duty.is_in_upcall());
    assert_eq!(duty.upcall_ended(shift), Upcall::OnDuty);
    assert_eq!(duty.close(), Rest::Nothing);
    assert!(!duty.begin(shift, Task::Request));
    assert_eq!(duty.sent(), Rest::Goodbye);
}

#[test]
fn a_thread_is_relieved_in_an_upcall_while_a_reply_waits_and_not_behind_it() {
    let duty = Duty::new();
    let first = duty.shift();
    assert!(duty.begin(first, Task::Request));
    assert_eq!(duty.upcall_ended(first), Upcall::OnDuty);
    assert_eq!(
        duty.relieve(first, 9, true),
        None,
        "a reply waits and no servant runs"
    );
    assert!(duty.begin(first, Task::Request));
    let second = duty.relieve(first, 9, false).unwrap().shift;
    assert_eq!(duty.upcall_ended(first), Upcall::Relieved);
    assert!(duty.begin(second, Task::Request));
    assert_eq!(duty.upcall_ended(second), Upcall::OnDuty);
    assert_eq!(duty.sent(), Rest::Nothing);
    assert_eq!(duty.sent_apart(), Rest::Nothing);
    assert!(!duty.is_busy());
}

#[test]
fn a_relieved_thread_makes_no_reply_that_it_has_left_to_another_and_none_to_a_oneway() {
    let duty = Duty::new();
    let mut shift = duty.shift();
    let mut relieve = |task, is_left: bool| {
        assert!(duty.begin(shift, task));
        assert!(!is_left || duty.leave_reply(shift));
        let relief = duty.relieve(shift, 9, true).unwrap();
        assert!(!duty.leave_reply(shift), "it has been relieved");
        shift = relief.shift;
        relief.is_reply_due
    };
    assert!(relieve(Task::Request, false));
    assert!(!relieve(Task::Request, true));
    assert!(!relieve(Task::Oneway, false));
    assert!(relieve(Task::Request, false), "it is another request");

    // That a reply was left holds until the end of the up-call.
    assert!(duty.begin(shift, Task::Request) && duty.leave_reply(shift));
    assert_eq!(duty.upcall_ended(shift), Upcall::OnDuty);
    assert_eq!(duty.sent(), Rest::Nothing);
    assert!(duty.begin(shift, Task::Request));
    assert!(duty.hand_over(shift).unwrap().is_reply_due);
}
