// Commands other than running a node: names, arguments and results.

import { parseArgs } from 'node:util';
import { UsageError } from '../../config/option.js';
import { type Source, sourceOfFile } from '../../dump/image/source.js';
import { reasonOf } from '../../errors.js';
import { type Paint, painter } from '../../terminal.js';
import { readNames } from './names.js';

/** The arguments of a command. */
interface Words {
  readonly files: readonly string[];
  readonly json: boolean;
  readonly names: string | undefined;
  readonly url: string | undefined;
  readonly paint: Paint;
}

interface Command {
  readonly usage: string;
  readonly files: number;
  readonly takesNames: boolean;
  readonly takesUrl?: boolean;
  readonly help: string;
  /** The text to print. */
  readonly run: (words: Words) => Promise<string>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  inspect: {
    usage: 'starkbox inspect FILE [--json]',
    files: 1,
    takesNames: false,
    help: 'Prints what an image holds. Checks all of it.',
    async run({ files: [path = ''], json, paint }) {
      const { inspect } = await import('./inspect.js');
      return withSource(path, (source) => inspect(path, source, { json, paint }));
    },
  },
  diff: {
    usage: 'starkbox diff A B [--json] [--names FILE]',
    files: 2,
    takesNames: true,
    help: `Prints how the image B differs from the image A.

  --names FILE   names for addresses and storage variables, as JSON:
                 {"addresses": {"0x1234": "alice"}, "variables": ["count", "held[address]"]}
                 "address" in brackets stands for every address that is known.`,
    async run({ files: [one = '', other = ''], json, names, paint }) {
      const given = names === undefined ? undefined : readNames(names);
      const { diff } = await import('./diff.js');
      return withSource(one, (before) =>
        withSource(other, (after) => diff([one, before], [other, after], { json, paint }, given)),
      );
    },
  },
  replay: {
    usage: 'starkbox replay FILE [--url URL] [--json]',
    files: 1,
    takesNames: false,
    takesUrl: true,
    help: `Repeats the requests that --trace-requests recorded, on a fresh node with the same options, and
fails if an answer differs. Times, and what depends on them, may differ.

  --url URL      a node that runs, to be asked instead`,
    async run({ files: [path = ''], json, paint, url }) {
      const { replay } = await import('./replay.js');
      return replay(path, { json, paint, url });
    },
  },
};

/** The text to print; throws a `UsageError` for invalid arguments. */
export function runCommand(argv: readonly string[], coloured: boolean): Promise<string> {
  const [name = '', ...rest] = argv;
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`unknown command '${name}'`);
  const { values, positionals: files } = parsed(rest);
  if (values.help) {
    return Promise.resolve(`${command.help}\n\nUsage: ${command.usage}\n`);
  }
  const isUnknown =
    (values.names !== undefined && !command.takesNames) ||
    (values.url !== undefined && !command.takesUrl);
  if (files.length !== command.files || isUnknown) {
    throw new UsageError(`usage: ${command.usage}`);
  }
  const { json, names, url } = values;
  return command.run({ files, json, names, url, paint: painter(coloured) });
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        names: { type: 'string' },
        url: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

async function withSource<T>(path: string, use: (source: Source) => Promise<T>): Promise<T> {
  const source = sourceOfFile(path);
  try {
    return await use(source);
  } catch (error) {
    const reason = reasonOf(error);
    throw new Error(reason.startsWith(`${path}: `) ? reason : `${path}: ${reason}`, {
      cause: error,
    });
  } finally {
    source.close();
  }
}
