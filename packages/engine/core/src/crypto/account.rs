//! Keys of the predeployed accounts, derived from a seed, and signatures.

use starknet_core::crypto::ecdsa_sign;
use starknet_crypto::get_public_key;
use starknet_types_core::felt::Felt;

use crate::error::{Result, input};

/// The private keys of a seed: 128 bits each, from a 64-bit Mersenne Twister.
pub fn private_keys(seed: u32, count: u32) -> Vec<Felt> {
    let mut twister = Twister::new(expand(u64::from(seed)));
    (0..count)
        .map(|_| {
            let low = u128::from(twister.next());
            let high = u128::from(twister.next());
            Felt::from(high << 64 | low)
        })
        .collect()
}

pub fn public_key(private_key: Felt) -> Result<Felt> {
    if private_key == Felt::ZERO {
        return Err(input("private_key: zero has no public key"));
    }
    Ok(get_public_key(&private_key))
}

/// Deterministic: the same key and hash give the same signature.
pub fn sign(private_key: Felt, hash: Felt) -> Result<[Felt; 2]> {
    public_key(private_key)?;
    let signature = ecdsa_sign(&private_key, &hash)
        .map_err(|error| input(format!("this hash cannot be signed: {error}")))?;
    Ok([signature.r, signature.s])
}

/// Spreads a small seed over 64 bits with two steps of a PCG32 stream.
fn expand(seed: u64) -> u64 {
    let mut state = seed;
    let mut word = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(11634580027462260723);
        let mixed = (((state >> 18) ^ state) >> 27) as u32;
        u64::from(mixed.rotate_right((state >> 59) as u32))
    };
    let low = word();
    word() << 32 | low
}

/// MT19937-64.
struct Twister {
    state: [u64; Twister::SIZE],
    index: usize,
}

impl Twister {
    const SIZE: usize = 312;
    const MIDDLE: usize = 156;
    const MATRIX: u64 = 0xB502_6F5A_A966_19E9;
    const LOWER: u64 = 0x7FFF_FFFF;

    fn new(seed: u64) -> Self {
        let mut state = [seed; Self::SIZE];
        for i in 1..Self::SIZE {
            let previous = state[i - 1] ^ (state[i - 1] >> 62);
            state[i] = previous.wrapping_mul(6364136223846793005).wrapping_add(i as u64);
        }
        Twister { state, index: Self::SIZE }
    }

    fn next(&mut self) -> u64 {
        if self.index == Self::SIZE {
            for i in 0..Self::SIZE {
                let upper = self.state[i] & !Self::LOWER;
                let bits = upper | self.state[(i + 1) % Self::SIZE] & Self::LOWER;
                let twisted = (bits >> 1) ^ if bits & 1 == 1 { Self::MATRIX } else { 0 };
                self.state[i] = self.state[(i + Self::MIDDLE) % Self::SIZE] ^ twisted;
            }
            self.index = 0;
        }
        let mut word = self.state[self.index];
        self.index += 1;
        word ^= (word >> 29) & 0x5555_5555_5555_5555;
        word ^= (word << 17) & 0x71D6_7FFF_EDA6_0000;
        word ^= (word << 37) & 0xFFF7_EEE0_0000_0000;
        word ^ (word >> 43)
    }
}

#[cfg(test)]
mod tests {
    use starknet_crypto::verify;

    use super::*;
    use crate::felt::hex;

    #[test]
    fn keys_of_a_seed_are_known() {
        let keys: Vec<_> = private_keys(0, 3).into_iter().map(hex).collect();
        assert_eq!(
            keys,
            [
                "0x71d7bb07b9a64f6f78ac4c816aff4da9",
                "0xe1406455b7d66b1690803be066cbe5e",
                "0xa20a02f0ac53692d144b20cb371a60d7",
            ]
        );
        assert_eq!(hex(private_keys(42, 1)[0]), "0xb137668388dbe9acdfa3bc734cc2c469");
    }

    #[test]
    fn more_keys_of_a_seed_begin_with_the_same_ones() {
        // More words than the generator makes at a time.
        let many = private_keys(7, 400);
        assert_eq!(many[..200], private_keys(7, 200));
        assert!(private_keys(7, 0).is_empty());
    }

    #[test]
    fn a_private_key_has_its_known_public_key() {
        assert_eq!(
            hex(public_key(private_keys(0, 1)[0]).unwrap()),
            "0x39d9e6ce352ad4530a0ef5d5a18fd3303c3606a7fa6ac5b620020ad681cc33b"
        );
        assert!(public_key(Felt::ZERO).is_err());
    }

    #[test]
    fn a_signature_repeats_and_is_valid() {
        let (key, hash) = (private_keys(0, 1)[0], Felt::from(0x1234));
        let [r, s] = sign(key, hash).unwrap();
        assert_eq!(sign(key, hash).unwrap(), [r, s]);
        assert!(verify(&public_key(key).unwrap(), &hash, &r, &s).unwrap());
    }

    #[test]
    fn a_hash_out_of_range_is_not_signed() {
        let hash = Felt::TWO.pow(251_u32);
        assert!(sign(Felt::ONE, hash).unwrap_err().message.contains("cannot be signed"));
        assert!(sign(Felt::ZERO, Felt::ONE).is_err());
    }
}
