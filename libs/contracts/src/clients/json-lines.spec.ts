import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Dispatcher, request } from 'undici';
import { jsonLines } from './json-lines.js';

describe('JSON lines', () => {
  let server: Server;
  let body: Dispatcher.ResponseData['body'];
  /** The pieces in which the body arrives. Unless `hasEnd` is set, the sender stalls after the last piece. */
  let pieces: (string | Buffer)[];
  let hasEnd: boolean;

  beforeEach(async () => {
    server = createServer((_request, response) => {
      for (const piece of pieces) response.write(piece);
      if (hasEnd) response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  async function read(): Promise<object[]> {
    ({ body } = await request(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    const found: object[] = [];
    for await (const line of jsonLines(
      body.on('error', () => {}),
      'lookup',
    ))
      found.push(line);
    return found;
  }

  it('lines are read up to the closing line, however they are split, and a sender that keeps the connection open is disconnected', async () => {
    hasEnd = false;
    const text = Buffer.from('{"n":1}\n{"n":"ä"}\n{"isLast":true}\n');
    pieces = [text.subarray(0, 3), text.subarray(3, 15), text.subarray(15)];
    expect(await read()).toEqual([{ n: 1 }, { n: 'ä' }]);
    expect(body.destroyed).toBe(true);
  });

  it('lines that end before the closing line count as an outage', async () => {
    hasEnd = true;
    for (pieces of [[], ['{"n":1}\n'], ['{"n":1}\n{"isLa'], ['nonsense\n']]) {
      await expect(read()).rejects.toMatchObject({ status: 503 });
    }
  });
});
