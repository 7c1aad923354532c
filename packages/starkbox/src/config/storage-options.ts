// Options of what is kept of the chain, in memory and in files.
import { inGroup, type OptionTable, oneOf, path, wholeNumber } from './option.js';

export interface StorageConfig {
  readonly stateArchive: 'full' | 'none';
  readonly dataDir: string | undefined;
  /** Blocks and transactions that stay in memory where there is a data directory. */
  readonly recentBlocks: number;
  readonly init: string | undefined;
  readonly dumpOn: 'exit' | 'block' | 'request' | undefined;
  readonly dumpPath: string | undefined;
  readonly dumpFormat: 'journal' | 'image';
  /** Where callers may read and write files. */
  readonly dumpDir: string | undefined;
}

export const STORAGE_OPTIONS: OptionTable<StorageConfig> = inGroup('State', {
  stateArchive: {
    flag: '--state-archive-capacity <STATE_ARCHIVE_CAPACITY>',
    hasShortVariable: true,
    field: 'state_archive',
    isFixed: true,
    isPortable: true,
    default: 'full',
    parse: oneOf('none', 'full'),
    help: 'full keeps the state of every block; none keeps only the newest, so that memory does not grow.',
  },
  dataDir: {
    flag: '--data-dir <DIR>',
    default: undefined,
    parse: path,
    help: 'Store the chain in this directory: every answered change is on disk, and the next start continues from there.',
  },
  recentBlocks: {
    flag: '--recent-blocks <NUMBER>',
    default: 2048,
    parse: wholeNumber(1, 10 ** 6),
    help: 'With --data-dir, the approximate number of blocks and transactions in memory; older ones are read from disk.',
  },
  init: {
    flag: '--init <FILE>',
    default: undefined,
    parse: path,
    help: 'JSON file with a list of calls, { "method": ..., "params": ... }, that are made before the node listens, unless it continues a chain; one that fails stops the start.',
  },
  dumpOn: {
    flag: '--dump-on <EVENT>',
    hasShortVariable: true,
    field: 'dump_on',
    default: undefined,
    parse: oneOf('exit', 'block', 'request'),
    help: 'When the chain is written to a file: at exit, on request, or (only its calls) after each call.',
  },
  dumpPath: {
    flag: '--dump-path <DUMP_PATH>',
    hasShortVariable: true,
    field: 'dump_path',
    default: undefined,
    parse: path,
    help: 'File of the dump; if it exists at the start, it is loaded with the accounts that it records.',
  },
  dumpFormat: {
    flag: '--dump-format <FORMAT>',
    default: 'journal',
    parse: oneOf('journal', 'image'),
    help: 'Format of the dump: journal (the calls that made the chain) or image (its complete state).',
  },
  dumpDir: {
    flag: '--dump-dir <DIR>',
    default: undefined,
    parse: path,
    help: 'Restrict devnet_dump and devnet_load to files in this directory; paths are relative to it.',
  },
});
