// Handover of an instance: a node asks the one that has it in memory to write it back.

/** An instance that had a request so short ago stays, so that it does not move with each request. */
export const QUIET_MILLISECONDS = 500;
/** How long an answer may take: the owner writes the instance to the store. */
const ANSWER_MILLISECONDS = 5_000;
const ANSWERS = new Map<number, ReleaseAnswer>([
  [204, 'released'],
  [409, 'in use'],
]);

/** Unreachable: its lease may end soon. */
export type ReleaseAnswer = 'released' | 'in use' | 'unreachable';

/**
 * Asks a node to release an instance.
 *
 * @param url of the node that has it in memory
 * @param token of `--auth-token`, which all nodes of a fleet share
 */
export async function askForRelease(
  id: string,
  url: string,
  token: string | undefined,
): Promise<ReleaseAnswer> {
  try {
    const response = await fetch(`${url}/instances/${id}/release`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });
    await response.body?.cancel();
    return ANSWERS.get(response.status) ?? 'unreachable';
  } catch {
    return 'unreachable';
  }
}
