//! Square roots in the field of Stark, for the hints that compute points of the curve.
//!
//! The field has a prime P with P - 1 = 2^192 * T. The published root takes squares bit by bit of these 192. Here the
//! logarithm in the subgroup of order 2^192 is read in digits of 8 bits from tables, as P. Sarkar describes it.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

use cairo_lang_casm::hints::{CoreHint, CoreHintBase};
use cairo_lang_casm::operand::CellRef;
use cairo_lang_runner::casm_run::{cell_ref_to_relocatable, get_val};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::optimizations;
use cairo_vm::vm::vm_core::VirtualMachine;
use starknet_types_core::felt::Felt;

const DIGIT_BITS: usize = 8;
const DIGITS: usize = 192 / DIGIT_BITS;
const DIGIT_VALUES: usize = 1 << DIGIT_BITS;
/// The odd part of P - 1.
const T: u64 = (1 << 59) + 17;
/// The constant of the curve y^2 = x^3 + x + BETA.
const BETA: Felt =
    Felt::from_hex_unchecked("0x6f21413efbe40de150e596d72f7a8c5609ad26c15c915c1f4cdfcb99cee9e89");

struct Tables {
    /// Generator of the subgroup to the power of -value * 256^position, by position and value.
    inverse_powers: Vec<[Felt; DIGIT_VALUES]>,
    /// From the first limb of the generator to the power of value * 256^23 to the value.
    last_digits: HashMap<u64, u8>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    // 3 is no square, so that its power generates the subgroup.
    let mut factor = Felt::THREE.pow(T).inverse().unwrap_or(Felt::ONE);
    let mut inverse_powers = Vec::with_capacity(DIGITS);
    for _ in 0..DIGITS {
        let mut powers = [Felt::ONE; DIGIT_VALUES];
        for value in 1..DIGIT_VALUES {
            powers[value] = powers[value - 1] * factor;
        }
        factor *= powers[DIGIT_VALUES - 1];
        inverse_powers.push(powers);
    }
    let last_powers = inverse_powers[DIGITS - 1];
    let last_digits = (0..DIGIT_VALUES)
        .map(|value| {
            let power = last_powers[(DIGIT_VALUES - value) % DIGIT_VALUES];
            (power.to_raw()[0], value as u8)
        })
        .collect();
    Tables { inverse_powers, last_digits }
});

/// One of the square roots of a number that has any.
fn square_root(number: Felt) -> Option<Felt> {
    if number == Felt::ZERO {
        return Some(number);
    }
    let Tables { inverse_powers, last_digits } = &*TABLES;
    let half_power = number.pow((T - 1) / 2);
    let candidate = number * half_power;
    // The part of the number in the subgroup, to the power of 256^position.
    let mut powers = [candidate * half_power; DIGITS];
    for position in 1..DIGITS {
        let mut power = powers[position - 1];
        for _ in 0..DIGIT_BITS {
            power = power.square();
        }
        powers[position] = power;
    }
    // The logarithm of that part.
    let mut digits = [0_u8; DIGITS];
    for found in 0..DIGITS {
        let shift = DIGITS - 1 - found;
        let mut power = powers[shift];
        for (position, digit) in digits[..found].iter().enumerate() {
            power *= inverse_powers[position + shift][usize::from(*digit)];
        }
        digits[found] = *last_digits.get(&power.to_raw()[0])?;
        if digits[0] % 2 == 1 {
            return None;
        }
    }
    // Half of the logarithm removes that part from the candidate.
    let root = (0..DIGITS).fold(candidate, |root, position| {
        let carry = digits.get(position + 1).map_or(0, |next| next % 2);
        let half = (digits[position] >> 1) | (carry << (DIGIT_BITS - 1));
        root * inverse_powers[position][usize::from(half)]
    });
    Some(root)
}

/// The root that the hint of the published executor gives: of the number or, if it is no square, of its triple.
fn root_for_hint(number: Felt) -> Felt {
    let root = square_root(number)
        .or_else(|| square_root(number * Felt::THREE))
        .expect("Either a number or its triple is a square.");
    std::cmp::min(root, -root)
}

fn random_point() -> (Felt, Felt) {
    loop {
        let mut bytes = [0_u8; 32];
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&RandomState::new().build_hasher().finish().to_be_bytes());
        }
        let x = Felt::from_bytes_be_slice(&bytes[..31]);
        if let Some(y) = square_root(x * x * x + x + BETA) {
            return (x, y);
        }
    }
}

/// Whether a hint is executed by this module.
pub(crate) fn computes(hint: &CoreHintBase) -> bool {
    let CoreHintBase::Core(hint) = hint else { return false };
    matches!(hint, CoreHint::FieldSqrt { .. } | CoreHint::RandomEcPoint { .. })
        && optimizations::is_enabled()
}

pub(crate) fn execute(vm: &mut VirtualMachine, hint: &CoreHintBase) -> Result<(), HintError> {
    let insert = |vm: &mut VirtualMachine, cell: &CellRef, value: Felt| {
        vm.insert_value(cell_ref_to_relocatable(cell, vm), value)
    };
    match hint {
        CoreHintBase::Core(CoreHint::FieldSqrt { val, sqrt }) => {
            let number = get_val(vm, val)?;
            insert(vm, sqrt, root_for_hint(number))?;
        }
        CoreHintBase::Core(CoreHint::RandomEcPoint { x, y }) => {
            let point = random_point();
            insert(vm, x, point.0)?;
            insert(vm, y, point.1)?;
        }
        _ => return Err(HintError::WrongHintData),
    }
    Ok(())
}
