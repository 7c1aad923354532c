// Launch arguments of a debug session, and the execution that they name.

import { resolve } from 'node:path';
import { isObject, memberOf } from '@starkbox/abi/basics';
import { type Caller, type Debugger, openDebugger, type Target } from '@starkbox/debugger';

/** Arguments of launch and attach requests, with the sentences that an editor shows. */
export const LAUNCH_ARGUMENTS = {
  transaction: { type: 'string', description: 'The hash of a transaction.' },
  bundle: {
    type: 'string',
    description: 'A bundle of a failed test, or a file that starkbox bundle wrote.',
  },
  requestFile: {
    type: 'string',
    description:
      'A file with a JSON-RPC request of starknet_call, starknet_estimateFee or starknet_simulateTransactions.',
  },
  url: {
    type: 'string',
    description: 'The running node. Defaults to STARKBOX_URL, or http://127.0.0.1:5050.',
  },
  artifacts: {
    type: 'string',
    description: 'A folder with compiled classes. Defaults to target/dev, if it exists.',
  },
  cwd: {
    type: 'string',
    description: 'The folder of the project. Relative paths start here.',
  },
  stopOnEntry: {
    type: 'boolean',
    description: 'Stop at the first line instead of the failing line.',
  },
  maxSteps: {
    type: 'number',
    description: 'The number of steps to record. Beyond it, the node keeps the last steps.',
  },
  maxBytes: {
    type: 'number',
    description: 'The number of bytes to record. Beyond it, the node drops early memory.',
  },
} as const;

type ArgumentName = keyof typeof LAUNCH_ARGUMENTS;
interface ValueTypes {
  readonly string: string;
  readonly boolean: boolean;
  readonly number: number;
}
export type LaunchArguments = {
  readonly [Name in ArgumentName]?: ValueTypes[(typeof LAUNCH_ARGUMENTS)[Name]['type']];
};

const TARGETS = ['transaction', 'bundle', 'requestFile'] as const;

/** Texts of source files, by their names in debug information. */
type Sources = Readonly<Record<string, string>>;

/** A compiled class with the texts of its sources. */
export interface Artifact {
  readonly classHash: string;
  readonly artifact: object;
  readonly sources: Sources;
  /** Those that changed after the class was compiled. */
  readonly newerSources: Sources;
}

/** A node, and the execution to debug on it. */
export interface Connection {
  readonly call: Caller;
  readonly target: Target;
  onOpened?(): void;
  close(): Promise<void>;
}

/** Makes a request, which a signal ends. */
type NodeCaller = (method: string, params: object, signal?: AbortSignal) => Promise<unknown>;

/** Access to nodes and files, which the command implements. */
export interface Host {
  /** The node of sessions without an URL. */
  readonly url: string;
  connect(url: string): NodeCaller;
  /** Opens a bundle as a chain in this process. */
  openBundle(file: string): Promise<Connection>;
  readText(file: string): Promise<string>;
  /**
   * Artifacts of classes below a folder.
   *
   * @param folder undefined for the usual one, which may be missing
   */
  artifacts(
    folder: string | undefined,
    cwd: string,
    classHashes: ReadonlySet<string>,
  ): AsyncIterable<Artifact>;
  /** Folders of the packages whose artifacts lie in a folder. */
  packageOf(folder: string | undefined, cwd: string): Promise<string | undefined>;
}

/** An opened execution. */
export interface OpenedExecution {
  readonly debug: Debugger;
  readonly call: Caller;
  readonly target: Target;
  /** Folders that hold sources. */
  readonly roots: readonly string[];
  /** Sentences about missing information. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** Reads the arguments of an editor. Other members belong to the editor. */
export function readLaunchArguments(value: unknown): LaunchArguments {
  if (!isObject(value)) return {};
  const read: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(LAUNCH_ARGUMENTS)) {
    const argument = value[name];
    if (argument === undefined || argument === null || argument === '') continue;
    if (typeof argument !== type) {
      throw new Error(`The argument ${name} must be a ${type}, not ${JSON.stringify(argument)}.`);
    }
    read[name] = argument;
  }
  return read;
}

/** Arguments of an editor over the arguments of the command line. */
export function mergeArguments(
  commandLine: LaunchArguments,
  editor: LaunchArguments,
): LaunchArguments {
  const hasTarget = TARGETS.some((name) => editor[name] !== undefined);
  const { transaction, bundle, requestFile, ...others } = commandLine;
  return hasTarget ? { ...others, ...editor } : { ...commandLine, ...editor };
}

/** Finds the node and the execution that arguments name. */
async function connect(
  host: Host,
  { transaction, bundle, requestFile, url = host.url, cwd = '.' }: LaunchArguments,
  signal: AbortSignal,
): Promise<Connection> {
  const chosen = [transaction, bundle, requestFile].filter((target) => target !== undefined);
  if (chosen.length !== 1) {
    throw new Error(
      `Expected one of ${TARGETS.join(', ')}; ${chosen.length} were passed. Pass the hash of a transaction, or a file.`,
    );
  }
  if (bundle !== undefined) return host.openBundle(resolve(cwd, bundle));
  const request = host.connect(url);
  // Only opening can be cancelled: a trace is closed after the session has ended.
  let isOpening = true;
  const call: Caller = (method, params) =>
    isOpening ? request(method, params, signal) : request(method, params);
  const onOpened = (): void => {
    isOpening = false;
  };
  const close = async (): Promise<void> => {};
  if (transaction !== undefined) {
    if (!/^0x[0-9a-f]{1,64}$/i.test(transaction)) {
      throw new Error(
        `Invalid transaction hash '${transaction}': a hash is 0x and hexadecimal digits.`,
      );
    }
    return { call, target: { transactionHash: transaction }, onOpened, close };
  }
  const file = resolve(cwd, requestFile ?? '');
  const target = targetOfRequest(await host.readText(file), file);
  return { call, target, onOpened, close };
}

