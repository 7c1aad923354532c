//! Poseidon, twice as fast as the published crate: its hash chains are what closing a block takes.
//!
//! Felts are in Montgomery form with the factor 2^256, which is almost 32 times the prime. Sums and products are
//! therefore reduced only as far as the next step needs; bounds below are multiples of the prime `p`.

use std::sync::LazyLock;

use lambdaworks_crypto::hash::poseidon::parameters::PermutationParameters;
use lambdaworks_crypto::hash::poseidon::starknet::PoseidonCairoStark252;
use starknet_types_core::felt::Felt;
use starknet_types_core::hash::StarkHash;

/// The hash with the parameters of Starknet.
pub struct Poseidon;

impl StarkHash for Poseidon {
    fn hash(left: &Felt, right: &Felt) -> Felt {
        Self::one_permutation([*left, *right, Felt::TWO])
    }

    fn hash_array(felts: &[Felt]) -> Felt {
        Self::hash_all(felts.iter().copied())
    }

    fn hash_single(felt: &Felt) -> Felt {
        Self::one_permutation([*felt, Felt::ZERO, Felt::ONE])
    }
}

impl Poseidon {
    /// The hash of a list, which need not be in memory as a whole.
    pub fn hash_all(felts: impl Iterator<Item = Felt>) -> Felt {
        let constants = &*ROUND_CONSTANTS;
        let mut state = [[0; 4]; 3];
        // A list ends with a one; a second element is filled with a zero.
        let mut padded = felts.chain([Felt::ONE]);
        while let Some(first) = padded.next() {
            let second = padded.next().unwrap_or(Felt::ZERO);
            state[0] = add(state[0], limbs(first));
            state[1] = add(state[1], limbs(second));
            state = permute(state, constants);
        }
        felt(state[0])
    }

    /// The Hades permutation.
    pub fn permutation(state: [Felt; 3]) -> [Felt; 3] {
        permute(state.map(limbs), &ROUND_CONSTANTS).map(felt)
    }

    fn one_permutation(state: [Felt; 3]) -> Felt {
        let [first, ..] = Self::permutation(state);
        first
    }
}

/// A number below 2^256, least significant limb first.
type Limbs = [u64; 4];

/// The prime is `TOP * 2^192 + 1`.
const TOP: u64 = 0x0800_0000_0000_0011;
/// Bits of a limb above 2^251, if it is the most significant one.
const TOP_BITS: u32 = 59;

/// Full rounds before and after the partial ones, with three constants each.
const FULL_CONSTANTS: usize = 4 * 3;
const PARTIAL_ROUNDS: usize = 83;
const CONSTANT_COUNT: usize = 2 * FULL_CONSTANTS + PARTIAL_ROUNDS;

static ROUND_CONSTANTS: LazyLock<[Limbs; CONSTANT_COUNT]> = LazyLock::new(|| {
    std::array::from_fn(|index| {
        let mut limbs = PoseidonCairoStark252::ROUND_CONSTANTS[index].value().limbs;
        limbs.reverse();
        limbs
    })
});

fn limbs(felt: Felt) -> Limbs {
    felt.to_raw_reversed()
}

/// The felt of a number in Montgomery form, below 4p.
fn felt(mut number: Limbs) -> Felt {
    while let (reduced, false) = subtract(number, multiple(1)) {
        number = reduced;
    }
    number.reverse();
    Felt::from_raw(number)
}

const fn multiple(factor: u64) -> Limbs {
    [factor, 0, 0, factor * TOP]
}

#[inline(always)]
fn add(left: Limbs, right: Limbs) -> Limbs {
    let (first, carry) = add_limbs(left[0], right[0], false);
    let (second, carry) = add_limbs(left[1], right[1], carry);
    let (third, carry) = add_limbs(left[2], right[2], carry);
    let (fourth, _) = add_limbs(left[3], right[3], carry);
    [first, second, third, fourth]
}

/// The difference, and whether it is negative.
#[inline(always)]
fn subtract(left: Limbs, right: Limbs) -> (Limbs, bool) {
    let (first, borrow) = subtract_limbs(left[0], right[0], false);
    let (second, borrow) = subtract_limbs(left[1], right[1], borrow);
    let (third, borrow) = subtract_limbs(left[2], right[2], borrow);
    let (fourth, borrow) = subtract_limbs(left[3], right[3], borrow);
    ([first, second, third, fourth], borrow)
}

#[inline(always)]
fn add_limbs(left: u64, right: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = left.overflowing_add(right);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum, first | second)
}

#[inline(always)]
fn subtract_limbs(left: u64, right: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = left.overflowing_sub(right);
    let (difference, second) = difference.overflowing_sub(u64::from(borrow));
    (difference, first | second)
}

/// `sum + left * right + carry` as a low and a high limb.
#[inline(always)]
fn multiply_add(sum: u64, left: u64, right: u64, carry: u64) -> (u64, u64) {
    split(u128::from(sum) + u128::from(left) * u128::from(right) + u128::from(carry))
}

