//! Closes connections in a way that lets clients read the last answer.
//!
//! An answer can come before its request's body was read: 413, 401, 404 and others. If the service then closed the connection, the system
//! would reset it because of the unread bytes. A client that is still sending gets "broken pipe" then, and no answer (RFC 9112, section
//! 9.6). So the service ends only its own direction, and reads on for a while without keeping anything.

use std::io::{Error, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// How many bytes are read at most after the last answer.
const MOST: u64 = 1 << 30;
/// How long a client may send nothing.
const SILENCE: Duration = Duration::from_secs(2);

/// Ends what the service sends, and reads what the client still sends, for at most this long.
pub(crate) async fn close(mut stream: TcpStream, patience: Duration) {
    let reading = async {
        let _ = stream.shutdown().await;
        let mut piece = vec![0; 16 << 10];
        let mut left = MOST;
        while let Ok(Ok(count @ 1..)) = tokio::time::timeout(SILENCE, stream.read(&mut piece)).await
        {
            left = left.saturating_sub(count as u64);
            if left == 0 {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(patience, reading).await;
}

/// A connection that is given back when HTTP has ended on it.
#[derive(Debug)]
pub(crate) struct Lent {
    /// `None` only while it is dropped.
    stream: Option<TcpStream>,
    back: Option<oneshot::Sender<TcpStream>>,
}

impl Lent {
    /// The connection, and where it comes back.
    pub(crate) fn new(stream: TcpStream) -> (Lent, oneshot::Receiver<TcpStream>) {
        let (back, given_back) = oneshot::channel();
        let lent = Lent {
            stream: Some(stream),
            back: Some(back),
        };
        (lent, given_back)
    }

    fn poll<T>(
        self: Pin<&mut Self>,
        poll: impl FnOnce(Pin<&mut TcpStream>) -> Poll<Result<T, Error>>,
    ) -> Poll<Result<T, Error>> {
        match self.get_mut().stream.as_mut() {
            Some(stream) => poll(Pin::new(stream)),
            None => Poll::Ready(Err(Error::other("the connection was given back"))),
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(stream), Some(back)) = (self.stream.take(), self.back.take()) {
            // Nobody waits for it if the service is ending.
            let _ = back.send(stream);
        }
    }
}

impl AsyncRead for Lent {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<Result<(), Error>> {
        self.poll(|stream| stream.poll_read(context, into))
    }
}

impl AsyncWrite for Lent {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        from: &[u8],
    ) -> Poll<Result<usize, Error>> {
        self.poll(|stream| stream.poll_write(context, from))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        from: &[IoSlice<'_>],
    ) -> Poll<Result<usize, Error>> {
        self.poll(|stream| stream.poll_write_vectored(context, from))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.poll(|stream| stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.poll(|stream| stream.poll_shutdown(context))
    }
}
