//! Felts as text, one in each line.

use super::{Random, json, replace};

pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(seed);
    let new = std::str::from_utf8(&data[..size]).ok().filter(|_| random.one_in(3)).map(|text| {
        let mut lines: Vec<&str> = text.lines().collect();
        let at = random.below(lines.len() + 1);
        match random.below(3) {
            0 if at < lines.len() => {
                lines.remove(at);
            }
            1 if at < lines.len() => lines[at] = json::any_text(&mut random),
            _ => lines.insert(at, json::any_text(&mut random)),
        }
        lines.join("\n").into_bytes()
    });
    replace(data, size, max_size, new)
}
