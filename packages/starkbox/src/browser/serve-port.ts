// The chain's side of a port: answers requests, and carries sockets.
import { isObject, type Members } from '@starkbox/abi/basics';
import { type MessagePort, onMessage, PORT_URL, type PortAnswer } from '../client/port.js';
import { reasonOf } from '../errors.js';
import { answerAt, dispatcherAt } from '../library/in-process-fetch.js';
import type { Listener } from '../rpc/protocol/call-context.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { SerialQueue } from '../scheduling/serial-queue.js';
import type { ChainService } from '../service/chain-service.js';
import type { WorkerChain } from './open-chain.js';

/** Close codes of RFC 6455. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;

/**
 * Clients such as starknet.js register a subscription one turn after they have read its id, and drop notifications that
 * they read before.
 */
const REGISTRATION_MILLISECONDS = 5;

/** The path of a request: the chain of the worker, or an instance of it. */
const PATH = /^(?:\/instances\/(?<instance>[^/]+))?(?<rest>.*)$/;

/** The ports of a chain. */
export class ServedPorts {
  readonly #chain: WorkerChain;
  readonly #ports = new Set<ServedPort>();

  constructor(chain: WorkerChain) {
    this.#chain = chain;
    chain.instances.whenClosed((service) => {
      for (const port of this.#ports) port.endSocketsOf(service);
    });
  }

  /** @param onStop called when the client of this port ends the chain */
  add(port: MessagePort, onStop?: () => Promise<void>): void {
    const served = new ServedPort(port, this.#chain, {
      stop: onStop,
      connect: (other) => this.add(other),
      leave: () => this.#ports.delete(served),
    });
    this.#ports.add(served);
  }

  /** Ends all clients with a message. */
  end(message: string): void {
    for (const port of this.#ports) port.end(message);
    this.#ports.clear();
  }
}

interface PortEvents {
  readonly stop: (() => Promise<void>) | undefined;
  readonly connect: (port: MessagePort) => void;
  readonly leave: () => void;
}

class ServedPort {
  readonly #port: MessagePort;
  readonly #chain: WorkerChain;
  readonly #events: PortEvents;
  readonly #aborts = new Map<number, AbortController>();
  readonly #sockets = new Map<number, ServedSocket>();

  constructor(port: MessagePort, chain: WorkerChain, events: PortEvents) {
    this.#port = port;
    this.#chain = chain;
    this.#events = events;
    onMessage(port, (message) => {
      const { id } = message;
      if (typeof id === 'number') this.#receive(id, message);
    });
  }

  endSocketsOf(service: ChainService): void {
    for (const socket of this.#sockets.values()) {
      if (socket.service === service) socket.end(GOING_AWAY, 'the instance was deleted');
    }
  }

  end(message: string): void {
    this.#closeSockets('the chain was closed');
    this.#post({ type: 'ended', message });
    this.#port.close();
  }

  #post(answer: PortAnswer, transfer: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(answer, transfer);
  }

