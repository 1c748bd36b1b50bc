import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { parseAddressBlock } from '#libs/domain-names';
import { LoopbackInternet } from '../loopback-internet.contract.js';
import { UpstreamLimiter } from '../limiter/upstream-limiter.js';
import { NumberRegistries } from '../networks/number-registries.js';
import { ParserWorker } from '../parser/parser-worker.js';
import { RdapClient } from '../rdap/rdap-client.js';
import { Port43Client } from '../whois/port43.js';
import { NumberLookups } from './number-lookup.js';

const PATIENT = { connectMs: 60_000, firstByteMs: 60_000, wholeMs: 60_000 };
const NETWORK = {
  objectClassName: 'ip network',
  startAddress: '8.8.8.0',
  endAddress: '8.8.8.255',
  name: 'EXAMPLE-NET',
};

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

it.each([
  ['rdap.db.ripe.net', 'ripe'],
  // The registry of a country within the region of ARIN.
  ['rdap.country.example', 'arin'],
])('if a registry redirects to %s, the answer names the registry %s', async (host, registry) => {
  await internet.rdap('rdap.arin.net', (_request, response) => {
    response.writeHead(302, { location: `https://${host}/ip/8.8.8.0/24` }).end();
  });
  await internet.rdap(host, (_request, response) => void response.end(JSON.stringify(NETWORK)));
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
  const asked = parseAddressBlock('8.8.8.8');
  if (!asked.ok) throw new Error('not an address');
  const found = await lookups.lookUpBlock(asked.cidr);
  await rdap.close();
  expect(found).toMatchObject({
    outcome: 'delivered',
    registry,
    sources: [{ server: `https://${host}/` }],
  });
});
