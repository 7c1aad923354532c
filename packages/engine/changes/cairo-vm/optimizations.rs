//! Work of earlier runs that a run does not repeat: programs in memory, decoded instructions, hashes, and multiples of
//! points. Results are those of the unchanged executor, which each thread can choose for comparisons.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};

use starknet_types_core::curve::ProjectivePoint;
use starknet_types_core::hash::{Pedersen, StarkHash};

use crate::Felt252;
use crate::types::instruction::Instruction;
use crate::types::program::SharedProgramData;
use crate::vm::vm_memory::memory::MemoryCell;

thread_local! {
    static ENABLED: Cell<bool> = const { Cell::new(true) };
}

/// Whether runs of this thread reuse earlier work.
pub fn is_enabled() -> bool {
    ENABLED.get()
}

/// Chooses whether runs of this thread reuse earlier work, and returns the choice before.
pub fn set_enabled(enabled: bool) -> bool {
    ENABLED.replace(enabled)
}

/// The segment of a program at the start of a run: all cells have their values and are accessed. Programs consist of
/// numbers and cells are written once, so that a run cannot change it.
pub(crate) struct ProgramMemory {
    pub(crate) cells: Vec<MemoryCell>,
    /// Instructions that runs have decoded, by offset.
    pub(crate) instructions: Vec<Option<Instruction>>,
}

impl ProgramMemory {
    fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<MemoryCell>()
            + self.instructions.capacity() * size_of::<Option<Instruction>>()
    }
}

/// Bytes of all programs in the pool.
const MOST_BYTES: usize = 32 << 20;

struct Pooled {
    /// The address stays reserved while there is a weak reference, so that it identifies the program.
    program: Weak<SharedProgramData>,
    memory: ProgramMemory,
}

struct Pool {
    /// The most recently used is the last.
    programs: VecDeque<Pooled>,
    bytes: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { programs: VecDeque::new(), bytes: 0 });

/// Takes the memory of a program out of the pool.
pub(crate) fn take_memory(program: &Arc<SharedProgramData>) -> Option<ProgramMemory> {
    let mut pool = POOL.lock().ok()?;
    let index =
        pool.programs.iter().rposition(|pooled| pooled.program.as_ptr() == Arc::as_ptr(program))?;
    let memory = pool.programs.remove(index)?.memory;
    pool.bytes -= memory.bytes();
    Some(memory)
}

/// Puts the memory of a program into the pool, which drops the least recently used programs.
pub(crate) fn put_memory(program: &Arc<SharedProgramData>, memory: ProgramMemory) {
    let Ok(mut pool) = POOL.lock() else { return };
    pool.bytes += memory.bytes();
    pool.programs.push_back(Pooled { program: Arc::downgrade(program), memory });
    let mut dropped = Vec::new();
    while pool.bytes > MOST_BYTES {
        let Some(oldest) = pool.programs.pop_front() else { break };
        pool.bytes -= oldest.memory.bytes();
        dropped.push(oldest);
    }
    // Large segments are freed without the lock.
    drop(pool);
}

type Point = (Felt252, Felt252);

/// Hashes of recent pairs, each at an index that the pair determines.
struct Hashes(Vec<Option<(Felt252, Felt252, Felt252)>>);

const HASHES: usize = 1 << 12;

static RECENT_HASHES: Mutex<Hashes> = Mutex::new(Hashes(Vec::new()));

impl Hashes {
    fn slot(
        &mut self,
        left: &Felt252,
        right: &Felt252,
    ) -> &mut Option<(Felt252, Felt252, Felt252)> {
        if self.0.is_empty() {
            self.0.resize(HASHES, None);
        }
        let limbs = left.to_raw()[3] ^ right.to_raw()[3].rotate_left(32);
        &mut self.0[limbs.wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 20 & (HASHES - 1)]
    }
}

/// The Pedersen hash of two numbers. Contracts hash the same keys of their storage again and again.
pub(crate) fn pedersen_hash(left: &Felt252, right: &Felt252) -> Felt252 {
    if !is_enabled() {
        return Pedersen::hash(left, right);
    }
    if let Ok(mut hashes) = RECENT_HASHES.lock() {
        if let Some((l, r, hash)) = hashes.slot(left, right) {
            if l == left && r == right {
                return *hash;
            }
        }
    }
    let hash = Pedersen::hash(left, right);
    if let Ok(mut hashes) = RECENT_HASHES.lock() {
        *hashes.slot(left, right) = Some((*left, *right, hash));
    }
    hash
}

