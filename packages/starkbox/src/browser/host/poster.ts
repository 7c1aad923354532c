// HTTP requests to one address, by the `fetch` of a browser.
import type { Posted, PostOptions } from '../../fork/origin/poster.js';

type Headers = Readonly<Record<string, string>>;

/** The server must allow pages of other sites to send these headers. */
export class Poster {
  readonly #url: URL;
  readonly #headers: Headers;
  readonly #follows: boolean;

  /** @param follows whether redirects are followed */
  constructor(url: URL, headers: Headers, follows: boolean) {
    this.#url = url;
    this.#headers = headers;
    this.#follows = follows;
  }

  async post({ body, signal, onData }: PostOptions): Promise<Posted> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body,
      signal,
      redirect: this.#follows ? 'follow' : 'error',
      credentials: 'omit',
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${reason}: the server must run, and allow this site by CORS headers`);
    });
    onData(0);
    const text = await textOf(response, onData);
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  }

  close(): void {}
}

async function textOf(response: Response, onData: PostOptions['onData']): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let length = 0;
  let text = '';
  const pieces = response.body.getReader();
  for (;;) {
    const { done, value } = await pieces.read();
    if (done) return text + decoder.decode();
    length += value.length;
    try {
      onData(length);
    } catch (error) {
      await pieces.cancel();
      throw error;
    }
    text += decoder.decode(value, { stream: true });
  }
}
