//! Compiled classes on disk, one gzipped file per class hash and compiler version. The files that were not used
//! for longest are removed when all together exceed a limit. Several processes may share the folder.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use starkbox_engine_core::class::compiler::{self, Output};
use starkbox_engine_core::felt::hex;
use starknet_types_core::felt::Felt;

pub struct CasmCache {
    folder: PathBuf,
    most_bytes: u64,
    /// Bytes that this process may still write before it measures the folder again.
    remaining: AtomicU64,
}

/// A file of the cache.
struct Entry {
    used_at: SystemTime,
    bytes: u64,
    path: PathBuf,
}

impl CasmCache {
    pub fn new(folder: PathBuf, most_bytes: u64) -> Self {
        CasmCache { folder, most_bytes, remaining: AtomicU64::new(0) }
    }

    /// A folder for each compiler version, with a file for each class and output.
    fn path(&self, output: Output, class_hash: &Felt) -> PathBuf {
        let suffix = match output {
            Output::Casm => "json.gz",
            Output::Statements => "statements.json.gz",
            Output::Variables => "cells.json.gz",
        };
        self.folder.join(compiler::version()).join(format!("{}.{suffix}", hex(*class_hash)))
    }

    /// Gzip ends in a checksum, so a damaged or half-written file is not used.
    pub fn read(&self, output: Output, class_hash: &Felt) -> Option<String> {
        let file = File::open(self.path(output, class_hash)).ok()?;
        let mut text = String::new();
        GzDecoder::new(&file).read_to_string(&mut text).ok()?;
        // The time of the last use. A file that cannot be changed is only removed earlier.
        let _ = file.set_modified(SystemTime::now());
        Some(text)
    }

    /// Writes a temporary file and renames it: other processes see the whole file or none.
    pub fn write(&self, output: Output, class_hash: &Felt, text: &str) -> std::io::Result<()> {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let path = self.path(output, class_hash);
        let beside = path.with_extension(format!("{}.{serial}.tmp", std::process::id()));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let written = write_gzipped(&beside, text).and_then(|bytes| {
            fs::rename(&beside, &path)?;
            Ok(bytes)
        });
        let bytes = written.inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })?;
        if self.is_due(bytes) {
            self.trim();
        }
        Ok(())
    }

    /// Whether the folder has to be measured, which takes longer the more files it has.
    fn is_due(&self, bytes: u64) -> bool {
        let take = |remaining: u64| remaining.checked_sub(bytes);
        self.remaining.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).is_err()
    }

    /// Removes the files that were not used for longest. One that another process reads stays readable to it, or
    /// is compiled again.
    fn trim(&self) {
        let mut entries = Vec::new();
        collect(&self.folder, 1, &mut entries);
        let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        if bytes > self.most_bytes {
            entries.sort_unstable_by_key(|entry| entry.used_at);
            // Some more than needed, so that the next write does not measure again.
            let goal = self.most_bytes - self.most_bytes / 8;
            for entry in entries {
                if bytes <= goal {
                    break;
                }
                if fs::remove_file(&entry.path).is_ok() {
                    bytes -= entry.bytes;
                }
            }
        }
        // Other processes write too, so this one measures before all that is free is used.
        self.remaining.store(self.most_bytes.saturating_sub(bytes) / 4, Ordering::Release);
    }
}

fn write_gzipped(path: &Path, text: &str) -> std::io::Result<u64> {
    let mut encoder = GzEncoder::new(File::create(path)?, Compression::fast());
    encoder.write_all(text.as_bytes())?;
    let file = encoder.finish()?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

/// Lists the files of a folder and, at `depth` 1, of the folders in it. What cannot be read is left out.
fn collect(folder: &Path, depth: usize, entries: &mut Vec<Entry>) {
    let Ok(listed) = fs::read_dir(folder) else { return };
    for item in listed.flatten() {
        let Ok(metadata) = item.metadata() else { continue };
        if metadata.is_dir() && depth > 0 {
            collect(&item.path(), depth - 1, entries);
        } else if metadata.is_file() && is_ours(&item.path()) {
            let used_at = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            entries.push(Entry { used_at, bytes: metadata.len(), path: item.path() });
        }
    }
}

/// The folder may be one of the user's with other files.
fn is_ours(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    name.starts_with("0x") && (name.ends_with(".json.gz") || name.ends_with(".tmp"))
}