/// Bits of the largest factor of a point.
const FACTOR_BITS: usize = 252;
/// Points whose doublings are kept.
const MOST_DOUBLED: usize = 32;
/// Points that were multiplied once.
const MOST_SEEN: usize = 64;

/// Doublings of points that were multiplied twice: the generator, and public keys. Points of a signature are not.
struct DoubledPoints {
    /// The most recently used is the last.
    doubled: VecDeque<(Point, Arc<[Point]>)>,
    seen: VecDeque<Point>,
}

static DOUBLED_POINTS: Mutex<DoubledPoints> =
    Mutex::new(DoubledPoints { doubled: VecDeque::new(), seen: VecDeque::new() });

/// A point times 1, 2, 4 and so on. None for a point that was not multiplied recently.
fn doublings_of(point: Point) -> Option<Arc<[Point]>> {
    let mut points = DOUBLED_POINTS.lock().ok()?;
    if let Some(index) = points.doubled.iter().rposition(|(base, _)| *base == point) {
        let entry = points.doubled.remove(index)?;
        let doublings = entry.1.clone();
        points.doubled.push_back(entry);
        return Some(doublings);
    }
    let Some(index) = points.seen.iter().rposition(|seen| *seen == point) else {
        points.seen.push_back(point);
        if points.seen.len() > MOST_SEEN {
            points.seen.pop_front();
        }
        return None;
    };
    points.seen.remove(index);
    drop(points);
    let doublings = double_repeatedly(point)?;
    let mut points = DOUBLED_POINTS.lock().ok()?;
    points.doubled.push_back((point, doublings.clone()));
    if points.doubled.len() > MOST_DOUBLED {
        points.doubled.pop_front();
    }
    Some(doublings)
}

fn double_repeatedly(point: Point) -> Option<Arc<[Point]>> {
    let mut doubled = ProjectivePoint::from_affine(point.0, point.1).ok()?;
    let mut points = Vec::with_capacity(FACTOR_BITS);
    // Products of all z up to each point: one inversion serves all of them.
    let mut products = Vec::with_capacity(FACTOR_BITS);
    let mut product = Felt252::ONE;
    for _ in 0..FACTOR_BITS {
        products.push(product);
        product *= doubled.z();
        let next = doubled.double();
        points.push(std::mem::replace(&mut doubled, next));
    }
    let mut inverse = product.inverse()?;
    let mut doublings = vec![point; FACTOR_BITS];
    for index in (0..FACTOR_BITS).rev() {
        let point = &points[index];
        let inverse_z = inverse * products[index];
        doublings[index] = (point.x() * inverse_z, point.y() * inverse_z);
        inverse *= point.z();
    }
    Some(doublings.into())
}

/// The sum of a point and a multiple of another one, by doublings that are kept. None if there are none, or if the
/// operation fails because two points on the way have the same x coordinate.
pub(crate) fn ec_op(partial_sum: Point, doubled_point: Point, factor: &Felt252) -> Option<Point> {
    if !is_enabled() {
        return None;
    }
    ProjectivePoint::from_affine(partial_sum.0, partial_sum.1).ok()?;
    let doublings = doublings_of(doubled_point)?;
    let limbs = factor.to_le_digits();
    let bits = factor.bits();
    let (mut x, mut y) = partial_sum;
    let mut z = Felt252::ONE;
    for (bit, (other_x, other_y)) in doublings.iter().enumerate().take(bits) {
        let v = other_x * z - x;
        if v == Felt252::ZERO {
            return None;
        }
        if limbs[bit / 64] >> (bit % 64) & 1 == 0 {
            continue;
        }
        let u = other_y * z - y;
        let v_square = v.square();
        let v_cube = v * v_square;
        let r = v_square * x;
        let a = u.square() * z - v_cube - r.double();
        x = v * a;
        y = u * (r - a) - v_cube * y;
        z *= v_cube;
    }
    let inverse = z.inverse()?;
    Some((x * inverse, y * inverse))
}
