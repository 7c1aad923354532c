//! State images: the binary form of a whole state with its history.

mod export;
mod format;
mod import;
mod record_reader;

pub use export::Export;
pub use import::Import;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use starknet_types_core::felt::Felt;

    use super::format::MAGIC;
    use super::*;
    use crate::error::{Kind, Result};
    use crate::felt::Key;
    use crate::state::{Changes, State};

    fn key(number: u64) -> Key {
        Key::from(Felt::from(number))
    }

    /// A state of three versions with slots of two contracts, a nonce and a class hash.
    fn sample() -> State {
        let mut state = State::new(1, true, None);
        for version in 1..=3 {
            let mut changes = Changes::default();
            for address in [1, 2] {
                let slots = changes.storage.entry(key(address)).or_default();
                slots.insert(key(7), Felt::from(version));
                slots.insert(key(100 + version), Felt::MAX);
            }
            changes.nonces.insert(key(1), Felt::from(version));
            changes.class_hashes.insert(key(2), Felt::from(5));
            changes.migrated.insert(key(200 + version), Felt::from(version));
            state = state.apply(&changes).unwrap();
            if version < 3 {
                state = state.advance();
            }
        }
        state
    }

    fn write(state: &State) -> Vec<u8> {
        let mut export = Export::new(Arc::new(state.clone()));
        std::iter::from_fn(|| export.next_piece()).flatten().collect()
    }

    fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<State> {
        let mut import = Import::new(None);
        for piece in pieces {
            import.push(piece)?;
        }
        import.finish()
    }

    #[test]
    fn a_state_is_the_same_after_export_and_import() {
        let state = sample();
        let image = write(&state);
        let copy = read([&image[..]]).unwrap();
        assert_eq!(write(&copy), image);
        assert_eq!(copy.storage(key(1), key(7), 2), Some(Felt::TWO));
        for version in 1..=3 {
            let diff = copy.diff_of(version).unwrap();
            assert_eq!(*diff.migrated, [(key(200 + version), Felt::from(version))]);
            assert_eq!(diff, state.diff_of(version).unwrap());
        }
        assert_eq!(copy.figures.logged, state.figures.logged);
        assert_eq!(copy.rewind(1).unwrap().nonce(key(1), 2), Some(Felt::ONE));
        assert_eq!(copy.figures.past, state.figures.past);
    }

    #[test]
    fn pieces_may_have_any_size() {
        let image = write(&sample());
        assert_eq!(write(&read(image.chunks(1)).unwrap()), image);
        assert_eq!(write(&read(image.chunks(7)).unwrap()), image);
    }

    #[test]
    fn a_state_of_several_frames_is_read() {
        let mut changes = Changes::default();
        let slots = changes.storage.entry(key(1)).or_default();
        slots.extend((0..100_000).map(|slot| (key(slot), Felt::from(slot + 1))));
        let state = State::new(0, false, None).apply(&changes).unwrap();
        let mut export = Export::new(Arc::new(state));
        let frames: Vec<_> = std::iter::from_fn(|| export.next_piece()).collect();
        assert!(frames.len() > 2);
        let copy = read(frames.iter().map(Vec::as_slice)).unwrap();
        assert_eq!(copy.figures.slots, 100_000);
        assert_eq!(copy.storage(key(1), key(12_345), 0), Some(Felt::from(12_346)));
        // Each checksum continues the one before.
        let swapped = [&frames[0], &frames[2], &frames[1]].map(Vec::as_slice);
        assert!(read(swapped).is_err());
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let image = write(&sample());
        for position in [MAGIC.len() + 1, MAGIC.len() + 5, MAGIC.len() + 12, image.len() - 1] {
            let mut damaged = image.clone();
            damaged[position] ^= 1;
            let failure = read([&damaged[..]]).err().unwrap();
            assert_eq!(failure.kind, Kind::Image, "{position}");
        }
    }

    #[test]
    fn a_cut_image_ends_too_early() {
        let image = write(&sample());
        for length in [0, 4, MAGIC.len() + 1, image.len() - 1] {
            let failure = read([&image[..length]]).err().unwrap();
            assert!(failure.message.ends_with("it ends too early"), "{length}: {failure}");
        }
    }

    #[test]
    fn bytes_behind_the_end_are_rejected() {
        let mut image = write(&sample());
        image.push(0);
        let failure = read([&image[..]]).err().unwrap();
        assert!(failure.message.ends_with("something follows its end"), "{failure}");
    }

    #[test]
    fn other_files_and_formats_are_rejected() {
        let failure = read([&b"not an image"[..]]).err().unwrap();
        assert_eq!(failure.message, "this is not a state image");
        let mut image = write(&sample());
        image[MAGIC.len()] = 9;
        let failure = read([&image[..]]).err().unwrap();
        assert_eq!(failure.message, "state image format 9: this version reads format 1");
    }
}
