//! Oneways that nobody waits for, to a server of another ORB: they arrive together with
//! calls, each and in order.

use std::process::Command;
use std::time::Duration;

use taut::{ConnectionSharing, Orb, Reference, SyncScope};
use taut_interop::param_test::{ParamTest, ParamTestRef};
use taut_interop::{Process, peers};

const TIME_OUT: Duration = Duration::from_secs(60);

#[test]
fn batches_of_oneways_arrive_at_omniorb_in_front_of_the_call_behind_them() {
    let Some(program) = peers::omniorb("param_server") else {
        return;
    };
    for version in ["1.0", "1.1", "1.2"] {
        for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
            let mut command = Command::new(&program);
            // One after the other, or a call might overtake what came before.
            command.args(["-ORBmaxGIOPVersion", version]);
            command.args(["-ORBmaxServerThreadPerConnection", "1"]);
            let mut server = Process::start(&mut command).unwrap();
            let reference = server.read_line(TIME_OUT).unwrap();

            let orb = Orb::builder().settings(|settings| {
                settings.client.connection_sharing = sharing;
                settings.client.oneway_batch_messages = 10;
            });
            let orb = orb.build().unwrap();
            let object = orb.string_to_object(&reference).unwrap();
            let target: ParamTestRef = object.narrow().unwrap();
            let patient = target.with_sync_scope(SyncScope::None);
            let before = target.notified().unwrap();
            let mut sent = 0;
            for count in 1..=40 {
                (0..count).for_each(|_| patient.notify("a").unwrap());
                sent += count;
                let arrived = target.notified().unwrap().wrapping_sub(before);
                assert_eq!(arrived, sent, "GIOP {version}, {sharing:?}");
            }
            orb.shutdown(true).unwrap();
            server.close_input();
            assert!(server.wait(TIME_OUT).unwrap().success());
        }
    }
}
