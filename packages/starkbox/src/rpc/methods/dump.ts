// Methods that dump and load the chain.
import {
  type DumpOptions,
  type DumpTarget,
  dumpImage,
  dumpJournal,
  type LoadedWorld,
} from '../../dump/dump.js';
import { failDump } from '../../dump/journal.js';
import { worldInFile, worldInText } from '../../dump/load-dump.js';
import { invalidParams } from '../../errors.js';
import { checkPath, FileError } from '../../files/regular-file.js';
import { Confined, confine } from '../../files/safe-path.js';
import type { HandlerGroup } from '../protocol/handlers.js';

export function dumpMethods(options: DumpOptions): HandlerGroup {
  return {
    async devnet_dump({ path, inline = false, format = options.format }) {
      const target = targetOf(options, path, inline);
      return format === 'image' ? dumpImage(options, target) : dumpJournal(options, target);
    },

    async devnet_load({ path, events, image, format }) {
      const sources = [path, events, image].filter((source) => source !== undefined);
      if (sources.length !== 1) invalidParams('params: give one of path, events and image');
      let loaded: LoadedWorld;
      if (path !== undefined)
        loaded = await worldInFile(options, fileOf(options, path), { format, given: path });
      else if (image !== undefined) loaded = await worldInText(options, image);
      else loaded = await options.repeat(events ?? []);
      await options.chain.replace(loaded.world, loaded.options);
      return {};
    },
  };
}

/** The file that a call names, or the usual one; undefined for an answer without a file. */
function targetOf(
  options: DumpOptions,
  path: string | undefined,
  inline: boolean,
): DumpTarget | undefined {
  if (path !== undefined) return { path: fileOf(options, path), shown: path };
  return inline || options.path === undefined ? undefined : { path: options.path };
}

/** The path of a file that a call names. */
function fileOf({ directory }: DumpOptions, path: string): string {
  try {
    if (directory !== undefined) return confine(directory, path);
    checkPath(path);
    return path;
  } catch (error) {
    if (error instanceof Confined || error instanceof FileError) failDump(error.message);
    throw error;
  }
}
