//! Compiled classes on disk, one gzipped file per class hash and compiler version.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Gzip ends in a checksum, so a damaged or half-written file is not used.
pub(super) fn read_cached(path: &Path) -> Option<String> {
    let file = fs::File::open(path).ok()?;
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Writes a temporary file and renames it: other processes see the whole file or none.
pub(super) fn write_cached(path: &Path, text: &str) -> std::io::Result<()> {
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_extension(format!("{}.{serial}.tmp", std::process::id()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut encoder = GzEncoder::new(fs::File::create(&beside)?, Compression::fast());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()?.sync_all()?;
    fs::rename(&beside, path).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}
