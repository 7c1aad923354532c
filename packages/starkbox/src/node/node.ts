// Knows how the parts become a node; the only file that sees them all.
import { readFileSync } from 'node:fs';
import { Chain, type ChainOptions } from '../chain/chain.js';
import { createGenesis, type Deployed, type Genesis } from '../chain/genesis/genesis.js';
import { realMilliseconds } from '../chain/world/clock.js';
import { diffWorlds } from '../chain/world/diff.js';
import type { Change } from '../chain/writer.js';
import { type Config, type ConfigInput, defaultConfig, OPTIONS } from '../config/options.js';
import { ConfigError, checkConfig, checkGiven, withoutEffect } from '../config/rules.js';
import { readInput } from '../config/source.js';
import { type DumpOptions, dumpAtExit, longestInline, worldInFile } from '../dump/dump.js';
import { asCallToL2, callUnderWay, checkCalls, repeatCalls, withCall } from '../dump/journal.js';
import { JournalFile } from '../dump/journal-file.js';
import { reasonOf, refuse } from '../errors.js';
import { removeStaleDrafts } from '../files/atomic-file.js';
import { checkFolder, checkPath, checkWritable, fileExists } from '../files/regular-file.js';
import { onNetwork, openFork, withRecorded } from '../fork/open-fork.js';
import type { Upstream } from '../fork/origin/upstream.js';
import { JsonText, stringify } from '../json/json.js';
import { Companion, type L1Facts } from '../l1/l1.js';
import { type Log, silentLog } from '../log.js';
import { discovery } from '../rpc/discover.js';
import { createMethods } from '../rpc/methods/table.js';
import { overFork } from '../rpc/origin-fallback.js';
import { limitCalldata } from '../rpc/protocol/calldata-limit.js';
import { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { readDocuments, Schema } from '../rpc/protocol/schema.js';
import { RequestLog } from '../rpc/request-log/request-log.js';
import { announceSoon } from '../rpc/subscriptions/chain-news.js';
import { SandboxNews } from '../rpc/subscriptions/sandbox-news.js';
import { Subscriptions } from '../rpc/subscriptions/subscriptions.js';
import { MemoryBudget } from '../scheduling/memory-budget.js';
import { Door } from '../server/access.js';
import { Explorer } from '../server/http/explorer-files.js';
import { type HttpServer, serveHttp, type Upgrade } from '../server/http/server.js';
import type { Sockets } from '../server/ws/server.js';
import type { CONFIG } from '../spec.js';
import type { Figures } from '../telemetry/metrics.js';
import { openTelemetry } from '../telemetry/telemetry.js';
import { chainOptionsOf, shownConfig } from './chain-options.js';

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Where the metrics are, if there are any. */
  readonly metricsUrl?: string | undefined;
}

/** A running chain and the doors to it. */
export interface Node {
  readonly config: Config;
  readonly accounts: Genesis['accounts'];
  readonly accountClassHash: string;
  readonly tokens: { readonly eth: Deployed; readonly strk: Deployed };
  readonly udc: Deployed;
  readonly argent: Genesis['argent'];
  /** The L1 that it was started with. */
  readonly l1: L1Facts | undefined;
  /** Calls a method in this process; throws an `RpcError` where the wire would carry one. */
  request(method: string, params?: unknown): Promise<unknown>;
  /** Answers JSON-RPC text; nothing where nothing is to be answered. */
  handle(text: string): Promise<string | undefined>;
  /** Opens the HTTP door. */
  listen(): Promise<Address>;
  /** Finishes what is under way and closes every door. */
  close(): Promise<void>;
}

/**
 * A node with its own chain. It needs no port: `listen` opens one. Options that the command would refuse
 * throw a `UsageError` or a `ConfigError`.
 *
 * @example
 * const node = await createNode({ seed: 0 });
 * await node.request('devnet_mint', { address: '0x1', amount: 1000 });
 * const { url } = await node.listen();
 * await node.close();
 */
export async function createNode(
  overrides: ConfigInput = {},
  options: NodeOptions = {},
): Promise<Node> {
  const opened: Opened[] = [];
  try {
    return await assemble(overrides, options, opened);
  } catch (error) {
    for (const part of opened.reverse()) await part.close();
    throw error;
  }
}

export interface NodeOptions {
  readonly log?: Log;
  readonly progress?: DumpOptions['tell'];
}

/** What must not stay open when the node does not come to life. */
interface Opened {
  close(): Promise<void>;
}

