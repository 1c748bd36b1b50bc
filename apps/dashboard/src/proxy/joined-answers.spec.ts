import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ServiceTokens, SystemClock, newId } from '#libs/platform';
import { TooManyExports } from './proxy.errors.js';
import { JoinedAnswersService } from './joined-answers.service.js';
import { ServiceProxies } from '../service-calls/service-proxies.js';

const SMALL = [{ service: 'gateway', path: '/small' }] as const;
const LARGE = [{ service: 'gateway', path: '/large' }] as const;
const VISITOR = { clientAddress: '192.0.2.1', requestId: 'req_1' };
const LARGE_TEXT = JSON.stringify('x'.repeat(10_000_000));

let owner: Server;
let proxies: ServiceProxies;

beforeAll(async () => {
  owner = createServer(({ url }, answer) => void answer.end(url === '/small' ? '{}' : LARGE_TEXT));
  owner.listen(0, '127.0.0.1');
  await once(owner, 'listening');
  const { port } = owner.address() as AddressInfo;
  const tokens = new ServiceTokens('s'.repeat(43), new SystemClock());
  proxies = new ServiceProxies({ gateway: `http://127.0.0.1:${port}` }, tokens);
});
afterAll(async () => {
  await proxies.onApplicationShutdown();
  owner.closeAllConnections();
  owner.close();
});

const callOf = (accountId: string) => {
  return { method: 'GET', path: '/', visitor: VISITOR, accountId } as const;
};

it('S102: one account reads one export at a time, so that others can read theirs', async () => {
  const service = new JoinedAnswersService(proxies);
  const join = (accountId: string) => service.join(SMALL, callOf(accountId));
  const [greedy, other] = [newId(), newId()];
  const first = await join(greedy);
  await expect(join(greedy)).rejects.toThrow(TooManyExports);
  expect(await text(await join(other))).toContain(other);
  expect(await text(first)).toContain(greedy);
  // A caller that has read everything, or has disconnected, may call again.
  const again = await join(greedy);
  await new Promise((resolve) => again.once('close', resolve).destroy());
  expect(await text(await join(greedy))).toContain(greedy);
});

const UNDISTURBED = { graceMs: 600_000, bytesASecond: 1024 ** 3, undisturbedMs: 600_000 };
const SLOTS = 16;

it('S102: a reader that is too slow is disconnected, and its slot is then free for others', async () => {
  const service = new JoinedAnswersService(proxies);
  const join = (graceMs: number) =>
    service.join(LARGE, callOf(newId()), { ...UNDISTURBED, graceMs });
  const patient = await Promise.all(Array.from({ length: SLOTS - 1 }, () => join(600_000)));
  const idle = await join(50);
  const cut = new Promise((resolve) => idle.once('error', resolve));
  await expect(join(50)).rejects.toThrow(TooManyExports);
  expect(String(await cut)).toBe('Error: an export was read too slowly');
  const reading = await join(600_000);
  expect((await text(reading)).length).toBeGreaterThan(LARGE_TEXT.length);
  for (const one of patient) one.destroy();
});

it('S102: if all slots are taken, the slowest reader gives its slot to another account', async () => {
  const service = new JoinedAnswersService(proxies);
  const join = () => service.join(LARGE, callOf(newId()), { ...UNDISTURBED, undisturbedMs: 0 });
  const readers = await Promise.all(Array.from({ length: SLOTS }, join));
  const [slowest, ...others] = readers;
  for (const one of others) {
    one.resume();
    await once(one, 'data');
    one.pause();
  }
  const cut = once(slowest, 'error');
  expect((await text(await join())).length).toBeGreaterThan(LARGE_TEXT.length);
  expect(String(await cut)).toBe('Error: an export was read too slowly');
  expect(others.filter(({ destroyed }) => destroyed)).toEqual([]);
  for (const one of others) one.destroy();
});
