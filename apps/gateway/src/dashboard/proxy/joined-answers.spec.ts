import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { AccountExports } from '#libs/database';
import { ServiceTokens, SystemClock, newId } from '#libs/platform';
import { TooManyExports } from '../dashboard.errors.js';
import { JoinedAnswersService } from './joined-answers.service.js';
import { ServiceProxies } from './service-proxies.js';

const OWNERS = [{ service: 'gateway', path: '/' }] as const;
const VISITOR = { clientAddress: '192.0.2.1', requestId: 'req_1' };
const NO_TABLES = { tables: [], withheld: {} };

function serviceWith(exports: AccountExports): JoinedAnswersService {
  const tokens = new ServiceTokens('s'.repeat(43), new SystemClock());
  return new JoinedAnswersService(new ServiceProxies({}, tokens), exports);
}
const callOf = (accountId: string) => {
  return { method: 'GET', path: '/', visitor: VISITOR, accountId } as const;
};

it('S102: one account reads one export at a time, so that it keeps nobody else from theirs', async () => {
  const service = serviceWith(new AccountExports(undefined as never, NO_TABLES));
  const join = (accountId: string) => service.join(OWNERS, callOf(accountId));
  const [greedy, other] = [newId(), newId()];
  const first = await join(greedy);
  await expect(join(greedy)).rejects.toThrow(TooManyExports);
  expect(await text(await join(other))).toContain(other);
  expect(await text(first)).toContain(greedy);
  // Whoever has read it, or has gone, may ask again.
  const again = await join(greedy);
  await new Promise((resolve) => again.once('close', resolve).destroy());
  expect(await text(await join(greedy))).toContain(greedy);
});

it('S102: who reads slower than a slow line is cut off, and the place is free for others', async () => {
  /** A large part, of which each piece is written as soon as the one before was taken. */
  const large = {
    async *write() {
      yield '"';
      for (let piece = 0; piece < 100; piece++) yield 'x'.repeat(100_000);
      yield '"';
    },
  } as unknown as AccountExports;
  const service = serviceWith(large);
  const slowest = { graceMs: 50, bytesASecond: 1024 * 1024 * 1024 };
  const join = () => service.join(OWNERS, callOf(newId()), slowest);
  const idle = await Promise.all([join(), join(), join(), join()]);
  await expect(join()).rejects.toThrow(TooManyExports);
  const ends = idle.map((reading) => new Promise((resolve) => reading.once('error', resolve)));
  expect((await Promise.all(ends)).map(String)).toEqual(
    idle.map(() => 'Error: an export was read too slowly'),
  );
  const reading = await service.join(OWNERS, callOf(newId()), { ...slowest, graceMs: 60_000 });
  expect((await text(reading)).length).toBeGreaterThan(10_000_000);
});