async function assemble(
  overrides: ConfigInput,
  { log = silentLog, progress }: NodeOptions,
  toClose: Opened[],
): Promise<Node> {
  const { values, keys } = readInput(overrides);
  // Loaded only when needed: the database is a tenth of a start.
  const directory =
    values.dataDir === undefined
      ? undefined
      : await (await import('../store/open.js')).holdDirectory(values.dataDir, values, log);
  if (directory) toClose.push(directory);
  const asked =
    directory && !directory.isNew ? directory.config : defaultConfig(await withRecorded(values));
  const given = directory?.given ?? keys;
  // Programs also hand on whole configs, where a default was not chosen.
  const chosen = new Set([...keys].filter((key) => asked[key] !== OPTIONS[key].default));
  checkGiven(chosen, asked, (key) => key, given);
  checkConfig(asked);
  checkDumpFiles(asked);
  for (const sentence of withoutEffect(chosen, asked)) log.warn(sentence);
  const isJournalOn = asked.dumpOn !== undefined && asked.dumpFormat === 'journal';
  const version = packageVersion();
  const telemetry = await openTelemetry(asked, log, () => figures(), version);
  toClose.push(telemetry);
  const { probe } = telemetry;
  const upstreams: Upstream[] = [];
  /** What is shown of a chain, by what it was made with. */
  const shown = new WeakMap<ChainOptions, CONFIG>();
  /** Everything that a chain begins with; a fork asks its network for some of it. */
  const prepare = async (wish: Config) => {
    const below = await openFork(wish, given, log, probe);
    if (below) {
      upstreams.push(below.upstream);
      toClose.push(below.upstream);
    }
    const { config, fork } = below ?? { config: wish, fork: undefined };
    const genesis = await createGenesis(config, fork);
    const call = isJournalOn ? callUnderWay : undefined;
    const options: ChainOptions = {
      ...chainOptionsOf(config, genesis, fork, call),
      fork,
      ...(probe ? { probe } : {}),
      onObserverError: (name, err) => log.error({ err }, `${name} failed after a change`),
    };
    shown.set(options, shownConfig(config, genesis, fork));
    return { config, genesis, options };
  };
  const { config, genesis, options } = await prepare(asked);
  const opened = await directory?.open(config, options.fork);
  const chain = opened
    ? await Chain.kept(options, opened.store, opened.standing)
    : await Chain.create(options);
  const configOf = (target: Chain): CONFIG => {
    const found = shown.get(target.options) ?? shownConfig(config, genesis, options.fork);
    const port = server?.port ?? config.port;
    return { ...found, server_config: { ...found.server_config, port } };
  };
  const schema = new Schema(readDocuments);
  const subscriptions = new Subscriptions(config.maximumSubscriptions);
  const sandbox = new SandboxNews(chain, subscriptions);
  const requests = new RequestLog({
    subscriptions,
    now: realMilliseconds,
    secrets: () => secretsOf(config, chain, genesis),
    about: () => aboutRecording(config, chain, version),
  });

  let server: HttpServer | undefined;
  /** A chain is spoken to through a dispatcher of its own. */
  const createDispatcher = (
    target: Chain,
    l1: Pick<Companion, 'postman' | 'timeline'>,
  ): Dispatcher => {
    let discovered: JsonText | undefined;
    const handlers = createMethods({
      chain: target,
      postman: l1.postman,
      timeline: l1.timeline,
      subscriptions,
      limits: {
        addresses: config.maximumFilterAddresses,
        keys: config.maximumFilterKeys,
        chunk: config.maximumChunkSize,
        simulations: config.maximumSimulationBatch,
      },
      config: () => configOf(target),
      async refork({ url, block }) {
        if (opened) refuse('A chain that is kept on disk cannot be put on another network.');
        // What was read so far is asked for ahead of need at the other block.
        await Promise.all(upstreams.map((upstream) => upstream.flush()));
        return (await prepare(onNetwork(asked, url, block))).options;
      },
      version,
      discover: () => {
        // The same text for every call: it takes long to make.
        discovered ??= new JsonText(
          discovery(readDocuments(), new Set(Object.keys(handlers)), version),
        );
        return discovered;
      },
      dump: dumpOptions(target),
      requests,
      sandbox,
    });
    return new Dispatcher({
      handlers: limitCalldata(overFork(handlers, target), config.maximumCalldataLength),
      schema,
      restricted: config.restrictedMethods,
      socketUrl: () => server && `ws://${hostAndPort(server)}/ws`,
      log,
      maxBatch: config.maximumBatchLength,
      maxDepth: config.maximumJsonDepth,
      maxValues: config.maximumJsonValues,
      maxAnswer: config.maximumAnswerSize,
      onStall: telemetry.onStall,
      ...(target === chain ? { probe, onCall: telemetry.onCall, witness: requests } : {}),
      ...(isJournalOn ? { around: withCall } : {}),
    });
  };
  const dumpOptions = (target: Chain): DumpOptions => ({
    chain: target,
    keepsJournal: isJournalOn,
    path: config.dumpPath,
    directory: config.dumpDir,
    format: config.dumpFormat,
    longestInline: longestInline(config.requestBodySizeLimit),
    writtenBy: `starkbox ${version}`,
    check: (calls) => checkCalls(calls, schema),
    repeat,
    tell: progress,
  });
  const repeat: DumpOptions['repeat'] = async (calls) => {
    await checkCalls(calls, schema);
    const scratch = await Chain.create(chain.options);
    await repeatCalls(createDispatcher(scratch, companionOf(scratch)), scratch, calls);
    return scratch.world;
  };

  const companionOf = (target: Chain): Companion =>
    new Companion({ chain: target, log, ...(isJournalOn ? { onMessage: asCallToL2 } : {}) });
  const companion = companionOf(chain);
  const dispatcher = createDispatcher(chain, companion);
  const recorder =
    config.traceRequests === undefined
      ? undefined
      : (await import('../server/recorder.js')).openRecorder({
          path: config.traceRequests,
          about: aboutRecording(config, chain, version),
          secrets: () => secretsOf(config, chain, genesis),
          log,
        });
  if (recorder) toClose.push(recorder);
  /** What comes from outside. */
  const entrance = recorder?.recording(dispatcher) ?? dispatcher;
  if (config.dumpPath !== undefined && fileExists(config.dumpPath)) {
    const { dumpPath } = config;
    const world = await worldInFile(dumpOptions(chain), dumpPath).catch((error: unknown) => {
      const reason = reasonOf(error);
      throw new Error(`Failed to load ${dumpPath}: ${reason}`);
    });
    await chain.replace(async () => world);
  }
  const start = chain.world;
  chain.watch((change) => announceSoon(subscriptions, change), 'announcing to subscribers');
  chain.watchAll((turn) => sandbox.turned(turn), 'announcing to explorers');
  if (log !== silentLog) chain.watch((change) => logChange(log, change), 'logging blocks');
  const journalFile =
    config.dumpOn === 'block' && config.dumpPath !== undefined
      ? new JournalFile(chain, config.dumpPath, log)
      : undefined;
  const budget = new MemoryBudget(config.memoryBudget);
  const door = new Door({ ...config, token: config.authToken });
  let sockets: Promise<Sockets> | undefined;
  let openedSockets: Sockets | undefined;
  const openSockets = (): Promise<Sockets> => {
    // Loaded after the port is open: WebSockets are a fifth of a start, and nobody waits for them yet.
    sockets ??= import('../server/ws/server.js').then(({ serveSockets }) => {
      openedSockets = serveSockets({
        dispatcher: entrance,
        door,
        maximumSockets: config.maximumSockets,
        messageLimit: config.requestBodySizeLimit,
        budget,
        queueLimit: { messages: config.maximumQueuedMessages, bytes: config.maximumQueuedBytes },
        beforeAnswer: () => subscriptions.catchUp(),
        onClose: (listener) => subscriptions.drop(listener),
        log,
      });
      return openedSockets;
    });
    return sockets;
  };
  const upgrade: Upgrade = (request, socket, head) => {
    socket.on('error', () => {}); // the client is gone
    openSockets().then(
      (opened) => opened.upgrade(request, socket, head),
      (err: unknown) => {
        log.error({ err }, 'WebSockets cannot be served');
        socket.destroy();
      },
    );
  };
  let isListening = false;
  let warming: NodeJS.Timeout | undefined;
  const figures = (): Figures => ({
    ...figuresOf(chain),
    subscriptions: subscriptions.counts(),
    sockets: openedSockets?.count ?? 0,
    queuedMessages: openedSockets?.queued.messages ?? 0,
    queuedBytes: openedSockets?.queued.bytes ?? 0,
    connections: server?.connections ?? 0,
    clientBytes: budget.held,
    upstreamCacheSize: upstreams.at(-1)?.figures().held ?? 0,
  });
  /** Reads what somebody would otherwise wait for. */
  const warm = (): void => {
    Promise.all([schema.warm(), genesis.warm(), openSockets()]).catch((err: unknown) =>
      log.warn({ err }, 'preparing for the first request failed'),
    );
  };
  const l1 = await companion.open(config).catch(async (error: unknown) => {
    await companion.close();
    await chain.close();
    await directory?.close();
    throw error;
  });
  const startClock = (): void =>
    chain.start((error) => log.error({ error }, 'closing a block by the clock failed'));
  startClock();

  return {
    config,
    accounts: genesis.accounts,
    accountClassHash: genesis.accountClass.hash,
    tokens: { eth: genesis.eth, strk: genesis.strk },
    udc: genesis.udc,
    argent: genesis.argent,
    l1,
    request: (method, params) => dispatcher.call(method, params, { transport: 'in-process' }),
    handle: (text) => dispatcher.handle(text, { transport: 'in-process' }),
    async listen() {
      server ??= await serveHttp({
        dispatcher: entrance,
        host: config.host,
        port: config.port,
        timeoutSeconds: config.timeout,
        bodyLimit: config.requestBodySizeLimit,
        budget,
        config: () => stringify(configOf(chain)),
        upgrades: new Map(['/ws', '/', '/rpc'].map((path) => [path, upgrade])),
        explorer: config.ui ? new Explorer() : undefined,
        door,
        maximumConnections: config.maximumConnections,
        onRefusal: (session, what, error) => requests.refused(session, what, error),
        log,
      });
      // Clients count the interval from when they can connect.
      if (!isListening) startClock();
      isListening = true;
      const metricsUrl = await telemetry.listen((name) => door.admitsHost(name));
      warming ??= setTimeout(warm, WARM_UP_MILLISECONDS);
      const { host, port } = server;
      const url = `http://${hostAndPort(server)}`;
      return { host, port, url, metricsUrl };
    },
    async close() {
      clearTimeout(warming);
      companion.stop();
      (await sockets)?.close();
      await server?.close();
      await telemetry.close();
      await recorder?.close();
      await companion.close();
      await chain.close();
      journalFile?.finish(chain);
      if (config.dumpOn === 'exit') await dumpAtExit(dumpOptions(chain), start);
      await directory?.close();
      await Promise.all(upstreams.map((upstream) => upstream.close()));
    },
  };
}

