// The Debug Adapter Protocol over a debugger of one recorded execution.
import { memberOf } from '@starkbox/abi/basics';
import type { Debugger, Direction, Position, StackFrame, Stop } from '@starkbox/debugger';
import {
  DebugSession,
  Event,
  InitializedEvent,
  OutputEvent,
  Response,
  TerminatedEvent,
} from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { Breakpoints, EXCEPTION_FILTERS } from './breakpoints.js';
import { addressOf, disassemble } from './disassembly.js';
import { descriptionOf, explainedFailure, failureText } from './failure-text.js';
import {
  firstOwnFrame,
  type Host,
  hasFailed,
  type LaunchArguments,
  mergeArguments,
  type OpenedExecution,
  openExecution,
  readLaunchArguments,
  reasonOf,
  shortName,
} from './launch.js';
import { References } from './references.js';
import { readArguments } from './request-arguments.js';
import { registersScope, scopesOf } from './scopes.js';
import { SourceFiles } from './source-files.js';

/** A transaction has one thread. */
const THREAD = 1;
/** Identifies the work of opening in progress events. */
const OPENING = 'open';

const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsStepBack: true,
  supportsSteppingGranularity: true,
  supportsConditionalBreakpoints: true,
  supportsFunctionBreakpoints: true,
  supportsBreakpointLocationsRequest: true,
  supportsExceptionInfoRequest: true,
  exceptionBreakpointFilters: [...EXCEPTION_FILTERS],
  supportsEvaluateForHovers: true,
  supportsClipboardContext: true,
  supportsLoadedSourcesRequest: true,
  supportsDisassembleRequest: true,
  supportsGotoTargetsRequest: true,
  supportsRestartFrame: true,
  supportsDelayedStackTraceLoading: true,
  supportsCancelRequest: true,
  supportsTerminateRequest: true,
};

/** An execution with the state of its session. */
interface Session {
  readonly execution: OpenedExecution;
  readonly debug: Debugger;
  readonly files: SourceFiles;
  readonly launch: LaunchArguments;
}

/** Work that a later request can end. */
interface Running {
  readonly request: number;
  readonly signal: { aborted: boolean };
}

/** The stack at the end, where no function is active. */
const END_FRAME: DebugProtocol.StackFrame = {
  id: 1,
  name: 'End of the transaction',
  line: 0,
  column: 0,
  presentationHint: 'label',
};

const NOT_OPEN = 'No transaction is open. Send a launch request first.';

type Move = (session: Session, signal: { aborted: boolean }) => Promise<Stop>;

export class Adapter extends DebugSession {
  readonly #host: Host;
  readonly #commandLine: LaunchArguments;
  readonly #onEnd: () => void;
  readonly #breakpoints = new Breakpoints();
  readonly #references = new References();
  readonly #opening = new AbortController();
  /** Positions of goto targets, by their ids less one. */
  readonly #gotoPositions: Position[] = [];
  /** Sentences that the console has. */
  readonly #printedNotes = new Set<string>();
  #session: Session | undefined;
  /** Requests that use the position run one after another. */
  #queue: Promise<void> = Promise.resolve();
  #running: Running | undefined;
  #showsProgress = false;
  #showsRegisters = false;
  #isEnded = false;

  /**
   * @param commandLine arguments for a launch request that names no target
   * @param onEnd is called once after the session is closed
   */
  constructor(host: Host, commandLine: LaunchArguments, onEnd: () => void) {
    super();
    this.setDebuggerLinesStartAt1(true);
    this.setDebuggerColumnsStartAt1(true);
    this.#host = host;
    this.#commandLine = commandLine;
    this.#onEnd = onEnd;
  }

