//! Tests of the engine's threads: the pool that executes, the thread that frees, and cells that threads share.
//!
//! ```sh
//! cargo +nightly miri test --lib
//! RUSTFLAGS=-Zsanitizer=thread cargo +nightly test -Zbuild-std --target x86_64-unknown-linux-gnu
//! ```

#![cfg(test)]

// The core with everything below it is too large for an interpreter: these of its files stand for it.
extern crate self as starkbox_engine_core;

#[allow(dead_code)]
#[path = "../../../core/src/state/cell.rs"]
mod cell;
#[allow(dead_code)]
#[path = "../../../core/src/error.rs"]
pub mod error;
#[allow(dead_code)]
#[path = "../../../core/src/fault.rs"]
pub mod fault;
#[path = "../../../src/release.rs"]
mod release;
#[path = "../../../src/worker_pool.rs"]
mod worker_pool;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use cell::Cell;
use error::{Kind, input};
use release::Held;
use starknet_types_core::felt::Felt;

/// For another number: STARKBOX_ROUNDS. Miri interprets, a thousand times slower.
fn rounds() -> usize {
    let rounds = std::env::var("STARKBOX_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    rounds.unwrap_or(if cfg!(miri) { 20 } else { 2_000 })
}

/// Long enough for any machine; a job that is lost would take forever.
const TIMEOUT: Duration = Duration::from_secs(300);

#[test]
fn every_job_is_settled_once_whichever_thread_starts_it() {
    let rounds = rounds();
    let (sender, settled) = mpsc::channel();
    let starters: Vec<_> = (0..4)
        .map(|starter| {
            let sender = sender.clone();
            thread::spawn(move || {
                for round in 0..rounds {
                    let sender = sender.clone();
                    worker_pool::run(
                        move || match round % 5 {
                            0 => Err(input("refused")),
                            1 => panic!("a panic of the test"),
                            _ => Ok(starter * rounds + round),
                        },
                        move |result| sender.send(result.map_err(|failure| failure.kind)).unwrap(),
                    );
                }
            })
        })
        .collect();
    let mut sum = 0;
    let (mut refused, mut panicked) = (0, 0);
    for _ in 0..4 * rounds {
        match settled.recv_timeout(TIMEOUT).unwrap() {
            Ok(number) => sum += number,
            Err(Kind::Input) => refused += 1,
            Err(Kind::Internal) => panicked += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    for starter in starters {
        starter.join().unwrap();
    }
    let expected: usize = (0..4 * rounds).filter(|number| number % rounds % 5 > 1).sum();
    assert_eq!((sum, refused, panicked), (expected, 4 * rounds / 5, 4 * rounds / 5));
}

#[test]
fn a_job_may_start_the_next_one_when_it_settles() {
    let rounds = rounds();
    fn chain(left: usize, done: mpsc::Sender<()>) {
        worker_pool::run(
            move || Ok(left),
            move |result| match result.unwrap() {
                0 => done.send(()).unwrap(),
                left => chain(left - 1, done),
            },
        );
    }
    let (sender, done) = mpsc::channel();
    chain(rounds, sender);
    done.recv_timeout(TIMEOUT).unwrap();
}

#[test]
fn settling_that_panics_ends_no_thread() {
    let rounds = rounds();
    let (sender, done) = mpsc::channel();
    for round in 0..rounds {
        let sender = sender.clone();
        worker_pool::run(
            move || Ok(round),
            move |_| {
                sender.send(()).unwrap();
                panic!("a panic of the test");
            },
        );
        done.recv_timeout(TIMEOUT).unwrap();
    }
}

#[cfg(feature = "fault-injection")]
#[test]
fn without_a_thread_a_job_is_refused_or_waits_for_another() {
    let rounds = rounds();
    let (sender, done) = mpsc::channel();
    for _ in 0..rounds {
        fault::arm("spawn".to_owned());
        let sender = sender.clone();
        worker_pool::run(|| Ok(()), move |result| sender.send(result.is_ok()).unwrap());
        done.recv_timeout(TIMEOUT).unwrap();
    }
}

/// Counts how often values of it are freed.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn the_last_of_owners_on_several_threads_frees_once_and_elsewhere() {
    let rounds = rounds();
    let freed = Arc::new(AtomicUsize::new(0));
    for _ in 0..rounds {
        let value = Arc::new(Counted(freed.clone()));
        let owners: Vec<_> = (0..3).map(|_| Held::new(value.clone())).collect();
        drop(value);
        let threads: Vec<_> =
            owners.into_iter().map(|owner| thread::spawn(move || drop(owner))).collect();
        for thread in threads {
            thread.join().unwrap();
        }
    }
    while freed.load(Ordering::SeqCst) < rounds {
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(freed.load(Ordering::SeqCst), rounds);
    assert!(release::freed().0 >= rounds as u64);
}

#[test]
fn cells_are_read_and_freed_by_several_threads() {
    let rounds = rounds();
    let versions = rounds.min(2_000) as u64;
    let mut cell = Cell::new(Felt::ZERO, 0);
    let branches: Vec<_> = (1..versions)
        .map(|version| {
            cell.put(Felt::from(version), version, true);
            cell.clone()
        })
        .collect();
    let branches = Arc::new(branches);
    let readers: Vec<_> = (0..4)
        .map(|reader| {
            let branches = branches.clone();
            thread::spawn(move || {
                for (at, branch) in branches.iter().enumerate() {
                    let version = (at as u64 * 7 + reader) % (at as u64 + 2);
                    assert_eq!(branch.at(version), Some(Felt::from(version)));
                }
            })
        })
        .collect();
    drop(cell);
    drop(branches);
    for reader in readers {
        reader.join().unwrap();
    }
}
