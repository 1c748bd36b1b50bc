import { type Answer, answerOf } from '../../stories/customer.js';

/**
 * Thrown if no answer arrived: the connection was refused or broken, or the answer was too late. The request may
 * nevertheless have taken effect.
 */
export class NoAnswer extends Error {}

/** A time limit that is longer than a gateway waits for lookup. */
const TIMEOUT_MS = 25_000;

/**
 * Sends a request on a new connection, because a server may close an idle connection at any time.
 * @throws NoAnswer with the cause.
 */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { ...init.headers, connection: 'close' };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return await answerOf(await fetch(url, { ...init, headers, signal }));
  } catch (error) {
    const { cause, name } = error as Error & { cause?: NodeJS.ErrnoException };
    throw new NoAnswer(cause?.code ?? name, { cause: error });
  }
}
