// Options of what is kept of the chain, in memory and in files.
import { inGroup, oneOf, path, wholeNumber } from './option.js';

export const STORAGE_OPTIONS = inGroup('storage', {
  stateArchive: {
    flag: '--state-archive-capacity <STATE_ARCHIVE_CAPACITY>',
    hasShortVariable: true,
    field: 'state_archive',
    isFixed: true,
    default: 'full',
    parse: oneOf('none', 'full'),
    help: 'full keeps the state of every block. none keeps only the newest state and saves memory.',
  },
  dataDir: {
    flag: '--data-dir <FOLDER>',
    default: undefined,
    parse: path,
    help: 'Store the chain in this folder. The node writes each change before the response, and the next start continues the chain.',
    brief: 'Store the chain in a folder and continue it later',
  },
  /** Blocks and transactions that stay in memory where there is a data directory. */
  recentBlocks: {
    flag: '--recent-blocks <NUMBER>',
    default: 2048,
    parse: wholeNumber(1, 10 ** 6),
    help: 'With --data-dir, the approximate number of blocks and transactions in memory. The node reads older ones from disk.',
  },
  init: {
    flag: '--init <FILE>',
    default: undefined,
    parse: path,
    help: 'JSON file with a list of calls, { "method": ..., "params": ... }. The node makes them before it listens, unless it continues a chain. A failed call stops the start.',
    brief: 'Make the calls in this JSON file at the start',
  },
  dumpOn: {
    flag: '--dump-on <EVENT>',
    hasShortVariable: true,
    field: 'dump_on',
    default: undefined,
    parse: oneOf('exit', 'block', 'request'),
    help: 'When to write the chain to the dump file: at exit, on request, or after each call (block, journals only).',
  },
  dumpPath: {
    flag: '--dump-path <DUMP_PATH>',
    hasShortVariable: true,
    field: 'dump_path',
    default: undefined,
    parse: path,
    help: 'The dump file. If it exists at the start, the node loads it with its accounts.',
    brief: 'Load this dump file at the start, if it exists',
  },
  dumpFormat: {
    flag: '--dump-format <FORMAT>',
    default: 'journal',
    parse: oneOf('journal', 'image'),
    help: 'Format of the dump: journal (the calls that created the chain) or image (the complete state).',
  },
  /** Where callers may read and write files. */
  dumpDir: {
    flag: '--dump-dir <FOLDER>',
    default: undefined,
    parse: path,
    help: 'Let devnet_dump and devnet_load use only files in this folder. Paths are relative to it.',
  },
});