  /** Also called when the editor closes the connection. */
  override shutdown(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#opening.abort(new Error('The session was closed.'));
    if (this.#running) this.#running.signal.aborted = true;
    this.#enqueue(async () => {
      await this.#session?.execution.close();
      this.#session = undefined;
      this.#onEnd();
    });
  }

  /** Handlers find the arguments that their types promise. */
  override dispatchRequest(request: DebugProtocol.Request): void {
    const { command } = request;
    try {
      const args = readArguments(command, request.arguments ?? {});
      // The library rejects a request without the default of the protocol.
      const defaults = command === 'initialize' ? { pathFormat: 'path' } : {};
      super.dispatchRequest({ ...request, arguments: { ...defaults, ...args } });
    } catch (error) {
      this.#reject(new Response(request), error);
    }
  }

  override initializeRequest(
    response: DebugProtocol.InitializeResponse,
    { supportsProgressReporting }: DebugProtocol.InitializeRequestArguments,
  ): void {
    this.#showsProgress = supportsProgressReporting === true;
    response.body = CAPABILITIES;
    this.sendResponse(response);
  }

  override launchRequest(
    response: DebugProtocol.LaunchResponse,
    args: DebugProtocol.LaunchRequestArguments,
  ): void {
    this.#reply(response, () => this.#open(args));
  }

  override attachRequest(
    response: DebugProtocol.AttachResponse,
    args: DebugProtocol.AttachRequestArguments,
  ): void {
    this.#reply(response, () => this.#open(args));
  }

  async #open(args: unknown): Promise<undefined> {
    if (this.#session) throw new Error('This session is open. Start another session.');
    const launch = mergeArguments(this.#commandLine, readLaunchArguments(args));
    const start = { progressId: OPENING, title: 'Starkbox', cancellable: true };
    this.#progress('progressStart', start);
    try {
      const execution = await openExecution(this.#host, launch, {
        signal: this.#opening.signal,
        onProgress: (message) => this.#progress('progressUpdate', { progressId: OPENING, message }),
      });
      const { debug, roots } = execution;
      this.#session = { execution, debug, files: new SourceFiles(debug, roots), launch };
    } finally {
      this.#progress('progressEnd', { progressId: OPENING });
    }
    await this.#printOpening(this.#session);
    // Breakpoints are verified against the classes that ran.
    this.sendEvent(new InitializedEvent());
    return undefined;
  }

  #progress(event: string, body: object): void {
    if (this.#showsProgress) this.sendEvent(new Event(event, body));
  }

  async #printOpening({ execution, debug, files }: Session): Promise<void> {
    for (const note of execution.notes) this.#note(note);
    for (const { run, step, text } of debug.trace.printed) {
      await debug.goTo(debug.positionOf(run, step));
      const [frame] = await debug.frames(await firstOwnFrame(debug), 1);
      const location = frame?.location;
      const output: DebugProtocol.OutputEvent['body'] = {
        category: 'stdout',
        output: text.endsWith('\n') ? text : `${text}\n`,
      };
      if (location) {
        output.source = await files.sourceOf(location);
        output.line = this.convertDebuggerLineToClient(location.line);
      }
      this.sendEvent(new Event('output', output));
    }
  }

  /** Prints a sentence once. */
  #note(text: string | undefined): void {
    if (text === undefined || this.#printedNotes.has(text)) return;
    this.#printedNotes.add(text);
    this.sendEvent(new OutputEvent(`${text}\n`, 'console'));
  }

  override configurationDoneRequest(response: DebugProtocol.ConfigurationDoneResponse): void {
    this.#move(response, async ({ debug, execution, launch }) => {
      const hasFailure = hasFailed(debug);
      if (!hasFailure) this.#note(await explainedFailure(execution));
      const isAtEntry = launch.stopOnEntry === true || !hasFailure;
      const stop = await debug.goTo(isAtEntry ? 0 : debug.startOfInterest);
      return { ...stop, reason: isAtEntry ? 'start' : 'failure' };
    });
  }

  override setBreakPointsRequest(
    response: DebugProtocol.SetBreakpointsResponse,
    args: DebugProtocol.SetBreakpointsArguments,
  ): void {
    this.#answer(response, async ({ debug, files }) => {
      const breakpoints = args.breakpoints?.map(({ line, ...rest }) => ({
        ...rest,
        line: this.convertClientLineToDebugger(line),
      }));
      const set = await this.#breakpoints.setLines(debug, files, {
        ...args,
        ...(breakpoints === undefined ? {} : { breakpoints }),
      });
      return {
        breakpoints: set.map(({ line = 0, ...rest }) => ({
          ...rest,
          line: this.convertDebuggerLineToClient(line),
        })),
      };
    });
  }

  override setFunctionBreakPointsRequest(
    response: DebugProtocol.SetFunctionBreakpointsResponse,
    args: DebugProtocol.SetFunctionBreakpointsArguments,
  ): void {
    this.#answer(response, async ({ debug }) => ({
      breakpoints: [...(await this.#breakpoints.setFunctions(debug, args))],
    }));
  }

  override setExceptionBreakPointsRequest(
    response: DebugProtocol.SetExceptionBreakpointsResponse,
    { filters }: DebugProtocol.SetExceptionBreakpointsArguments,
  ): void {
    this.#answer(response, async () => {
      this.#breakpoints.setFilters(filters);
      return { breakpoints: filters.map(() => ({ verified: true })) };
    });
  }

  override breakpointLocationsRequest(
    response: DebugProtocol.BreakpointLocationsResponse,
    { source, line, endLine = line }: DebugProtocol.BreakpointLocationsArguments,
  ): void {
    this.#answer(response, async ({ debug, files }) => {
      const lines = new Set<number>();
      for (const file of await files.filesOf(source)) {
        for (const codeLine of await debug.codeLines(file)) {
          const clientLine = this.convertDebuggerLineToClient(codeLine);
          if (clientLine >= line && clientLine <= endLine) lines.add(clientLine);
        }
      }
      return { breakpoints: [...lines].sort((a, b) => a - b).map((at) => ({ line: at })) };
    });
  }

  override continueRequest(response: DebugProtocol.ContinueResponse): void {
    response.body = { allThreadsContinued: true };
    this.#move(response, ({ debug }, signal) => this.#breakpoints.run(debug, { signal }));
  }

  override reverseContinueRequest(response: DebugProtocol.ReverseContinueResponse): void {
    this.#move(response, ({ debug }, signal) =>
      this.#breakpoints.run(debug, { signal, direction: 'backward' }),
    );
  }

  override nextRequest(
    response: DebugProtocol.NextResponse,
    args: DebugProtocol.NextArguments,
  ): void {
    this.#step(response, args, 'forward', (debug) => debug.stepOver());
  }

  override stepInRequest(
    response: DebugProtocol.StepInResponse,
    args: DebugProtocol.StepInArguments,
  ): void {
    this.#step(response, args, 'forward', (debug) => debug.stepIn());
  }

  override stepOutRequest(
    response: DebugProtocol.StepOutResponse,
    args: DebugProtocol.StepOutArguments,
  ): void {
    this.#step(response, { ...args, granularity: 'line' }, 'forward', (debug) => debug.stepOut());
  }

  override stepBackRequest(
    response: DebugProtocol.StepBackResponse,
    args: DebugProtocol.StepBackArguments,
  ): void {
    this.#step(response, args, 'backward', (debug) => debug.stepOver('backward'));
  }

  #step(
    response: DebugProtocol.Response,
    { granularity }: { readonly granularity?: DebugProtocol.SteppingGranularity },
    direction: Direction,
    step: (debug: Debugger) => Promise<Stop>,
  ): void {
    const isInstruction = granularity === 'instruction';
    if (isInstruction) this.#showsRegisters = true;
    this.#move(response, ({ debug }) =>
      isInstruction ? debug.stepInstruction(direction) : step(debug),
    );
  }

  /** Goes to the line of the call, then into the function again. */
  override restartFrameRequest(
    response: DebugProtocol.RestartFrameResponse,
    { frameId }: DebugProtocol.RestartFrameArguments,
  ): void {
    this.#move(
      response,
      async ({ debug }, signal) => {
        const first = await firstOwnFrame(debug);
        let stop = await debug.stepOut('backward');
        for (let index = first + 1; index < frameId && !signal.aborted; index += 1) {
          stop = await debug.stepOut('backward');
        }
        return stop.reason === 'start' ? stop : debug.stepIn();
      },
      async ({ debug }) => {
        const count = await debug.frameCount();
        if (frameId > 0 && frameId <= count) return;
        throw new Error(`There is no frame ${frameId} here: the stack has ${count} frames.`);
      },
    );
  }

  /** The next and the previous time that a line runs. */
  override gotoTargetsRequest(
    response: DebugProtocol.GotoTargetsResponse,
    { source, line }: DebugProtocol.GotoTargetsArguments,
  ): void {
    this.#answer(response, async ({ debug, files }) => {
      const at = this.convertClientLineToDebugger(line);
      const names = await files.filesOf(source);
      const breakpoints = names.map((file) => ({ id: 'goto', line: { file, line: at } }));
      const { position: start } = debug;
      const targets: DebugProtocol.GotoTarget[] = [];
      for (const direction of ['forward', 'backward'] as const) {
        const { reason, position } = await debug.run({ direction, breakpoints });
        await debug.goTo(start);
        if (reason !== 'breakpoint') continue;
        const label = `${direction === 'forward' ? 'Next' : 'Previous'} run, at position ${position}`;
        targets.push({ id: this.#gotoPositions.push(position), label, line });
      }
      return { targets };
    });
  }

  override gotoRequest(
    response: DebugProtocol.GotoResponse,
    { targetId }: DebugProtocol.GotoArguments,
  ): void {
    const position = this.#gotoPositions[targetId - 1];
    if (position === undefined) {
      this.#reject(response, new Error(`There is no target ${targetId}. Send gotoTargets first.`));
      return;
    }
    this.#move(response, ({ debug }) => debug.goTo(position));
  }

  /** `starkbox/goTo` with a position. */
  override customRequest(command: string, response: DebugProtocol.Response, args: unknown): void {
    if (command !== 'starkbox/goTo') {
      this.#reject(response, new Error(`Unknown request ${command}.`));
      return;
    }
    const position = Number(memberOf(args, 'position'));
    this.#move(response, ({ debug }) => debug.goTo(position));
  }

  override pauseRequest(response: DebugProtocol.PauseResponse): void {
    if (this.#running) this.#running.signal.aborted = true;
    this.sendResponse(response);
  }

  override cancelRequest(
    response: DebugProtocol.CancelResponse,
    { requestId, progressId }: DebugProtocol.CancelArguments = {},
  ): void {
    if (progressId === OPENING) this.#opening.abort(new Error('Opening was cancelled.'));
    if (this.#running && this.#running.request === requestId) this.#running.signal.aborted = true;
    this.sendResponse(response);
  }

  override threadsRequest(response: DebugProtocol.ThreadsResponse): void {
    const target = this.#session?.execution.target ?? {};
    const name = 'transactionHash' in target ? `transaction ${target.transactionHash}` : 'call';
    response.body = { threads: [{ id: THREAD, name }] };
    this.sendResponse(response);
  }

  override stackTraceRequest(
    response: DebugProtocol.StackTraceResponse,
    { startFrame = 0, levels = 0 }: DebugProtocol.StackTraceArguments,
  ): void {
    this.#answer(response, async (session) => {
      const { debug } = session;
      const first = this.#showsRegisters ? 0 : await firstOwnFrame(debug);
      const totalFrames = (await debug.frameCount()) - first;
      const count = levels > 0 ? levels : totalFrames;
      // One more frame tells where a contract begins.
      const frames = await debug.frames(first + startFrame, count + 1);
      const stackFrames: DebugProtocol.StackFrame[] = [];
      for (const [at, frame] of frames.slice(0, count).entries()) {
        const isOutermost = frames[at + 1]?.runIndex !== frame.runIndex;
        stackFrames.push(await this.#frame(session, frame, isOutermost));
      }
      if (totalFrames === 0) return { stackFrames: [END_FRAME], totalFrames: 1 };
      return { stackFrames, totalFrames };
    });
  }

  async #frame(
    { files }: Session,
    frame: StackFrame,
    isOutermost: boolean,
  ): Promise<DebugProtocol.StackFrame> {
    const { index, runIndex, run, name, location, repetitions, isLibrary, pc } = frame;
    const contract = isOutermost ? ` (${run.contract_name ?? run.contract_address})` : '';
    const times = repetitions > 1 ? ` ×${repetitions}` : '';
    return {
      id: index + 1,
      name: `${shortName(name)}${times}${contract}`,
      line: location ? this.convertDebuggerLineToClient(location.line) : 0,
      column: location ? this.convertDebuggerColumnToClient(location.column) : 0,
      canRestart: true,
      presentationHint: isLibrary || !location ? 'subtle' : 'normal',
      ...(location ? { source: await files.sourceOf(location) } : {}),
      ...(pc === undefined ? {} : { instructionPointerReference: addressOf(runIndex, pc) }),
    };
  }

  override scopesRequest(
    response: DebugProtocol.ScopesResponse,
    { frameId }: DebugProtocol.ScopesArguments,
  ): void {
    this.#answer(response, async ({ debug }) => {
      const [frame] = await debug.frames(frameId - 1, 1);
      if (!frame) return { scopes: [] };
      const { scopes, note } = await scopesOf(debug, frame, this.#references);
      this.#note(note);
      if (this.#showsRegisters) scopes.push(registersScope(debug, this.#references));
      return { scopes };
    });
  }

  override variablesRequest(
    response: DebugProtocol.VariablesResponse,
    args: DebugProtocol.VariablesArguments,
  ): void {
    this.#answer(response, async () => ({ variables: [...(await this.#references.read(args))] }));
  }

  override evaluateRequest(
    response: DebugProtocol.EvaluateResponse,
    { expression, frameId }: DebugProtocol.EvaluateArguments,
  ): void {
    this.#answer(response, async ({ debug }) => {
      const frame = frameId === undefined ? await firstOwnFrame(debug) : frameId - 1;
      const { value, note } = await debug.evaluate(expression.trim(), frame);
      if (!value) throw new Error(note ?? `'${expression}' has no value here.`);
      return this.#references.describeValue(value, expression.trim());
    });
  }

  override exceptionInfoRequest(response: DebugProtocol.ExceptionInfoResponse): void {
    this.#answer(response, async ({ debug, execution }) => {
      const isUncaught = debug.position === debug.startOfInterest;
      const breakMode: DebugProtocol.ExceptionBreakMode = isUncaught ? 'unhandled' : 'always';
      const text = await failureText(debug);
      const explained = isUncaught ? await explainedFailure(execution) : undefined;
      return {
        exceptionId: 'failure',
        description: text,
        breakMode,
        ...(explained === undefined ? {} : { details: { message: text, stackTrace: explained } }),
      };
    });
  }

  override loadedSourcesRequest(response: DebugProtocol.LoadedSourcesResponse): void {
    this.#answer(response, async ({ files }) => ({ sources: [...(await files.all())] }));
  }

  override sourceRequest(
    response: DebugProtocol.SourceResponse,
    { sourceReference, source }: DebugProtocol.SourceArguments,
  ): void {
    this.#answer(response, async ({ files }) => {
      const content = await files.text(source?.sourceReference ?? sourceReference);
      if (content === undefined) throw new Error('The node does not have this file.');
      return { content, mimeType: 'text/x-cairo' };
    });
  }

  override disassembleRequest(
    response: DebugProtocol.DisassembleResponse,
    args: DebugProtocol.DisassembleArguments,
  ): void {
    this.#answer(response, async ({ debug, files }) => {
      this.#showsRegisters = true;
      const lineOf = (line: number): number => this.convertDebuggerLineToClient(line);
      return { instructions: await disassemble(debug, args, { files, lineOf }) };
    });
  }

  override terminateRequest(response: DebugProtocol.TerminateResponse): void {
    this.sendResponse(response);
    this.sendEvent(new TerminatedEvent());
  }

  override disconnectRequest(response: DebugProtocol.DisconnectResponse): void {
    this.#enqueue(async () => this.sendResponse(response));
    this.shutdown();
  }

  /**
   * Responds to a request that moves, then moves, then tells where it stopped.
   *
   * @param check rejects a request that names nothing
   */
  #move(
    response: DebugProtocol.Response,
    move: Move,
    check: (session: Session) => Promise<void> = async () => {},
  ): void {
    this.#enqueue(async () => {
      const session = this.#session;
      try {
        if (!session) throw new Error(NOT_OPEN);
        await check(session);
      } catch (error) {
        this.#reject(response, error);
        return;
      }
      this.sendResponse(response);
      this.#references.clear();
      const signal = { aborted: false };
      this.#running = { request: response.request_seq, signal };
      try {
        const stop = await move(session, signal);
        await this.#reportStop(session, stop, stop.reason === 'aborted');
      } catch (error) {
        this.sendEvent(new OutputEvent(`${reasonOf(error)}\n`, 'important'));
        await this.#reportStop(session, { position: session.debug.position, reason: 'goto' }, true);
      } finally {
        this.#running = undefined;
      }
    });
  }

  async #reportStop({ debug }: Session, stop: Stop, isPaused: boolean): Promise<void> {
    const { breakpoint, notes = [] } = stop;
    for (const note of notes) this.#note(note);
    const body: DebugProtocol.StoppedEvent['body'] = {
      reason: isPaused ? 'pause' : this.#reason(stop),
      threadId: THREAD,
      allThreadsStopped: true,
      ...(isPaused ? {} : await descriptionOf(debug, stop)),
      ...(breakpoint ? { hitBreakpointIds: [Number(breakpoint.id)] } : {}),
    };
    const { position, length } = debug;
    this.sendEvent(new Event('starkbox/position', { position, length }));
    this.sendEvent(new Event('stopped', body));
  }

  #reason({ reason, breakpoint }: Stop): string {
    switch (reason) {
      case 'start':
        return 'entry';
      case 'failure':
        return 'exception';
      case 'call':
      case 'event':
      case 'write':
        return 'breakpoint';
      case 'breakpoint':
        return breakpoint && this.#breakpoints.isFunction(breakpoint)
          ? 'function breakpoint'
          : 'breakpoint';
      default:
        return reason;
    }
  }

  /** Responds with a body, after the requests before it. */
  #reply<R extends DebugProtocol.Response>(response: R, work: () => Promise<R['body']>): void {
    this.#enqueue(async () => {
      try {
        response.body = await work();
        this.sendResponse(response);
      } catch (error) {
        this.#reject(response, error);
      }
    });
  }

  /** The same for a request about the execution. */
  #answer<R extends DebugProtocol.Response>(
    response: R,
    work: (session: Session) => Promise<R['body']>,
  ): void {
    this.#reply(response, () => {
      if (!this.#session) throw new Error(NOT_OPEN);
      return work(this.#session);
    });
  }

  #reject(response: DebugProtocol.Response, error: unknown): void {
    const message = reasonOf(error);
    response.success = false;
    response.message = message;
    response.body = { error: { id: 1, format: message, showUser: true } };
    this.sendResponse(response);
  }

  #enqueue(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(work).catch((error: unknown) => {
      process.stderr.write(`starkbox debug: ${reasonOf(error)}\n`);
    });
  }
}