  #receive(id: number, message: Members): void {
    const { type, path, text } = message;
    if (type === 'fetch') this.#answer(id, () => this.#answerFetch(id, message));
    else if (type === 'image') this.#answer(id, async () => ({ image: await this.#chain.image() }));
    else if (type === 'connect') this.#answer(id, () => this.#connect(message['port']));
    else if (type === 'stop') this.#answer(id, () => this.#stop());
    else if (type === 'leave') this.#leave(id);
    else if (type === 'abort') this.#aborts.get(id)?.abort();
    else if (type === 'open') this.#open(id, String(path));
    else if (type === 'send') this.#sockets.get(id)?.receive(String(text));
    else if (type === 'close') this.#sockets.get(id)?.end(NORMAL, '');
  }

  #answer(id: number, work: () => Promise<AnswerFacts>): void {
    work().then(
      (facts) => {
        const { image } = facts;
        this.#post({ type: 'answer', id, ...facts }, image ? [image.buffer] : []);
      },
      (error: unknown) => this.#post({ type: 'failure', id, message: reasonOf(error) }),
    );
  }

  async #answerFetch(id: number, { method, path, body }: Members): Promise<AnswerFacts> {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    try {
      const { service, rest } = await this.#at(String(path));
      if (!service) return { status: 404, body: `There is no instance at ${path}\n` };
      const text = (): string => String(body);
      const { signal } = abort;
      return await answerAt(service, { method: String(method), path: rest, text, signal });
    } finally {
      this.#aborts.delete(id);
    }
  }

  async #at(path: string): Promise<{ readonly service: ChainService | undefined; rest: string }> {
    const { instance, rest = '' } = PATH.exec(path)?.groups ?? {};
    const { service, instances } = this.#chain;
    return { service: instance ? await instances.find(instance, () => {}) : service, rest };
  }

  async #connect(port: unknown): Promise<AnswerFacts> {
    if (!isPort(port)) throw new TypeError('A port was expected');
    this.#events.connect(port);
    return {};
  }

  async #stop(): Promise<AnswerFacts> {
    if (!this.#events.stop) throw new Error('Only the page that created the chain can end it');
    this.#closeSockets('the chain was closed');
    // Without this port, which gets an answer.
    this.#events.leave();
    await this.#events.stop();
    return {};
  }

  #leave(id: number): void {
    this.#closeSockets('');
    this.#events.leave();
    this.#post({ type: 'answer', id });
    this.#port.close();
  }

  #closeSockets(reason: string): void {
    for (const socket of this.#sockets.values()) socket.end(GOING_AWAY, reason);
  }

  #open(id: number, path: string): void {
    this.#at(path).then(
      ({ service, rest }) => {
        const dispatcher = service && dispatcherAt(rest.replace(/^\/ws/, ''), service);
        if (service && dispatcher) this.#serveSocket(id, service, dispatcher);
        else this.#reportClose(id, POLICY, `Nothing is served at ${path}: use ${PORT_URL}`);
      },
      (error: unknown) => this.#reportClose(id, POLICY, reasonOf(error)),
    );
  }

  #serveSocket(id: number, service: ChainService, dispatcher: Dispatcher): void {
    const socket = new ServedSocket(service, dispatcher, {
      send: (text) => this.#post({ type: 'text', id, text }),
      close: (code, reason) => this.#reportClose(id, code, reason),
    });
    this.#sockets.set(id, socket);
    this.#post({ type: 'opened', id });
  }

  #reportClose(id: number, code: number, reason: string): void {
    this.#sockets.delete(id);
    this.#post({ type: 'closed', id, code, reason });
  }
}

interface AnswerFacts {
  readonly status?: number;
  readonly body?: string | undefined;
  readonly image?: Uint8Array<ArrayBuffer>;
}

function isPort(value: unknown): value is MessagePort {
  return isObject(value) && 'postMessage' in value && 'addEventListener' in value;
}

interface SocketEvents {
  readonly send: (text: string) => void;
  readonly close: (code: number, reason: string) => void;
}

/** A socket of a client. Its calls are answered in order. */
class ServedSocket implements Listener {
  readonly service: ChainService;
  readonly #dispatcher: Dispatcher;
  readonly #events: SocketEvents;
  readonly #calls = new SerialQueue();
  readonly #abandoned = new AbortController();
  #afterAnswer: Parameters<Listener['afterAnswer']>[0][] = [];
  isOpen = true;

  constructor(service: ChainService, dispatcher: Dispatcher, events: SocketEvents) {
    this.service = service;
    this.#dispatcher = dispatcher;
    this.#events = events;
  }

  receive(text: string): void {
    this.#calls
      .run(() => this.#answer(text))
      .catch((error: unknown) => this.end(POLICY, reasonOf(error)));
  }

  send(text: string): void {
    if (this.isOpen) this.#events.send(text);
  }

  afterAnswer(action: () => (() => void) | undefined): void {
    this.#afterAnswer.push(action);
  }

  end(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#abandoned.abort();
    this.service.subscriptions.drop(this);
    this.#events.close(code, reason);
  }

  async #answer(text: string): Promise<void> {
    const { signal } = this.#abandoned;
    const answer = await this.#dispatcher.handle(text, { transport: 'ws', listener: this, signal });
    this.service.subscriptions.catchUp();
    if (answer !== undefined) this.send(answer);
    const actions = this.#afterAnswer;
    this.#afterAnswer = [];
    const later = actions.map((action) => action()).filter((action) => action !== undefined);
    if (later.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, REGISTRATION_MILLISECONDS));
    for (const action of later) action();
  }
}