/** A dump that could not be written is better refused now than noticed at the end. */
function checkDumpFiles({ dumpOn, dumpPath, dumpDir }: Config): void {
  const checking = (option: string, check: () => void): void => {
    try {
      check();
    } catch (error) {
      throw new ConfigError(`${option}: ${reasonOf(error)}`);
    }
  };
  if (dumpDir !== undefined) checking('--dump-dir', () => checkFolder(dumpDir));
  if (dumpPath === undefined) return;
  checking('--dump-path', () => (dumpOn ? checkWritable(dumpPath) : checkPath(dumpPath)));
  removeStaleDrafts(dumpPath);
}

function figuresOf(chain: Chain) {
  const { history, pending, pendingState: state } = chain.world;
  const { waiting, snapshots } = chain.figures;
  return {
    blocks: history.next - history.first,
    transactions: history.transactionCount + pending.transactions.size,
    pendingTransactions: pending.transactions.size,
    snapshots,
    waitingChanges: waiting,
    waitingExecutions: chain.executions.figures.waiting,
    state: state.figures(),
  };
}

/** What must not be seen where requests are shown. */
function secretsOf({ authToken }: Config, { world }: Chain, { accounts }: Genesis) {
  const { l1 } = world.messages;
  const keys = [...accounts.map(({ privateKey }) => privateKey), ...(l1 ? [l1.key] : [])];
  return { keys, words: authToken === undefined ? [] : [authToken] };
}

