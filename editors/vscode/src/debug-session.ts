// Parts of the extension that need no editor: the command of the adapter, bundles, hashes and links.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/** A program with its arguments. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/** Where commands are looked up. */
interface Machine {
  /** The variable PATH. */
  readonly path?: string;
  readonly platform?: string;
}

const SUBCOMMAND = ['debug', '--stdio'];

/**
 * The command that serves the Debug Adapter Protocol: the one of the project, a chosen one, or the one on PATH. Nothing is
 * installed, because a package registry may have another package of the name.
 *
 * @param folder of the workspace
 * @param chosen by the user, with its arguments
 * @throws Error with a sentence for the user
 */
export function adapterCommand(
  folder: string | undefined,
  chosen: readonly string[],
  { path = process.env['PATH'] ?? '', platform = process.platform }: Machine = {},
): Command {
  const script = folder === undefined ? undefined : installedScript(folder);
  if (script !== undefined) return { program: 'node', args: [script, ...SUBCOMMAND] };
  const [program, ...args] = chosen;
  if (program !== undefined) return { program, args: [...args, ...SUBCOMMAND] };
  // On Windows, npm installs a batch file, which only the shell starts, beside a script for other shells.
  const name = platform === 'win32' ? 'starkbox.cmd' : 'starkbox';
  const folders = path.split(delimiter).filter((at) => isAbsolute(at));
  const command = folders.map((at) => join(at, name)).find((file) => existsSync(file));
  if (command === undefined) {
    throw new Error(
      'Starkbox is neither in node_modules of this workspace nor on PATH. Install it in the project, or name its command in the setting starkbox.command.',
    );
  }
  return platform === 'win32'
    ? { program: 'cmd', args: ['/c', command, ...SUBCOMMAND] }
    : { program: command, args: SUBCOMMAND };
}

/** The command of the package that a project has, in its folder or above. */
function installedScript(folder: string): string | undefined {
  const script = join(folder, 'node_modules', 'starkbox', 'bin', 'starkbox.js');
  if (existsSync(script)) return script;
  return dirname(folder) === folder ? undefined : installedScript(dirname(folder));
}

/** Where failed tests write bundles, below the folder of a project. */
const BUNDLE_FOLDER = join('node_modules', '.cache', 'starkbox');
const BUNDLE = /\.starkbox-bundle$/;

/** The newest bundle that a failed test wrote in one of these folders. */
export function newestBundle(folders: readonly string[]): string | undefined {
  let newest: { readonly path: string; readonly time: number } | undefined;
  for (const folder of folders.map((project) => join(project, BUNDLE_FOLDER))) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!BUNDLE.test(name)) continue;
      const path = join(folder, name);
      const time = statSync(path).mtimeMs;
      if (newest === undefined || time > newest.time) newest = { path, time };
    }
  }
  return newest?.path;
}

/** The first transaction hash in a text, such as a selection or the clipboard. */
export function transactionIn(text: string): string | undefined {
  return /\b0x[0-9a-fA-F]{40,64}\b/.exec(text)?.[0];
}

export const TYPE = 'starkbox';

/** A launch configuration. */
export interface Launch {
  readonly type: typeof TYPE;
  readonly request: 'launch';
  readonly name: string;
  readonly [argument: string]: string;
}

/** Arguments that a link may have. A link from outside must not choose folders to read. */
const LINKED = ['transaction', 'url'] as const;
const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/;

/**
 * The launch configuration of a link, such as `vscode://starkbox.starkbox-debug/debug?transaction=0x1234`. A web page
 * can open links, so the node must be on this machine: it gets the sources of the project.
 *
 * @throws Error with a sentence for the user
 */
export function launchOfLink(path: string, query: string): Launch {
  if (path !== '/debug') throw new Error(`Unknown link ${path}: expected /debug.`);
  const words = new URLSearchParams(query);
  const chosen: Record<string, string> = {};
  for (const name of LINKED) {
    const value = words.get(name);
    if (value !== null) chosen[name] = value;
  }
  const { transaction = '', url } = chosen;
  if (transactionIn(transaction) !== transaction && !/^0x[0-9a-fA-F]{1,64}$/.test(transaction)) {
    throw new Error('The link has no transaction: expected ?transaction=0x and a hash.');
  }
  if (url !== undefined && !LOCAL.test(url)) {
    throw new Error(`The link names the node ${url}, which is not on this machine.`);
  }
  return launchOf(`Transaction ${transaction.slice(0, 10)}`, chosen);
}

export function launchOf(name: string, chosen: Readonly<Record<string, string>>): Launch {
  return { ...chosen, type: TYPE, request: 'launch', name };
}
