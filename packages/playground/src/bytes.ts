// Bytes: compression, and base64 in its plain and its URL-safe form.

const GZIP = [0x1f, 0x8b];
/** Arguments of one call; browsers limit them. */
const SLICE = 0x8000;

export function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return through(bytes, new CompressionStream('gzip'));
}

/**
 * @param limit the most bytes that may come out
 * @throws TypeError if the bytes are damaged
 * @throws RangeError if more would come out
 */
export function gunzip(
  bytes: Uint8Array<ArrayBuffer>,
  limit?: number,
): Promise<Uint8Array<ArrayBuffer>> {
  return through(bytes, new DecompressionStream('gzip'), limit);
}

export function isGzip(bytes: Uint8Array): boolean {
  return GZIP.every((byte, at) => bytes[at] === byte);
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  limit = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  let length = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > limit) throw new RangeError(`More than ${limit} bytes are compressed.`);
      controller.enqueue(chunk);
    },
  });
  const output = new Blob([bytes]).stream().pipeThrough(stream).pipeThrough(counter);
  return new Uint8Array(await new Response(output).arrayBuffer());
}

export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += SLICE) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + SLICE)));
  }
  return btoa(parts.join(''));
}

/** @throws DOMException if the text is no base64 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** @throws DOMException if the text is no base64 */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}
