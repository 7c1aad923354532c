//! JSON texts: one place is replaced, removed, repeated or exchanged. Strings of gzipped JSON are changed inside.

use std::io::{Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::{Random, mutated, replace};

const TEXTS: &[&str] = &[
    "",
    "0x",
    "0x0",
    "0x1",
    "0x3",
    "0X1",
    "1",
    "-1",
    "0xg",
    "0x00000000000000000000000000000000000000000000000000000000000000001",
    "0x800000000000011000000000000000000000000000000000000000000000001",
    "0x800000000000011000000000000000000000000000000000000000000000000",
    "0x800000000000000000000000000000000000000000000000000000000000000",
    "0x7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "0x7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00",
    "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "0xffffffffffffffffffffffffffffffff",
    "0x100000000000000000000000000000000",
    "0x100000000000000000000000000000003",
    "0xffffffffffffffff",
    "0x10000000000000000",
    "340282366920938463463374607431768211455",
    "99999999999999999999999999999999999999999999",
    "L1",
    "L2",
    "INVOKE",
    "DECLARE",
    "DEPLOY_ACCOUNT",
    "L1_HANDLER",
    "SUCCEEDED",
    "REVERTED",
    "0.13.2",
    "0.14.4",
    "1.7.0",
    "\u{0}",
    "\u{10348}\u{e9}",
];

pub fn any_text(random: &mut Random) -> &'static str {
    random.choice(TEXTS).unwrap_or_default()
}

fn any_value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth > 2 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => Value::Bool(random.one_in(2)),
        2 => random.choice(&[0, 1, -1, i64::MAX, i64::MIN, 1 << 32, 255]).into(),
        3 => u64::MAX.into(),
        4 => 1.5.into(),
        5 => any_text(random).into(),
        6 => (0..random.below(4)).map(|_| any_value(random, depth + 1)).collect(),
        _ => json!({ any_text(random): any_value(random, depth + 1) }),
    }
}

pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(seed);
    if random.one_in(4) {
        return replace(data, size, max_size, None);
    }
    let new = serde_json::from_slice(&data[..size]).ok().and_then(|mut value: Value| {
        for _ in 0..=random.below(3) {
            change(&mut value, &mut random);
        }
        serde_json::to_vec(&value).ok()
    });
    replace(data, size, max_size, new)
}

/// Every place of a value, as JSON pointers.
fn places(value: &Value, here: String, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, format!("{here}/{index}"), found);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(member, format!("{here}/{key}"), found);
            }
        }
        _ => {}
    }
    found.push(here);
}

fn change(value: &mut Value, random: &mut Random) {
    let mut found = Vec::new();
    places(value, String::new(), &mut found);
    let other =
        found.get(random.below(found.len())).and_then(|place| value.pointer(place)).cloned();
    let at = random.below(found.len());
    let Some(place) = found.get(at).and_then(|place| value.pointer_mut(place)) else { return };
    match (random.below(4), &mut *place) {
        (0, place) => *place = any_value(random, 0),
        (1, place) => *place = other.unwrap_or_default(),
        (_, Value::String(text)) => *place = Value::String(changed_text(text, random)),
        (_, Value::Array(items)) => change_items(items, random, other),
        (_, Value::Object(members)) => {
            let keys: Vec<_> = members.keys().cloned().collect();
            let key = keys.get(random.below(keys.len())).cloned().unwrap_or_default();
            if random.one_in(2) {
                members.remove(&key);
            } else {
                let name = if random.one_in(2) { key } else { any_text(random).to_owned() };
                members.insert(name, other.unwrap_or_default());
            }
        }
        (_, place) => *place = any_value(random, 1),
    }
}

fn change_items(items: &mut Vec<Value>, random: &mut Random, other: Option<Value>) {
    let index = random.below(items.len());
    match random.below(4) {
        0 if !items.is_empty() => {
            items.remove(index);
        }
        1 => items.insert(index, other.unwrap_or_default()),
        2 if items.len() < 64 => items.extend(items.clone()),
        _ => items.truncate(index),
    }
}

fn changed_text(text: &str, random: &mut Random) -> String {
    if let Some(inner) = unpacked(text)
        && let Ok(mut value) = serde_json::from_str::<Value>(&inner)
    {
        change(&mut value, random);
        return packed(&value.to_string());
    }
    if random.one_in(2) {
        return any_text(random).to_owned();
    }
    String::from_utf8_lossy(&mutated(text.as_bytes(), 16)).into_owned()
}

/// The form in which Cairo 0 programs are sent.
fn unpacked(text: &str) -> Option<String> {
    let gzip = BASE64.decode(text).ok().filter(|bytes| bytes.len() > 10)?;
    let mut inner = String::new();
    GzDecoder::new(&gzip[..]).take(1 << 20).read_to_string(&mut inner).ok()?;
    Some(inner)
}

fn packed(inner: &str) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(inner.as_bytes()).and_then(|()| encoder.finish());
    BASE64.encode(written.unwrap_or_default())
}
