import { type Socket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AVAILABILITY_BULK, QuestionOf } from '#libs/contracts';
import {
  Clock,
  Logger,
  type RunningService,
  ServiceTokens,
  SystemClock,
  Turns,
  loadConfig,
} from '#libs/platform';
import { DnsClient, PublicNames } from '#libs/resolvers';
import { LiveService } from '../live/live.service.js';
import { LookupConfig } from '../lookup.config.js';
import { QuestionPlaces } from '../questions/question-places.js';
import { startLookup } from '../start.js';
import { AvailabilityService } from './availability.service.js';

const SECRET = 'a-service-secret-of-at-least-32-characters';
const BATCH = 10;
/** An NS record of the requested name: `ns.` and that name. */
const RECORD = Buffer.from('c00c000200010000003c0005026e73c00c', 'hex');
const tokens = new ServiceTokens(SECRET, new SystemClock());
let resolver: Socket;
let service: RunningService;
let asked = 0;
let running = 0;
let mostRunning = 0;

/** Answers that the name is delegated, so that no suggestion is available. */
function answer(query: Buffer, send: (reply: Buffer) => void): void {
  asked += 1;
  running += 1;
  mostRunning = Math.max(mostRunning, running);
  const question = query.subarray(0, query.indexOf(0, 12) + 5);
  const reply = Buffer.concat([question, RECORD]);
  reply.writeUInt16BE(0x8180, 2);
  reply.writeUInt16BE(1, 6);
  reply.writeUInt16BE(0, 8);
  reply.writeUInt16BE(0, 10);
  // Further queries arrive in the meantime, if there are any.
  setTimeout(() => {
    running -= 1;
    send(reply);
  }, 5);
}

beforeAll(async () => {
  resolver = createSocket('udp4').bind(0, '127.0.0.1');
  await once(resolver, 'listening');
  resolver.on('message', (query, { port, address }) =>
    answer(query, (reply) => resolver.send(reply, port, address)),
  );
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: SECRET,
    LOOKUP_PORT: '0',
    LOOKUP_DNS_SERVERS: `127.0.0.1:${resolver.address().port}`,
    LOOKUP_DNS_TIMEOUT_MS: '25000',
    LOOKUP_BUDGET_MS: '25000',
  });
  const logger = new Logger('lookup', { write: () => undefined });
  service = await startLookup({ config, clock: new SystemClock(), logger });
});
afterAll(async () => {
  await service?.stop();
  resolver?.close();
});
beforeEach(() => {
  asked = mostRunning = 0;
});

/** Asks about a name whose registry publishes nothing, so that only the resolver is queried. */
async function suggestionsLike(label: string, accountId = 'an account'): Promise<unknown[]> {
  const query = new URLSearchParams({ domainName: `${label}.aq`, sug: 'true', count: '100' });
  const answered = await fetch(`${service.url}/internal/availability?${query}`, {
    headers: {
      authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
      'x-account-id': accountId,
    },
  });
  expect(answered.status).toBe(200);
  return ((await answered.json()) as { suggestions: unknown[] }).suggestions;
}

describe('the checks of suggested names', () => {
  it('S102: a request checks a limited number of names, because only available ones are charged, and each check takes a place', async () => {
    const use = jest.spyOn(QuestionPlaces.prototype, 'use');
    expect(await suggestionsLike('shop')).toEqual([]);
    expect(asked).toBeLessThanOrEqual(1 + 300);
    expect(use).toHaveBeenCalledTimes(asked - 1);
    use.mockRestore();
  });

  it('S102: the requests of one account are checked in turns, however many there are', async () => {
    const labels = Array.from({ length: 8 }, (_, place) => `shop${place}`);
    await Promise.all(labels.map((label) => suggestionsLike(label)));
    // The requested names themselves do not wait.
    expect(mostRunning).toBeLessThanOrEqual(BATCH + labels.length);
  });

  it('S102: while the event loop is late, four names of all accounts are checked at a time', async () => {
    const { adapt } = QuestionPlaces.prototype;
    const late = jest.spyOn(QuestionPlaces.prototype, 'adapt');
    late.mockImplementation(function (this: QuestionPlaces) {
      adapt.call(this, 1_000);
    });
    for (let looks = 0; looks < 10; looks = late.mock.calls.length) await suggestionsLike('shop');
    mostRunning = 0;
    const labels = Array.from({ length: 8 }, (_, place) => `shop${place}`);
    await Promise.all(labels.map((label) => suggestionsLike(label, label)));
    late.mockRestore();
    expect(mostRunning).toBeLessThanOrEqual(4 + labels.length);
  });

  it('S102: other requests are answered while names are composed', async () => {
    const spend = jest.spyOn(Turns.prototype, 'spend');
    await suggestionsLike('shop');
    const turns = spend.mock.results.filter(({ value }) => value);
    spend.mockRestore();
    expect(turns.length).toBeGreaterThanOrEqual(300 / 50);
  });
});

it('names of a bulk request are not queried once its time is over', async () => {
  const part = <Part>(of: abstract new (...args: never[]) => Part) =>
    service.app.get<Part>(of, { strict: false });
  const config = { ...part(LookupConfig), budgetMs: 0 };
  const late = new AvailabilityService(
    part(LiveService),
    part(DnsClient),
    part(Clock),
    config,
    part(PublicNames),
  );
  const question = { fresh: false } as QuestionOf<typeof AVAILABILITY_BULK>;
  const questions = late.several({ domainNames: ['shop.aq'] }, question, undefined);
  expect(await questions.answer(0, new AbortController().signal)).toMatchObject({
    outcome: 'unknown',
    body: { domain: 'shop.aq', availability: 'unknown' },
  });
  expect(asked).toBe(0);
});
