import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Agent, request } from 'undici';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { CallsUnderWay } from './calls-under-way.js';
import { ServiceProxy } from './service-proxy.js';

const AT_ONCE = 6;
const IN_WORK = 2;

let under: DashboardUnderTest;
const agent = new Agent({ connections: null });

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(async () => {
  await agent.destroy();
  // The owners' answers end the calls, which would otherwise wait for them.
  under?.forget();
  await under?.stop();
});

beforeEach(() => under.forget());

const call = (path: string, signal?: AbortSignal, cookie = under.cookie) => {
  const headers = { host: 'dashboard.example', cookie };
  return request(`${under.url}${path}`, { headers, signal, dispatcher: agent });
};

/** Lets the dashboard learn whose session it is; without that, it counts a call among those of its site. */
const knowSession = async (cookie = under.cookie) => {
  await (await call('/api/session', undefined, cookie)).body.dump();
  under.arrived.length = 0;
};

// The tests with a stopped clock run first: with it, timers of earlier calls could not be cleared.
const newAnswer = () => new EventEmitter() as EventEmitter & ServerResponse;

/** Begins a call of a known account. */
const enter = async (
  calls: CallsUnderWay,
  accountId: string,
  answer = newAnswer(),
  isTransfer = false,
) => {
  calls.noteSession(accountId, accountId);
  return calls.enter({ sessionToken: accountId, clientAddress: '192.0.2.1' }, answer, isTransfer);
};

it('S102: of the waiting calls, that of the account with the fewest calls begins first, and two are processed at once', async () => {
  const calls = new CallsUnderWay(2);
  const order: string[] = [];
  /** Begins a call. @returns a function that ends it. */
  const begin = async (accountId: string) => {
    const answer = newAnswer();
    const endWork = await enter(calls, accountId, answer);
    order.push(accountId);
    return () => {
      endWork();
      answer.emit('close');
    };
  };
  for (let count = 0; count < 3; count++) (await begin('busy'))();
  const ends = await Promise.all(['a', 'b'].map(begin));
  const waiting = [begin('busy'), begin('busy'), begin('quick')];
  order.length = 0;
  for (const end of ends) end();
  await Promise.all(waiting);
  expect(order).toEqual(['quick', 'busy', 'busy']);
});

it('S102: the accounts of one site, however many, hardly delay an account of another site', async () => {
  const calls = new CallsUnderWay(2);
  let begun = 0;
  let isOver = false;
  const visit = async (accountId: string, clientAddress: string) => {
    calls.noteSession(accountId, accountId);
    const answer = newAnswer();
    const endWork = await calls.enter({ sessionToken: accountId, clientAddress }, answer);
    begun += 1;
    await setImmediate();
    endWork();
    answer.emit('close');
  };
  const reload = async (accountId: string) => {
    while (!isOver) await visit(accountId, '192.0.2.1');
  };
  const others = Array.from({ length: 24 }, (_, n) => reload(`trial ${n % 12}`));
  const waits: number[] = [];
  for (let page = 0; page < 40; page++) {
    const before = begun;
    await visit('customer', '198.51.100.1');
    waits.push(begun - before);
  }
  isOver = true;
  await Promise.all(others);
  expect(Math.max(...waits.slice(10))).toBeLessThan(6);
});

it('S102: eight calls of other accounts begin per second, however slow they are, so a call waits only briefly', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  let idle = 0;
  const use = jest
    .spyOn(performance, 'eventLoopUtilization')
    .mockImplementation(() => ({ idle: (idle += 250), active: 0, utilization: 0 }));
  const calls = new CallsUnderWay(2);
  let begun = 0;
  for (let account = 0; account < 40; account++) {
    void enter(calls, `slow ${account}`).then(() => begun++);
  }
  for (let quarter = 0; quarter < 4; quarter++) mock.timers.tick(250);
  mock.timers.reset();
  use.mockRestore();
  await setImmediate();
  expect(begun).toBe(2 + 8);
});

it('S102: an account that repeats refused calls gets most of its rejections later, however many connections it has', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const calls = new CallsUnderWay(2);
  let refused = 0;
  const call = () => void enter(calls, 'a').catch(() => refused++);
  for (let count = 0; count < AT_ONCE + 80; count++) call();
  const refusedBy: number[] = [];
  for (const afterMs of [0, 3_999, 1]) {
    mock.timers.tick(afterMs);
    await setImmediate();
    refusedBy.push(refused);
  }
  call();
  await setImmediate();
  mock.timers.reset();
  expect([...refusedBy, refused]).toEqual([4, 4, 80, 81]);
});

it('S102: an upload or download waits for its turn, and gives the turn up soon, even if it has not ended', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const calls = new CallsUnderWay(2);
  const begun: string[] = [];
  const begin = (isTransfer: boolean) =>
    void enter(calls, 'a', newAnswer(), isTransfer).then(() =>
      begun.push(isTransfer ? 'transfer' : 'page'),
    );
  for (const isTransfer of [true, true, true, true, true, false]) begin(isTransfer);
  const begunBy: number[] = [];
  for (let quarter = 0; quarter < 3; quarter++) {
    await setImmediate();
    begunBy.push(begun.length);
    mock.timers.tick(250);
  }
  mock.timers.reset();
  expect([begunBy, begun.at(-1)]).toEqual([[2, 4, 6], 'page']);
});

it('the number of calls that are processed at once can be increased', async () => {
  const calls = new CallsUnderWay(4);
  let begun = 0;
  for (let account = 0; account < 8; account++) {
    void enter(calls, `account ${account}`).then(() => begun++);
  }
  await setImmediate();
  expect(begun).toBe(4);
});

