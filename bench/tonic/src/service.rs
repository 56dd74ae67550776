//! The service `bench.Pinger`, with its one method `ping`, and a server of it.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::task::{Context, Poll};
use std::thread;

use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use crate::{AnyError, runtime};

/// The path of the method.
pub(crate) const PING: &str = "/bench.Pinger/ping";

/// A message without fields, which is both the request and the reply.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub(crate) struct Nothing {}

/// More calls under way at once than the driver asks for.
pub(crate) const IN_FLIGHT_MAX: u32 = 1 << 20;

/// The octets that may be under way on the connection. Half as many are the peer's patience
/// with small messages that it has received and not looked at yet: by default it ends a
/// connection with a few thousand calls under way.
pub(crate) const CONNECTION_WINDOW: u32 = 1 << 30;

/// The method `ping`.
struct Ping;

impl UnaryService<Nothing> for Ping {
    type Response = Nothing;
    type Future = Ready<Result<Response<Nothing>, Status>>;

    fn call(&mut self, _: Request<Nothing>) -> Self::Future {
        ready(Ok(Response::new(Nothing {})))
    }
}

/// The service, as a server knows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pinger;

impl NamedService for Pinger {
    const NAME: &'static str = "bench.Pinger";
}

impl Service<http::Request<Body>> for Pinger {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        match request.uri().path() {
            PING => Box::pin(async move {
                let mut grpc = Grpc::new(ProstCodec::<Nothing, Nothing>::default());
                Ok(grpc.unary(Ping, request).await)
            }),
            _ => Box::pin(ready(Ok(Status::unimplemented("").into_http()))),
        }
    }
}

/// Prints the address as the first line, and serves until standard input ends.
///
/// # Errors
///
/// Those of the operating system and of tonic.
pub(crate) fn serve() -> Result<(), AnyError> {
    runtime()?.block_on(async {
        let (address, incoming) = listen()?;
        println!("{address}");
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        thread::spawn(move || {
            let read = io::copy(&mut io::stdin().lock(), &mut io::sink());
            if let Err(error) = read {
                eprintln!("taut-bench-tonic: standard input: {error}");
            }
            drop(end);
        });
        let serving = serve_at(incoming);
        tokio::select! {
            served = serving => served,
            _ = ended => Ok(()),
        }
    })
}

/// A free port of the loopback interface.
///
/// # Errors
///
/// Those of the operating system.
pub(crate) fn listen() -> io::Result<(SocketAddr, TcpIncoming)> {
    let incoming = TcpIncoming::bind((Ipv4Addr::LOCALHOST, 0).into())?.with_nodelay(Some(true));
    Ok((incoming.local_addr()?, incoming))
}

/// Serves the clients that come in there.
///
/// # Errors
///
/// Those of tonic.
pub(crate) async fn serve_at(incoming: TcpIncoming) -> Result<(), AnyError> {
    let server = Server::builder()
        .max_concurrent_streams(IN_FLIGHT_MAX)
        .initial_connection_window_size(CONNECTION_WINDOW);
    Ok(server.serve_with_incoming(Pinger, incoming).await?)
}
