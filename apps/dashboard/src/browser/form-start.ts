import type { Readable } from 'node:stream';

/** Maximum size of the fields before a file. They are hidden fields of the page. */
const START_BYTES_MAX = 4_096;
const FIELD = /name="csrf"\r\n\r\n([A-Za-z0-9_-]{1,100})\r\n--/;

/**
 * Reads the token of a form with a file. The token must precede the file, and the body can then be read again from its
 * start.
 * @returns undefined if the first 4,096 bytes contain no token.
 */
export function csrfOf(body: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    let held = Buffer.alloc(0);
    const look = () => {
      const chunk = body.read() as Buffer | null;
      if (chunk) held = Buffer.concat([held, chunk]);
      const token = FIELD.exec(held.subarray(0, START_BYTES_MAX).toString('latin1'))?.[1];
      if (token === undefined && held.length < START_BYTES_MAX) return;
      end(token);
    };
    const over = () => end(undefined);
    const end = (token: string | undefined) => {
      body.off('readable', look).off('end', over).off('close', over);
      if (held.length > 0 && !body.readableEnded) body.unshift(held);
      resolve(token);
    };
    body.on('readable', look).once('end', over).once('close', over);
  });
}