const REQUESTS = 'starknet_call, starknet_estimateFee or starknet_simulateTransactions';

/** The execution that a JSON-RPC request starts. */
export function targetOfRequest(text: string, file: string): Target {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    throw new Error(`${file} is not JSON: expected a JSON-RPC request of ${REQUESTS}.`);
  }
  const { method, params } = isObject(request) ? request : {};
  if (!isObject(params)) {
    throw new Error(`${file} has no params: expected an object with named parameters.`);
  }
  const blockId = params['block_id'];
  const block = blockId === undefined ? {} : { blockId };
  if (method === 'starknet_call' && isObject(params['request'])) {
    return { call: params['request'], ...block };
  }
  const requested =
    method === 'starknet_estimateFee'
      ? params['request']
      : method === 'starknet_simulateTransactions'
        ? params['transactions']
        : undefined;
  if (!Array.isArray(requested)) {
    throw new Error(`${file} has the method ${String(method)}: expected ${REQUESTS}.`);
  }
  const flags = params['simulation_flags'];
  const skipValidate = Array.isArray(flags) && flags.includes('SKIP_VALIDATE');
  return { transactions: requested.filter(isObject), ...block, skipValidate };
}

const OPEN = 'devnet_openDebugTrace';
const SOURCE = 'devnet_getDebugSource';

/**
 * Passes artifacts of the classes that ran to the node, between the recording and the first read of a class.
 *
 * @param add returns the texts of their sources, by class hash, for files that the node lacks or does not give
 */
function withArtifacts(
  call: Caller,
  add: (classHashes: ReadonlySet<string>) => Promise<ReadonlyMap<string, Sources>>,
): Caller {
  let ownSources: ReadonlyMap<string, Sources> = new Map();
  return async (method, params) => {
    if (method === SOURCE) {
      const answer = await call(method, params).catch(() => undefined);
      const text = ownSources.get(String(memberOf(params, 'class_hash')))?.[
        String(memberOf(params, 'file'))
      ];
      return memberOf(answer, 'text') === undefined ? { text } : answer;
    }
    const answer = await call(method, params);
    if (method !== OPEN || !isObject(answer) || !Array.isArray(answer['runs'])) return answer;
    const hashes = answer['runs'].map((run: unknown) =>
      String(isObject(run) ? run['class_hash'] : ''),
    );
    ownSources = await add(new Set(hashes));
    return answer;
  };
}

export interface OpeningOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
}

/** Records the execution, and opens it. */
export async function openExecution(
  host: Host,
  launch: LaunchArguments,
  { signal, onProgress = () => {} }: OpeningOptions,
): Promise<OpenedExecution> {
  const { cwd = process.cwd(), artifacts, maxSteps, maxBytes } = launch;
  const folder = artifacts === undefined ? undefined : resolve(cwd, artifacts);
  onProgress('running the transaction again');
  const connection = await connect(host, { ...launch, cwd }, signal);
  const notes: string[] = [];
  try {
    const call = withArtifacts(connection.call, async (classHashes) => {
      onProgress('reading artifacts');
      const ownSources = new Map<string, Sources>();
      for await (const compiled of host.artifacts(folder, cwd, classHashes)) {
        signal.throwIfAborted();
        const { classHash, artifact, sources, newerSources } = compiled;
        ownSources.set(classHash, { ...newerSources, ...sources });
        await connection.call('devnet_addArtifact', { artifact, sources }).catch((error) => {
          notes.push(`The node rejects an artifact: ${reasonOf(error)}`);
        });
      }
      return ownSources;
    });
    const debug = await openDebugger(call, connection.target, {
      ...(maxSteps === undefined ? {} : { maxSteps }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
      onProgress: (loaded, all) => onProgress(`reading steps: ${loaded} of ${all}`),
    });
    connection.onOpened?.();
    const root = await host.packageOf(folder, cwd);
    return {
      debug,
      call: connection.call,
      target: connection.target,
      roots: root === undefined || root === cwd ? [cwd] : [cwd, root],
      notes: [...notes, ...debug.notes],
      async close() {
        await debug.close().catch(() => {});
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Whether the execution ended with a failure. */
export function hasFailed({ trace }: Debugger): boolean {
  return trace.runs.some(({ failed, parent }) => failed && parent === undefined);
}

/** A recursion has very many frames. */
const FRAME_PAGE = 16;

/**
 * The innermost frame outside of the core library, whose lines no step stops at; the innermost frame where there is no
 * other.
 */
export async function firstOwnFrame(debug: Debugger): Promise<number> {
  for (let first = 0; ; first += FRAME_PAGE) {
    const frames = await debug.frames(first, FRAME_PAGE);
    const index = frames.findIndex(({ isLibrary }) => !isLibrary);
    if (index >= 0) return first + index;
    if (frames.length < FRAME_PAGE) return 0;
  }
}

/** The name of a function without its modules, as in `TokenImpl::transfer`. */
export function shortName(name: string): string {
  return /(?:^|::)((?:[^:<>]+::)?[^:<>]+(?:::<.*>)?)$/.exec(name)?.[1] ?? name;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
