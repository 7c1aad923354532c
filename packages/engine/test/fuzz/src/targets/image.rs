//! State images: read in one piece and in several, written again, read again, and used.

use std::sync::Arc;

use starkbox_engine_core::error::{Kind, Result};
use starkbox_engine_core::json::to_json;
use starkbox_engine_core::state::State;
use starkbox_engine_core::state::image::{Export, Import};

/// Damage of an image, or of a class in it.
const FORESEEN: &[Kind] =
    &[Kind::Image, Kind::Class, Kind::SierraVersion, Kind::ClassTooLarge, Kind::Internal];

/// Beyond it, numbers are not exact in JavaScript.
const LARGEST_VERSION: u64 = (1 << 53) - 1;

fn read(pieces: &[&[u8]]) -> Result<State> {
    let mut import = Import::new(None);
    for piece in pieces {
        import.push(piece)?;
    }
    import.finish()
}

fn write(state: &State) -> Vec<u8> {
    let mut export = Export::new(Arc::new(state.clone()));
    std::iter::from_fn(|| export.next_piece()).flatten().collect()
}

pub fn take(input: &[u8]) {
    let whole = read(&[input]);
    let middle = usize::from(input.last().copied().unwrap_or_default()) % (input.len() + 1);
    let (first, second) = input.split_at(middle);
    let split = read(&[first, &[], second]);
    match (&whole, &split) {
        (Ok(whole), Ok(split)) => assert_eq!(write(whole), write(split)),
        (Err(whole), Err(split)) => assert_eq!(whole.kind, split.kind, "{whole} {split}"),
        _ => panic!("pieces change what is read: {:?} {:?}", whole.err(), split.err()),
    }
    if let Err(failure) = &whole
        && failure.kind == Kind::Internal
    {
        // There is no compiler here, which an image of ours never needs.
        assert!(failure.message.contains("was not set up"), "{failure}");
    }
    let Some(state) = super::taken(whole, FORESEEN) else { return };
    let image = write(&state);
    let again = read(&[&image]).unwrap_or_else(|failure| panic!("its own image: {failure}"));
    assert_eq!(write(&again), image);
    use_state(&state);
}

/// Everything that depends on what an image says about itself: counts, dates, history.
fn use_state(state: &State) {
    let first = state.first_version();
    for version in
        [0, first.saturating_sub(1), first, state.version.saturating_sub(1), state.version]
    {
        if let Ok(diff) = state.diff_of(version) {
            assert!(to_json(&*diff).is_ok());
            let _ = diff.check_keys();
        }
        if state.check_readable(version).is_ok() {
            read_values(state, version);
        }
        // Blocks that contradict the dates of cells are taken as they are, so this need not give a readable image.
        let _ = state.rewind(version).map(|rewound| write(&rewound.advance()));
    }
    let (closed, _) = state.close();
    let _ = state.diff_to(&closed);
    let _ = state.approximate_bytes();
    if closed.version <= LARGEST_VERSION {
        let again = read(&[&write(&closed)]);
        assert!(again.is_ok(), "the image of its next version: {:?}", again.err());
    }
}

fn read_values(state: &State, version: u64) {
    for (address, contract) in state.contracts.iter().take(4) {
        let _ = (state.nonce(*address, version), state.class_hash(*address, version));
        for key in contract.0.storage.keys().take(4) {
            let _ = state.storage(*address, *key, version);
            let _ = state.storage_since(*address, *key, version);
        }
        let _ = state.slots_after(*address, None, version).count();
    }
    for hash in state.classes.keys().take(4) {
        let _ = state.class(*hash, version).map(|class| class.runnable());
    }
}
