import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

/** A signed callback as it goes over the wire. */
export interface SignedCallback {
  body: string;
  headers: Record<string, string>;
}

export interface CallbackLoad {
  url: string;
  perSecond: number;
  callbacks: readonly SignedCallback[];
}

/** One for each callback. */
export interface CallbackTime {
  status: number;
  /** From the time at which it was due, so that a late sender does not make the receiver look quick. */
  ms: number;
}

const CONNECTIONS = 64;

/** In a thread of its own: sends callbacks at a steady rate, whether or not the earlier ones were answered. */
async function send({ url, perSecond, callbacks }: CallbackLoad): Promise<CallbackTime[]> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const startedMs = performance.now();
  const sent: Promise<CallbackTime>[] = [];
  for (const [at, { body, headers }] of callbacks.entries()) {
    const dueMs = startedMs + (at * 1000) / perSecond;
    const leftMs = dueMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
    const answered = async () => {
      const type = { 'content-type': 'application/json; charset=utf-8' };
      const answer = await pool.request({
        method: 'POST',
        path,
        body,
        headers: { ...type, ...headers },
      });
      await answer.body.dump();
      return { status: answer.statusCode, ms: performance.now() - dueMs };
    };
    sent.push(answered());
  }
  const times = await Promise.all(sent);
  await pool.close();
  return times;
}

parentPort!.postMessage(await send(workerData as CallbackLoad));
