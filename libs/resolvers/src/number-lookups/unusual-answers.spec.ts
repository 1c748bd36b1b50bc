import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { parseAddressBlock } from '#libs/domain-names';
import { monotonicMs } from '#libs/platform';
import { LoopbackInternet } from '../loopback-internet.contract.js';
import { UpstreamLimiter } from '../limiter/upstream-limiter.js';
import { NumberRegistries } from '../networks/number-registries.js';
import { ParserWorker } from '../parser/parser-worker.js';
import { RdapClient } from '../rdap/rdap-client.js';
import { Port43Client } from '../whois/port43.js';
import { NumberLookups } from './number-lookup.js';

const WHOLE = `NetRange:       8.0.0.0 - 8.127.255.255
NetName:        EXAMPLE-8

OrgName:        Example Carrier
OrgId:          EXC
`;
const HALF_LINE = 'OrgAbuseEmail:  abuse@carrier.ex';
const PATIENT = { connectMs: 60_000, firstByteMs: 60_000, wholeMs: 60_000 };

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

async function lookUp(sizeBytes: number) {
  const connector = internet.connector();
  const rdap = new RdapClient(connector, PATIENT);
  const lookups = new NumberLookups({
    registries: NumberRegistries.vendored(),
    rdap,
    port43: new Port43Client(connector, { ...PATIENT, sizeBytes }),
    limiter: new UpstreamLimiter(),
    parser,
    clock: { now: () => new Date('2026-11-22T10:00:00Z') },
  });
  const asked = parseAddressBlock('8.8.8.8');
  if (!asked.ok) throw new Error('not an address');
  const found = await lookups.lookUpBlock(asked.cidr);
  await rdap.close();
  return found;
}

it('half a line at the end of an interrupted answer about an address is not read', async () => {
  await internet.whois('whois.arin.net', `${WHOLE}${HALF_LINE}ample\r\n`);
  expect(await lookUp(WHOLE.length + HALF_LINE.length)).toMatchObject({
    outcome: 'partial',
    block: { name: 'EXAMPLE-8', abuseContacts: [] },
    sources: [{ protocol: 'rdap' }, { protocol: 'whois43', truncated: true }],
  });
});

it('S64: an answer of 256 KiB of line ends does not delay other lookups', async () => {
  await internet.whois('whois.arin.net', '\n'.repeat(256 * 1024));
  const startedMs = monotonicMs();
  const { sources } = await lookUp(256 * 1024);
  expect(sources.at(-1)).toMatchObject({ protocol: 'whois43', outcome: 'parse_failed' });
  // With a search that is quadratic in the number of lines, this takes more than a minute.
  expect(monotonicMs() - startedMs).toBeLessThan(20_000);
});
