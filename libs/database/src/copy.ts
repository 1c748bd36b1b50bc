import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** The input of a COPY. Text is sent as UTF-8, and the input may be split anywhere. */
export type CopyChunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/**
 * Runs `copy … from stdin` with the chunks as its data, in the format that the statement names. The next chunk is
 * requested only when the connection can accept it. After any failure, the statement has ended in the server, and the
 * connection is ready for the next statement.
 * @returns the number of rows.
 * @throws the server's error about the data, and the errors of `chunks`.
 */
export async function copyIn(client: ClientBase, sql: string, chunks: CopyChunks): Promise<number> {
  const copy = client.query(copyFrom(sql));
  const ended = finished(copy);
  ended.catch(() => {});
  let refusal: Error | undefined;
  copy.on('error', (error) => {
    refusal ??= error;
    // Otherwise, the stream would write its buffered rest when the socket drains. By then it has released the
    // connection, so the write would cause an uncaught exception.
    copy.destroy();
  });
  const notRefused = () => {
    if (refusal) throw refusal;
  };
  try {
    for await (const chunk of chunks) {
      notRefused();
      if (!copy.write(chunk)) await once(copy, 'drain');
    }
    notRefused();
  } catch (error) {
    // The server is told to discard the rows, and answers with an error.
    if (!refusal) {
      copy.destroy(error as Error);
      await ended.catch(() => {});
    }
    throw error;
  }
  copy.end();
  await ended;
  return copy.rowCount;
}

/**
 * Returns the data of `copy … to stdout`, which is read as fast as the reader consumes it.
 * @param cancel ends the statement in the server, for a reader that stops early.
 */
export async function* copyOut(
  client: ClientBase,
  sql: string,
  cancel: () => Promise<void>,
): AsyncGenerator<Buffer, void, void> {
  const copy = client.query(copyTo(sql));
  // This call ends the time limit of the answer, because the reader may be slow.
  (copy as { callback?: () => void }).callback?.();
  let hasEnded = false;
  const ended = finished(copy).finally(() => (hasEnded = true));
  ended.catch(() => {});
  try {
    yield* copy.iterator({ destroyOnReturn: false }) as AsyncGenerator<Buffer, void, void>;
  } finally {
    if (!hasEnded) {
      await cancel();
      // The rest of the data arrives, and then the server's confirmation that the copy has ended.
      copy.resume();
      await ended.catch(() => {});
    }
  }
}
