//! Unix-domain sockets: what only these have. The rest holds in the modes `unix…`.

mod peers;
mod routes;
mod sockets;

use crate::common::mode::Mode;

const MODE: Mode = Mode::unix();
