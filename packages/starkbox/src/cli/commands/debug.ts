// The command `starkbox debug`: loads the adapter, which is built apart from the node, and gives it nodes and files.

import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isObject } from '@starkbox/abi/basics';
import { UsageError } from '../../config/option.js';
import { DebugInfo } from '../../debug-info/debug-info.js';
import { PackageTexts, packageOf } from '../../debug-info/source-texts.js';
import { PACKAGE_FOLDER } from '../../files/package-folder.js';
import { readRegular } from '../../files/regular-file.js';
import { visiblePainted } from '../../terminal.js';
import type { Style } from './format.js';
import { ARTIFACTS, artifactPaths } from './input-files.js';
import type { DEBUG } from './options.js';
import type { Words } from './row.js';
import { type NodeAddress, nodeOf, numberOf, request } from './wire.js';

/** Serves an editor, or debugs on the terminal, until its user quits. */
export async function debug(
  target: string | undefined,
  words: Words<typeof DEBUG>,
  { paint, progress }: Style,
): Promise<void> {
  const adapter = await loadAdapter();
  const host = hostOf(nodeOf(words));
  const launch = await launchArguments(target, words);
  const port = numberOf('port', words.port);
  if (port !== undefined) return servePort(adapter, host, launch, port);
  const { stdin, stdout } = process;
  const isTerminal = stdin.isTTY === true && words.stdio !== true;
  // A script that only passes a transaction gets the report.
  const isEmpty = !isTerminal && target !== undefined && !words.stdio && (await hasEnded(stdin));
  if (!isTerminal && !isEmpty) {
    await adapter.serveStreams(host, launch, stdin, stdout);
    stdin.destroy();
    return;
  }
  if (target === undefined) {
    throw new UsageError(
      'TRANSACTION or FILE is missing: pass the hash of a transaction, or a bundle. Editors start this command with --stdio.',
    );
  }
  const isColoured = paint('bold', '.') !== '.';
  const end = progress?.begin('running the transaction again');
  const write = (text: string): void => {
    end?.();
    stdout.write(visiblePainted(text, isColoured));
  };
  try {
    await adapter.debugOnTerminal(
      host,
      launch,
      { input: stdin, output: stdout, write, paint },
      isTerminal,
    );
  } finally {
    end?.();
  }
}

const HASH = /^0x[0-9a-f]{1,64}$/i;

