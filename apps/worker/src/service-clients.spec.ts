import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ServiceTokens, SystemClock } from '#libs/platform';
import { waitFor } from '#test/environment';
import { HARNESS_SECRET } from '../../../test/stand-ins/harness-secret.js';
import { LoopbackServer } from '../../../test/stand-ins/json-server.js';
import { ServiceClients } from './service-clients.js';

/** Sixteen chunks, eight checks and four repeated ones of each kind, and the collector with both kinds. */
const CALLS_MAX = 16 + 2 * (8 + 4) + 2;

const unanswered: ServerResponse[] = [];
const lookup = new LoopbackServer((_request, response) => void unanswered.push(response));
let clients: ServiceClients;

beforeAll(async () => {
  await lookup.start();
  const tokens = new ServiceTokens(HARNESS_SECRET, new SystemClock());
  const [accountUrl, entitlementUrl, corpusUrl] = Array.from({ length: 3 }, () => lookup.url);
  const urls = { accountUrl, entitlementUrl, corpusUrl, lookupUrl: lookup.url };
  clients = new ServiceClients(urls, tokens);
});
afterAll(async () => {
  await clients.close();
  await lookup.stop();
});

it('no call to lookup waits for another, however slow the registries are', async () => {
  const ending = new AbortController();
  const questions = {
    kind: 'whois',
    names: ['a.example'],
    priority: 'bulk',
    maxAgeSeconds: 0,
    waitSeconds: 0,
  } as const;
  const calls = Array.from({ length: CALLS_MAX }, () =>
    clients.lookup
      .ask(questions, { signal: ending.signal })
      .next()
      .catch(() => {}),
  );
  await waitFor('all calls', () => unanswered.length === CALLS_MAX);
  ending.abort();
  await Promise.all(calls);
  expect(unanswered).toHaveLength(CALLS_MAX);
});
