import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ServiceTokens, SystemClock } from '#libs/platform';
import { waitFor } from '#test/environment';
import { HARNESS_SECRET } from '../../../../test/stand-ins/harness-secret.js';
import { LoopbackServer } from '../../../../test/stand-ins/json-server.js';
import { ServiceProxy } from './service-proxy.js';

/** As many as there are connections for one kind of call. */
const CONNECTIONS = 96;
const OF_ONE = 6;

const unanswered: ServerResponse[] = [];
const billing = new LoopbackServer(({ url }, response) =>
  url === '/slow' ? unanswered.push(response) : response.end('{}'),
);
let proxy: ServiceProxy;

beforeAll(async () => {
  await billing.start();
  const tokens = new ServiceTokens(HARNESS_SECRET, new SystemClock());
  proxy = new ServiceProxy({ service: 'billing', url: billing.url, tokens });
});
afterAll(async () => {
  await proxy.close();
  await billing.stop();
});

const call = (path: string, accountId: string, timeoutMs: number) => {
  const visitor = { clientAddress: '192.0.2.1', requestId: 'req_1' };
  return proxy.call({ method: 'POST', path, visitor, accountId, timeoutMs });
};

it('S102: calls that may wait for a payment processor, however many, leave connections for pages', async () => {
  const waiting = Array.from({ length: CONNECTIONS }, (_, place) =>
    call('/slow', `account ${place % (CONNECTIONS / OF_ONE)}`, 25_000),
  );
  await waitFor('the slow calls', () => unanswered.length === CONNECTIONS);
  expect((await call('/quick', 'another', 2_000)).status).toBe(200);
  for (const response of unanswered) response.end('{}');
  await Promise.all(waiting);
});
