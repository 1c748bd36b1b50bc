import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { TestClock } from '#test/environment';
import { CallRate } from '../call-rate.js';
import { StripeProcessor } from './stripe-processor.js';

const LIVE = 'rk_live';

it.each([
  ['live', [`${LIVE}_1`, `${LIVE}_2`, 'rk_test_3', `${LIVE}_4`], [0, 1, 1, 3]],
  ['test', ['rk_test_1', 'rk_test_2', `${LIVE}_3`, 'rk_test_4'], [0, 1, 1, 3]],
])(
  'S45: a process in %s mode accepts a changed key only if the key is of the same mode',
  async (_mode, keys, used) => {
    const sent: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => {
      sent.push(headers.authorization);
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: 'none' } }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    let now = 0;
    const processor = new StripeProcessor({
      apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: () => keys[now],
      callbackSecrets: () => ['a secret'],
      rate: new CallRate(1_000),
      clock: new TestClock(),
    });
    for (now = 0; now < keys.length; now += 1) {
      await processor.fetch({ kind: 'payment', id: 'pi_1' });
    }
    server.closeAllConnections();
    server.close();
    expect(sent).toEqual(used.map((place) => `Bearer ${keys[place]}`));
  },
);