it('S102: calls whose sessions are not known yet take the turns of their site', async () => {
  const calls = new CallsUnderWay(2);
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const begin = async (sessionToken: string) => {
    ends.push(await calls.enter({ sessionToken, clientAddress: '192.0.2.1' }, newAnswer()));
    order.push(sessionToken);
  };
  (await enter(calls, 'known'))();
  const flood = Array.from({ length: 64 }, (_, n) => begin(`invented ${n}`));
  await expect(begin('invented')).rejects.toMatchObject({ code: 'too_busy' });
  const known = begin('known');
  for (let ended = 0; ended < 65; await setImmediate()) {
    while (ended < ends.length) ends[ended++]();
  }
  await Promise.all([...flood, known]);
  expect(order.indexOf('known')).toBeLessThanOrEqual(4);
});

it('S102: an answer that its client does not read does not hold up other calls', async () => {
  const calls = new CallsUnderWay(2);
  for (const accountId of ['a', 'b']) (await enter(calls, accountId))();
  const begin = enter(calls, 'c').then(() => 'begun');
  expect(await Promise.race([begin, setImmediate('waiting')])).toBe('begun');
});

it.each([
  ['billing, which waits for a processor', '/api/subscriptions'],
  ['account, where each waits for the previous one', '/api/keys'],
])(
  'S102: concurrent calls of one account to %s are limited, and only two are processed at once, so that other accounts’ calls get through',
  async (_owner, path) => {
    await knowSession();
    under.isSilent = true;
    const entered = jest.spyOn(CallsUnderWay.prototype, 'enter');
    const proxied = jest.spyOn(ServiceProxy.prototype, 'call');
    const leaving = new AbortController();
    const waiting = Array.from({ length: AT_ONCE }, () =>
      call(path, leaving.signal).catch((error: unknown) => error),
    );
    await waitFor('the calls to be counted', () => entered.mock.calls.length === AT_ONCE);
    const refused = await call(path);
    const checks = proxied.mock.calls.filter(([{ isSessionCheck }]) => isSessionCheck);
    for (const spy of [entered, proxied]) spy.mockRestore();
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(await refused.body.json()).toMatchObject({ code: 'too_busy', retryable: true });
    await waitFor('two calls to reach their owner', () => under.arrived.length >= IN_WORK);
    under.isSilent = false;
    const { session } = under;
    under.session = { ...session, accountId: newId() };
    expect((await call(path, undefined, `${under.cookie}2`)).statusCode).toBe(200);
    // A call that did not wait would have arrived before this one.
    expect(under.arrived).toHaveLength(IN_WORK + 1);
    under.session = session;
    leaving.abort();
    await Promise.all(waiting);
    under.forget();
    await waitFor('the abandoned calls to be no longer counted', async () => {
      const { statusCode, body } = await call(path);
      await body.dump();
      return statusCode === 200;
    });
    // The sessions of the refused call and of those that waited were not checked.
    expect(checks).toHaveLength(IN_WORK);
  },
);

it('S102: calls whose clients have disconnected count until their work ends, and those that wait never begin', async () => {
  await knowSession();
  under.isSilent = true;
  for (let round = 0; round < 4; round++) {
    const leaving = new AbortController();
    const entered = jest.spyOn(CallsUnderWay.prototype, 'enter');
    const asked = [1, 2].map(() => call('/api/keys', leaving.signal).catch(() => {}));
    await waitFor('both calls', () => entered.mock.calls.length === asked.length);
    entered.mockRestore();
    await waitFor('two calls to reach their owner', () => under.arrived.length >= IN_WORK);
    leaving.abort();
    await Promise.all(asked);
  }
  expect(under.arrived).toHaveLength(IN_WORK);
});

it('S102: calls with a session that has ended do not count for its account', async () => {
  const { session } = under;
  const ofAccount = { ...session, accountId: newId() };
  const [ended, cookie] = [`${under.cookie}4`, `${under.cookie}5`];
  for (const current of [ofAccount, null as never]) {
    under.session = current;
    await knowSession(ended);
  }
  under.session = ofAccount;
  await knowSession(cookie);
  under.isSilent = true;
  const leaving = new AbortController();
  const entered = jest.spyOn(CallsUnderWay.prototype, 'enter');
  const waiting = Array.from({ length: AT_ONCE }, () =>
    call('/api/keys', leaving.signal, cookie).catch(() => {}),
  );
  await waitFor('the calls to be counted', () => entered.mock.calls.length === AT_ONCE);
  entered.mockRestore();
  under.session = null as never;
  expect((await call('/api/keys', undefined, ended)).statusCode).toBe(401);
  under.session = session;
  leaving.abort();
  await Promise.all(waiting);
});

it('S102: the overview of a logged-in visitor counts like every other page', async () => {
  under.session = { ...under.session, accountId: newId() };
  const cookie = `${under.cookie}3`;
  await knowSession(cookie);
  under.isSilent = true;
  const leaving = new AbortController();
  const entered = jest.spyOn(CallsUnderWay.prototype, 'enter');
  const waiting = Array.from({ length: AT_ONCE }, () =>
    call('/', leaving.signal, cookie).catch(() => {}),
  );
  await waitFor('the pages to be counted', () => entered.mock.calls.length === AT_ONCE);
  entered.mockRestore();
  expect((await call('/', undefined, cookie)).statusCode).toBe(429);
  leaving.abort();
  await Promise.all(waiting);
});