/** What a repetition of the requests has to begin with. */
function aboutRecording(config: Config, chain: Chain, version: string): object {
  const { history } = chain.world;
  const first = history.header(history.first);
  const kept = Object.entries(config).filter(([key]) => !OF_THIS_PLACE.test(key));
  const { number, hash, timestamp } = first ?? {};
  return {
    starkbox: version,
    forked: config.forkNetwork !== undefined,
    options: Object.fromEntries(kept),
    genesis: { number, hash, timestamp },
  };
}

/** Options that belong to a machine, or are secret: another one repeats the requests without them. */
const OF_THIS_PLACE =
  /^(host|port|dataDir|recentBlocks|dumpPath|dumpDir|fork\w*|offline|l1\w*|allowed\w*|authToken|ui|exitWithParent|metrics\w*|log\w*|traceRequests|banner)$/;

/** More blocks at once, as a load brings them, are one line. */
const MOST_LINES = 100;

/** One line for each block that came or went: a sign of life. */
function logChange(log: Log, { before, after }: Change): void {
  const { undone, added } = diffWorlds(before, after);
  if (undone) log.info(`blocks ${undone.first.number} to ${undone.last.number} are undone`);
  if (added.to - added.from >= MOST_LINES) {
    log.info(`blocks ${added.from} to ${added.to} are new`);
    return;
  }
  for (let number = added.from; number <= added.to; number += 1) {
    const header = after.history.header(number);
    if (!header) return;
    const { transactionCount: count, hash } = header;
    log.info(`block ${number} · ${count} transaction${count === 1 ? '' : 's'} · ${hash}`);
  }
}

function hostAndPort({ host, port }: HttpServer): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** After those who wait for the port have been answered. */
const WARM_UP_MILLISECONDS = 20;

function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version;
}
