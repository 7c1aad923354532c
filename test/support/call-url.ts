// A call of a method at any address.

/** @throws Error with code and message of the answer */
export async function callUrl(url: string, method: string, params: unknown = {}): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = Object(await response.json());
  if (error) throw new Error(`${error.code} ${error.message}`);
  return result;
}
