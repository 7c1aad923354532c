// Opening of a rehearsal: its options as text, the fork, the classes, and a lock file that may have all responses.
import { existsSync, statSync } from 'node:fs';
import { Class } from '@starkbox/engine';
import { type Config, defaultConfig, givenIn } from '../config/options.js';
import { DebugInfos } from '../debug-info/debug-infos.js';
import { PackageTexts } from '../debug-info/source-texts.js';
import { reasonOf } from '../errors.js';
import { readRegularSync } from '../files/regular-file.js';
import { openFork } from '../fork/open-fork.js';
import { parse } from '../json/json.js';
import { type Log, silentLog } from '../log.js';
import type { BlockSelection } from './find.js';
import { rehearse } from './rehearse.js';
import type { Rehearsal } from './report.js';

export interface RehearsalWords {
  readonly contract: string;
  /** Files of classes as the compiler wrote them. */
  readonly newClass: string;
  readonly oldClass: string | undefined;
  readonly wanted: BlockSelection;
  readonly carry: boolean;
  readonly tolerance: number;
  /** Options of the fork. */
  readonly config: Partial<Config>;
}

/**
 * Rehearses an upgrade. If the lock file has all responses, the network gets no request.
 *
 * @param onProgress gets a line about the work
 */
export async function openRehearsal(
  words: RehearsalWords,
  log: Log,
  onProgress?: (text: string) => void,
): Promise<Rehearsal> {
  const { forkLock, forkNetwork, offline = false } = words.config;
  const isRecorded = forkLock !== undefined && existsSync(forkLock);
  if (!isRecorded || offline) return rehearseOn(words, words.config, log, onProgress);
  try {
    const recorded = { ...words.config, offline: true };
    return await rehearseOn(
      words,
      recorded,
      forkNetwork === undefined ? log : silentLog,
      onProgress,
    );
  } catch (error) {
    if (forkNetwork === undefined || !(error instanceof MissingAnswer)) throw error;
    return rehearseOn(words, words.config, log, onProgress);
  }
}

/** A response is not in the lock file. */
class MissingAnswer extends Error {
  override readonly name = 'MissingAnswer';
}

async function rehearseOn(
  words: RehearsalWords,
  given: Partial<Config>,
  log: Log,
  onProgress: ((text: string) => void) | undefined,
): Promise<Rehearsal> {
  const infos = new DebugInfos();
  const newClass = await readClass(words.newClass, infos);
  if (words.oldClass !== undefined) await readClass(words.oldClass, infos);
  const config = defaultConfig(given);
  const opened = await openFork(config, givenIn(config), log);
  if (!opened) throw new Error('a network is missing: pass its URL with --fork-network');
  const { fork, origin } = opened;
  try {
    return await rehearse({
      ...words,
      fork,
      newClass,
      infos,
      chainId: opened.config.chainId,
      onProgress,
    });
  } catch (error) {
    const { firstMissing } = origin;
    if (firstMissing === undefined) throw error;
    throw new MissingAnswer(
      `${given.forkLock} has no response to ${firstMissing}: pass the URL of the network with --fork-network`,
      { cause: error },
    );
  } finally {
    await origin.close();
  }
}

/** Compiles a class, and keeps its debug information. */
async function readClass(file: string, infos: DebugInfos): Promise<Class> {
  const text = readRegularSync(file);
  try {
    const compiled = await Class.compile(text);
    if (compiled.kind === 'cairo0') throw new Error('it is of Cairo 0');
    const texts = await PackageTexts.of(file, statSync(file).mtimeMs);
    infos.add(compiled.hash, parse(text), () => texts);
    return compiled;
  } catch (error) {
    throw new Error(
      `${file} is not a Sierra class: ${reasonOf(error)}. Pass the file *.contract_class.json that the compiler wrote`,
      { cause: error },
    );
  }
}
