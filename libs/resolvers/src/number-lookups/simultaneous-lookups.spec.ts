import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { LoopbackInternet } from '../loopback-internet.contract.js';
import { UpstreamLimiter } from '../limiter/upstream-limiter.js';
import { NumberRegistries } from '../networks/number-registries.js';
import { ParserWorker } from '../parser/parser-worker.js';
import { RdapClient } from '../rdap/rdap-client.js';
import { Port43Client } from '../whois/port43.js';
import { NumberLookups } from './number-lookup.js';

const PATIENT = { connectMs: 60_000, firstByteMs: 60_000, wholeMs: 60_000 };
const AUTNUM = { objectClassName: 'autnum', startAutnum: 3333, endAutnum: 3333 };

let internet: LoopbackInternet;
let parser: ParserWorker;

beforeEach(() => {
  internet = new LoopbackInternet();
  parser = new ParserWorker({ timeoutMs: 60_000 });
});
afterEach(async () => {
  await parser.close();
  await internet.close();
});

function open() {
  const connector = internet.connector();
  const rdap = new RdapClient(connector, PATIENT);
  const lookups = new NumberLookups({
    registries: NumberRegistries.vendored(),
    rdap,
    port43: new Port43Client(connector, PATIENT),
    limiter: new UpstreamLimiter(),
    parser,
    clock: { now: () => new Date('2026-11-22T10:00:00Z') },
  });
  return { lookups, rdap };
}

it('an AS number is queried once if many callers look it up at the same time', async () => {
  await internet.rdap('rdap.db.ripe.net', (_request, response) => {
    response.end(JSON.stringify(AUTNUM));
  });
  const { lookups, rdap } = open();
  const found = await Promise.all(Array.from({ length: 100 }, () => lookups.lookUpAsn(3333)));
  expect(found.every(({ outcome }) => outcome === 'delivered')).toBe(true);
  expect(internet.asked).toEqual(['rdap.db.ripe.net /autnum/3333']);
  await rdap.close();
});

it('a lookup does not join one with a shorter time limit, such as the lookup of an origin', async () => {
  const { promise: asked, resolve: hasAsked } = Promise.withResolvers<ServerResponse>();
  let count = 0;
  await internet.rdap('rdap.db.ripe.net', (_request, response) => {
    count += 1;
    if (count === 1) hasAsked(response);
    else response.end(JSON.stringify(AUTNUM));
  });
  const { lookups, rdap } = open();
  const hasty = lookups.lookUpAsn(3333, { budgetMs: 10_000 });
  const first = await asked;
  expect((await lookups.lookUpAsn(3333)).outcome).toBe('delivered');
  first.destroy();
  await hasty;
  await rdap.close();
});
