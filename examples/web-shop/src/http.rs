//! The smallest HTTP client: one request over one connection.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Asks for a path, with these further headers. Returns the status and the body.
///
/// # Errors
///
/// When the connection fails, or what comes back is no HTTP.
pub async fn get(
    server: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
) -> io::Result<(u16, String)> {
    let mut stream = send(server, path, headers).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    read(&response).ok_or_else(|| io::Error::other(format!("no HTTP: {response:?}")))
}

/// Sends a request, and does not wait.
///
/// # Errors
///
/// When the connection fails.
pub async fn send(
    server: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
) -> io::Result<TcpStream> {
    let mut request = format!("GET {path} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n");
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    request += "\r\n";
    let mut stream = TcpStream::connect(server).await?;
    stream.write_all(request.as_bytes()).await?;
    Ok(stream)
}

fn read(response: &str) -> Option<(u16, String)> {
    let (head, body) = response.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    Some((status, body.to_owned()))
}
