//! Programs that the launcher asks before it starts the user's: loaders, Pythons, ldconfig.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{channel, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::preload;

/// What a program printed, and whether it succeeded.
pub struct Answer {
    pub out: Vec<u8>,
    pub err: Vec<u8>,
    pub success: bool,
}

/// A helper in the environment of this process, without the fronts of a launch around this one.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, value) in [
        ("LD_PRELOAD", preload::without_fronts(std::env::var_os("LD_PRELOAD"))),
        ("LD_LIBRARY_PATH", preload::search_path_without_fronts(std::env::var_os("LD_LIBRARY_PATH"))),
    ] {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // A helper says what it is asked, and nothing of its own loader or of this library.
    command.env_remove("LD_DEBUG").env_remove("LD_VERBOSE").env_remove("SPTRSV_SPSV_REPORT");
    command
}

/// Runs a helper, which gets no input. There is no answer from a helper that takes longer than the limit.
pub fn ask(command: &mut Command, limit: Duration) -> Option<Answer> {
    let end = Instant::now() + limit;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let (out, err) = (read(child.stdout.take()?), read(child.stderr.take()?));
    let left = || end.saturating_duration_since(Instant::now());
    let answers = out.recv_timeout(left()).ok().zip(err.recv_timeout(left()).ok());
    // A helper may close its output and go on.
    let mut status = child.try_wait().ok()?;
    while answers.is_some() && status.is_none() && !left().is_zero() {
        thread::sleep(Duration::from_millis(1));
        status = child.try_wait().ok()?;
    }
    if status.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let ((out, err), success) = (answers?, status?.success());
    Some(Answer { out, err, success })
}

/// Reads to the end beside this thread.
fn read(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if pipe.read_to_end(&mut bytes).is_ok() {
            let _ = sender.send(bytes);
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Option<Answer> {
        ask(Command::new("/bin/sh").args(["-c", script]), limit)
    }

    #[test]
    fn a_helper_is_heard_on_both_outputs() {
        let answer = shell("echo a; echo b >&2; exit 3", Duration::from_secs(60)).unwrap();
        assert_eq!((&answer.out[..], &answer.err[..], answer.success), (&b"a\n"[..], &b"b\n"[..], false));
    }

    #[test]
    fn a_helper_that_takes_too_long_is_ended() {
        let begin = Instant::now();
        assert!(shell("exec sleep 100", Duration::from_millis(50)).is_none());
        assert!(shell("exec > /dev/null 2>&1; exec sleep 100", Duration::from_millis(50)).is_none());
        assert!(begin.elapsed() < Duration::from_secs(50));
    }

    #[test]
    fn a_helper_that_is_not_there_has_no_answer() {
        assert!(ask(&mut Command::new("/nothing/here"), Duration::from_secs(60)).is_none());
    }
}