#[inline(always)]
fn split(number: u128) -> (u64, u64) {
    (number as u64, (number >> 64) as u64)
}

/// The same modulo the prime, below 2p.
#[inline(always)]
fn below_twice(number: Limbs) -> Limbs {
    let factor = (number[3] >> TOP_BITS).saturating_sub(1);
    subtract(number, multiple(factor)).0
}

/// A product of numbers divided by 2^256, modulo the prime: below p more than the quotient.
#[inline(always)]
fn reduce([t0, t1, t2, t3, t4, t5, t6, t7]: [u64; 8]) -> Limbs {
    // Adding multiples of the prime makes the lower half zero. Its lower limbs are 1, 0 and 0, so that each factor is
    // the negated limb, and leaves a carry unless the limb is zero.
    let top = u128::from(TOP);
    let (u1, carry) = t1.overflowing_add(u64::from(t0 != 0));
    let (u2, carry) = add_limbs(t2, u64::from(u1 != 0), carry);
    let (first, first_high) = split(u128::from(t0.wrapping_neg()) * top);
    let (second, second_high) = split(u128::from(u1.wrapping_neg()) * top);
    let (third, third_high) = split(u128::from(u2.wrapping_neg()) * top);
    let sum = u128::from(t3) + u128::from(first) + u128::from(carry) + u128::from(u2 != 0);
    let (u3, carry) = split(sum);
    let (fourth, fourth_high) = split(u128::from(u3.wrapping_neg()) * top);
    let sum = u128::from(t4) + u128::from(first_high) + u128::from(second);
    let (r0, carry) = split(sum + u128::from(carry) + u128::from(u3 != 0));
    let sum = u128::from(t5) + u128::from(second_high) + u128::from(third);
    let (r1, carry) = split(sum + u128::from(carry));
    let sum = u128::from(t6) + u128::from(third_high) + u128::from(fourth);
    let (r2, carry) = split(sum + u128::from(carry));
    [r0, r1, r2, t7.wrapping_add(fourth_high).wrapping_add(carry)]
}

#[inline(always)]
fn multiply(a: Limbs, b: Limbs) -> Limbs {
    let (t0, carry) = multiply_add(0, a[0], b[0], 0);
    let (t1, carry) = multiply_add(0, a[1], b[0], carry);
    let (t2, carry) = multiply_add(0, a[2], b[0], carry);
    let (t3, t4) = multiply_add(0, a[3], b[0], carry);
    let (t1, carry) = multiply_add(t1, a[0], b[1], 0);
    let (t2, carry) = multiply_add(t2, a[1], b[1], carry);
    let (t3, carry) = multiply_add(t3, a[2], b[1], carry);
    let (t4, t5) = multiply_add(t4, a[3], b[1], carry);
    let (t2, carry) = multiply_add(t2, a[0], b[2], 0);
    let (t3, carry) = multiply_add(t3, a[1], b[2], carry);
    let (t4, carry) = multiply_add(t4, a[2], b[2], carry);
    let (t5, t6) = multiply_add(t5, a[3], b[2], carry);
    let (t3, carry) = multiply_add(t3, a[0], b[3], 0);
    let (t4, carry) = multiply_add(t4, a[1], b[3], carry);
    let (t5, carry) = multiply_add(t5, a[2], b[3], carry);
    let (t6, t7) = multiply_add(t6, a[3], b[3], carry);
    reduce([t0, t1, t2, t3, t4, t5, t6, t7])
}

#[inline(always)]
fn square(a: Limbs) -> Limbs {
    // Products of different limbs, which count twice.
    let (t1, carry) = multiply_add(0, a[0], a[1], 0);
    let (t2, carry) = multiply_add(0, a[0], a[2], carry);
    let (t3, t4) = multiply_add(0, a[0], a[3], carry);
    let (t3, carry) = multiply_add(t3, a[1], a[2], 0);
    let (t4, t5) = multiply_add(t4, a[1], a[3], carry);
    let (t5, t6) = multiply_add(t5, a[2], a[3], 0);
    let t7 = t6 >> 63;
    let t6 = t6 << 1 | t5 >> 63;
    let t5 = t5 << 1 | t4 >> 63;
    let t4 = t4 << 1 | t3 >> 63;
    let t3 = t3 << 1 | t2 >> 63;
    let t2 = t2 << 1 | t1 >> 63;
    let [s0, s1, s2, s3] = a.map(|limb| split(u128::from(limb) * u128::from(limb)));
    let (t1, carry) = add_limbs(t1 << 1, s0.1, false);
    let (t2, carry) = add_limbs(t2, s1.0, carry);
    let (t3, carry) = add_limbs(t3, s1.1, carry);
    let (t4, carry) = add_limbs(t4, s2.0, carry);
    let (t5, carry) = add_limbs(t5, s2.1, carry);
    let (t6, carry) = add_limbs(t6, s3.0, carry);
    let (t7, _) = add_limbs(t7, s3.1, carry);
    reduce([s0.0, t1, t2, t3, t4, t5, t6, t7])
}