/** The arguments that a launch request of an editor has, by the same names. */
async function launchArguments(
  target: string | undefined,
  { artifacts, 'stop-on-entry': stopOnEntry, ...words }: Words<typeof DEBUG>,
): Promise<LaunchArguments> {
  const maxSteps = numberOf('max-steps', words['max-steps']);
  const maxBytes = numberOf('max-bytes', words['max-bytes']);
  return {
    ...(target === undefined ? {} : await targetArgument(target)),
    ...(words.url === undefined ? {} : { url: words.url }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(stopOnEntry === undefined ? {} : { stopOnEntry }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
}

async function targetArgument(target: string): Promise<LaunchArguments> {
  if (HASH.test(target)) return { transaction: target };
  if (!existsSync(target)) {
    throw new UsageError(
      `'${target}' is neither a transaction hash nor a file: a hash is 0x and hexadecimal digits`,
    );
  }
  const text = await readFile(target);
  const isJson = text[0] === '{'.codePointAt(0);
  return isJson ? { requestFile: resolve(target) } : { bundle: resolve(target) };
}

/** Nodes and files, as the adapter reads them. */
function hostOf({ url, token }: NodeAddress): Host {
  const folderOf = (folder: string | undefined, cwd: string): string =>
    folder ?? resolve(cwd, ARTIFACTS);
  return {
    url,
    connect(requested) {
      // A launch request may name another node, which must not get the token.
      const node = { url: requested, token: isSameServer(requested, url) ? token : undefined };
      return (method, params, signal) => request(node, method, params, signal);
    },
    async openBundle(file) {
      const { openBundle } = await import('../../bundles/open.js');
      const { chain, target } = await openBundle(file);
      return { call: chain.requestRaw, target, close: () => chain.close() };
    },
    readText: (file) => readRegular(file),
    async *artifacts(folder, cwd, classHashes) {
      const path = folderOf(folder, cwd);
      if (folder === undefined && !existsSync(path)) return;
      const { Class } = await import('@starkbox/engine');
      for (const file of artifactPaths(path)) {
        const text = await readRegular(file);
        const hash = await Class.hashOf(text).catch(() => '');
        if (classHashes.has(hash)) yield artifactOf(file, text, hash);
      }
    },
    packageOf: (folder, cwd) => packageOf(folderOf(folder, cwd)),
  };
}

function isSameServer(requested: string, url: string): boolean {
  if (!URL.canParse(requested) || !URL.canParse(url)) return false;
  return new URL(requested).origin === new URL(url).origin;
}

/** A compiled class with the sources that its debug information names. */
async function artifactOf(file: string, text: string, classHash: string): Promise<Artifact> {
  const artifact: unknown = JSON.parse(text);
  if (!isObject(artifact)) throw new Error(`${file} is not a compiled class: expected an object`);
  const { mtimeMs } = await stat(file);
  const texts = await PackageTexts.of(file, mtimeMs);
  const sources: Record<string, string> = {};
  const newerSources: Record<string, string> = {};
  for (const name of DebugInfo.read(artifact)?.files ?? []) {
    const source = await texts?.read(name);
    if (source) (source.isNewer ? newerSources : sources)[name] = source.text;
  }
  return { classHash, artifact, sources, newerSources };
}

async function servePort(
  adapter: DebugAdapter,
  host: Host,
  launch: LaunchArguments,
  port: number,
): Promise<void> {
  const server = await adapter.listen(host, launch, port);
  process.stdout.write(`Debug adapter listening on 127.0.0.1:${server.port}\n`);
  await new Promise<void>((resolveSignal) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolveSignal);
  });
  await server.close();
}

/** Whether a stream ends before its first byte. */
function hasEnded(stream: NodeJS.ReadStream): Promise<boolean> {
  return new Promise((resolveEnd) => {
    stream.once('end', () => resolveEnd(true));
    stream.once('error', () => resolveEnd(true));
    stream.once('readable', () => {
      const first: unknown = stream.read();
      if (typeof first === 'string' || Buffer.isBuffer(first)) {
        stream.unshift(first);
        resolveEnd(false);
      }
    });
  });
}

async function loadAdapter(): Promise<DebugAdapter> {
  const bundle = new URL('dist/debug-adapter/serve.js', PACKAGE_FOLDER);
  if (!existsSync(bundle)) {
    throw new Error(
      `${bundle.pathname} is missing: run npm run build:bundle, or install starkbox again`,
    );
  }
  const adapter: DebugAdapter = await import(bundle.href);
  return adapter;
}

type LaunchArguments = Readonly<Record<string, string | number | boolean>>;

interface Artifact {
  readonly classHash: string;
  readonly artifact: object;
  readonly sources: Readonly<Record<string, string>>;
  /** Those that changed after the class was compiled, whose lines can be others. */
  readonly newerSources: Readonly<Record<string, string>>;
}

type Caller = (method: string, params: object) => Promise<unknown>;

/** What the adapter asks of this command. */
interface Host {
  readonly url: string;
  connect(url: string): (method: string, params: object, signal?: AbortSignal) => Promise<unknown>;
  openBundle(file: string): Promise<{
    readonly call: Caller;
    readonly target: object;
    close(): Promise<void>;
  }>;
  readText(file: string): Promise<string>;
  artifacts(
    folder: string | undefined,
    cwd: string,
    classHashes: ReadonlySet<string>,
  ): AsyncIterable<Artifact>;
  packageOf(folder: string | undefined, cwd: string): Promise<string | undefined>;
}

/** What the bundle of @starkbox/debug-adapter exports. */
interface DebugAdapter {
  serveStreams(
    host: Host,
    launch: LaunchArguments,
    input: NodeJS.ReadableStream,
    output: NodeJS.WritableStream,
  ): Promise<void>;
  listen(
    host: Host,
    launch: LaunchArguments,
    port: number,
  ): Promise<{ readonly port: number; close(): Promise<void> }>;
  debugOnTerminal(
    host: Host,
    launch: LaunchArguments,
    terminal: {
      readonly input: NodeJS.ReadableStream;
      readonly output: NodeJS.WritableStream;
      write(text: string): void;
      readonly paint: Style['paint'];
    },
    isInteractive: boolean,
  ): Promise<void>;
}
