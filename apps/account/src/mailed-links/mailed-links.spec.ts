import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS } from '#libs/platform';
import { AccountUnderTest, PASSWORD } from '../../../../test/account/account-under-test.js';

let account: AccountUnderTest;

beforeAll(async () => {
  account = await AccountUnderTest.start();
});
afterAll(() => account.stop());
beforeEach(() => account.clock.advance(HOUR_MS));

const post = (path: string, body: object, token?: string) =>
  account.dashboard('POST', path, { body, token });
const check = async (kind: string, token: string) =>
  (await post('links/check', { kind, token })).status;

it('S31: checking a link does not consume it; a consumed link no longer works', async () => {
  await post('sign-up', { first_name: 'Ada', email: 'a@example.com', password: PASSWORD });
  const signUp = await account.linkToken('a@example.com');
  expect([await check('sign_up', signUp), await check('sign_up', signUp)]).toEqual([200, 200]);
  const confirmed = await post('sign-up/confirm', { token: signUp, password: PASSWORD });
  expect(confirmed.status).toBe(201);
  expect(await check('sign_up', signUp)).toBe(410);

  await post(
    'account/email',
    { email: 'b@example.com' },
    String(confirmed.headers['x-set-session']),
  );
  const address = await account.linkToken('b@example.com');
  expect([await check('address_change', address), await check('sign_up', address)]).toEqual([
    200, 410,
  ]);
  expect((await post('account/email/confirm', { token: address })).status).toBe(200);
  expect(await check('address_change', address)).toBe(410);

  await post('password/forgot', { email: 'b@example.com' });
  const reset = await account.linkToken('b@example.com');
  expect(await check('password_reset', reset)).toBe(200);
  const set = await post('password/reset', { token: reset, password: 'another sentence 7' });
  expect(set.status).toBe(200);
  expect(await check('password_reset', reset)).toBe(410);
});

it('a link that has expired, or that we did not send, does not work', async () => {
  const { token } = await account.register('c@example.com');
  await post('password/forgot', { email: 'c@example.com' });
  const reset = await account.linkToken('c@example.com');
  await post('account/email', { email: 'd@example.com' }, token);
  const address = await account.linkToken('d@example.com');
  expect([await check('password_reset', reset), await check('address_change', address)]).toEqual([
    200, 200,
  ]);
  account.clock.advance(DAY_MS);
  expect([await check('password_reset', reset), await check('address_change', address)]).toEqual([
    410, 410,
  ]);
  expect(await check('sign_up', 'no link of ours')).toBe(410);
});

it('S121: after 30 invented links within an hour, a network gets 429 without any statement; valid links are not counted', async () => {
  await post('sign-up', { first_name: 'Ada', email: 'e@example.com', password: PASSWORD });
  const real = { kind: 'sign_up', token: await account.linkToken('e@example.com') };
  const calls: [path: string, body: object][] = [
    ['links/check', { kind: 'sign_up' }],
    ['links/check', { kind: 'password_reset' }],
    ['links/check', { kind: 'address_change' }],
    ['sign-up/confirm', { password: PASSWORD }],
    ['account/email/confirm', {}],
  ];
  for (const [at, [path, body]] of calls.entries()) {
    const headers = { 'x-client-address': `198.51.${at}.77` };
    const ask = (path: string, body: object) => account.dashboard('POST', path, { body, headers });
    for (let i = 0; i < 31; i++) expect((await ask('links/check', real)).status).toBe(200);
    const madeUp = { ...body, token: 'A'.repeat(43) };
    const codes: string[] = [];
    for (let i = 0; i < 31; i++) codes.push((await ask(path, madeUp)).body.code);
    expect(codes).toEqual([
      ...Array.from({ length: 30 }, () => 'link_invalid'),
      'too_many_attempts',
    ]);
    const statements = account.statements();
    expect((await ask(path, madeUp)).status).toBe(429);
    expect(statements.texts()).toEqual([]);
  }
  expect(await check('sign_up', real.token)).toBe(200);
});

it('S121: above the limit of a /48, requests from further networks in it run no SQL statement', async () => {
  const ask = (network: number) =>
    account.dashboard('POST', 'links/check', {
      body: { kind: 'sign_up', token: 'A'.repeat(43) },
      headers: { 'x-client-address': `2001:db8:48:${network.toString(16)}::1` },
    });
  const codes: string[] = [];
  for (let network = 0; network < 121; network++) codes.push((await ask(network)).body.code);
  expect(codes).toEqual([
    ...Array.from({ length: 120 }, () => 'link_invalid'),
    'too_many_attempts',
  ]);
  const statements = account.statements();
  expect((await ask(121)).status).toBe(429);
  expect(statements.texts()).toEqual([]);
});