/// Below 1.2p for a base below 4p, and below 4p for one below 13p.
#[inline(always)]
fn cube(base: Limbs) -> Limbs {
    multiply(square(base), base)
}

/// Takes numbers below 3p, and returns numbers below 2p.
fn permute(mut state: [Limbs; 3], constants: &[Limbs; CONSTANT_COUNT]) -> [Limbs; 3] {
    let (before, others) = constants.split_at(FULL_CONSTANTS);
    let (partial, after) = others.split_at(PARTIAL_ROUNDS);
    for round in before.chunks_exact(3) {
        state = full_round(state, round);
    }
    let [mut x, mut y, mut z] = state;
    for constant in partial {
        // z is below 12p here, and its cube below 4p: only the cubed element need not be reduced.
        let cubed = cube(add(z, *constant));
        let sum = add(x, y);
        z = subtract(add(sum, multiple(8)), add(cubed, cubed)).0;
        let minuend = add(add(x, multiple(2)), cubed);
        (x, y) =
            (below_twice(add(add(sum, add(x, x)), cubed)), below_twice(subtract(minuend, y).0));
    }
    state = [x, y, below_twice(z)];
    for round in after.chunks_exact(3) {
        state = full_round(state, round);
    }
    state
}

#[inline(always)]
fn full_round(state: [Limbs; 3], constants: &[Limbs]) -> [Limbs; 3] {
    let [x, y, z] = std::array::from_fn(|index| cube(add(state[index], constants[index])));
    let sum = add(add(x, y), z);
    let more = add(sum, multiple(4));
    [
        below_twice(add(sum, add(x, x))),
        below_twice(subtract(more, add(y, y)).0),
        below_twice(subtract(more, add(add(z, z), z)).0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use starknet_types_core::hash::Poseidon as Published;

    /// Numbers without a pattern; the same in each run.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        }

        fn felt(&mut self) -> Felt {
            Felt::from_raw([self.next() % TOP, self.next(), self.next(), self.next()])
        }
    }

    /// Felts whose limbs, as numbers or in Montgomery form, are at the ends of their ranges.
    fn corners() -> Vec<Felt> {
        let ends = [0, 1, u64::MAX];
        let mut felts = vec![Felt::ZERO, Felt::ONE, Felt::TWO, Felt::MAX, Felt::MAX - Felt::ONE];
        for top in [0, 1, TOP - 1] {
            for lower in 0..27 {
                let limbs = [ends[lower / 9], ends[lower / 3 % 3], ends[lower % 3]];
                felts.push(Felt::from_raw([top, limbs[0], limbs[1], limbs[2]]));
            }
        }
        felts.push(Felt::from_raw([TOP, 0, 0, 0]));
        felts
    }

    fn published(mut state: [Felt; 3]) -> [Felt; 3] {
        Published::hades_permutation(&mut state);
        state
    }

    #[test]
    fn the_permutation_of_random_states_is_the_published_one() {
        let mut numbers = Numbers(1);
        for _ in 0..3_000 {
            let state = [numbers.felt(), numbers.felt(), numbers.felt()];
            assert_eq!(Poseidon::permutation(state), published(state), "{state:?}");
        }
    }

    #[test]
    fn the_permutation_of_corner_cases_is_the_published_one() {
        let corners = corners();
        for (index, first) in corners.iter().enumerate() {
            for second in &corners {
                let state = [*first, *second, corners[(index + 7) % corners.len()]];
                assert_eq!(Poseidon::permutation(state), published(state), "{state:?}");
            }
        }
    }

    #[test]
    fn lists_of_every_length_have_the_published_hash() {
        let mut numbers = Numbers(2);
        let felts: Vec<Felt> = (0..40).map(|_| numbers.felt()).collect();
        for length in 0..=felts.len() {
            let list = &felts[..length];
            assert_eq!(Poseidon::hash_array(list), Published::hash_array(list), "{length}");
        }
        let corners = corners();
        assert_eq!(Poseidon::hash_array(&corners), Published::hash_array(&corners));
    }

    #[test]
    fn pairs_and_single_felts_have_the_published_hash() {
        for pair in corners().windows(2) {
            assert_eq!(Poseidon::hash(&pair[0], &pair[1]), Published::hash(&pair[0], &pair[1]));
            assert_eq!(Poseidon::hash_single(&pair[0]), Published::hash_single(&pair[0]));
        }
    }

    #[test]
    fn products_of_numbers_that_are_not_reduced_are_right() {
        let mut numbers = Numbers(3);
        // The value of a number in Montgomery form, which may exceed the prime.
        let value = |number: Limbs| felt(below_twice(number));
        for _ in 0..2_000 {
            let mut number = || {
                let factor = numbers.next() % 12;
                add(limbs(numbers.felt()), multiple(factor))
            };
            let (left, right) = (number(), number());
            assert_eq!(value(multiply(left, right)), value(left) * value(right));
            assert_eq!(value(square(left)), value(left) * value(left));
        }
    }
}
