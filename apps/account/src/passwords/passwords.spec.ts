import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { InvalidRequest } from '#libs/platform';
import {
  AccountUnderTest,
  CHEAP_HASH,
  PASSWORD,
} from '../../../../test/account/account-under-test.js';
import { HASH_COST, hashPassword } from './password-hash.js';
import {
  PARALLEL_MAX,
  PasswordsService,
  WAITING_MAX,
  WAITING_OF_SITE_MAX,
} from './passwords.service.js';

const LOG_INS = 200;
/** A quarter of the normal cost, which is slow enough to fill the queue. */
const COST = { ...HASH_COST, memoryKib: HASH_COST.memoryKib / 4 };

describe('passwords', () => {
  let account: AccountUnderTest;
  let passwords: PasswordsService;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
    passwords = account.get(PasswordsService);
    passwords.cost = COST;
  });
  afterAll(() => account.stop());

  /** Logs in from a different network each time, so that only the queue rejects calls. */
  const logIn = (i: number) =>
    account.dashboard('POST', 'log-in', {
      body: { email: `person${i}@example.com`, password: 'a wrong password' },
      headers: { 'x-client-address': `10.${i >> 8}.${i & 255}.1` },
    });

  it('S21: a password that is hard to guess is accepted if it has 8 to 128 characters, of any kind', () => {
    const faultOf = (password: string) => {
      try {
        passwords.check(password);
        return undefined;
      } catch (error) {
        return (error as InvalidRequest).errors?.[0].message;
      }
    };
    const digits = createHash('sha512').digest('hex');
    expect(digits).toHaveLength(128);
    const accepted = ['zq8vk2wp', 'correcthorsebatterystaple', '83926184052719', digits];
    expect(accepted.map(faultOf)).toEqual(accepted.map(() => undefined));
    for (const password of ['', 'zq8vk2w', `${digits}x`]) {
      expect(faultOf(password)).toBe('must have 8 to 128 characters');
    }
  });

  it.each(['change', 'reset'])(
    'S21: a %s of the password is refused if it is easy to guess',
    async (way) => {
      const email = `${way}@example.com`;
      const { token } = await account.register(email);
      await account.dashboard('POST', 'password/forgot', { body: { email } });
      const link = await account.linkToken(email);
      const proof = way === 'reset' ? { token: link } : { current_password: PASSWORD };
      const body = { ...proof, password: 'P@ssw0rd2024' };
      const refused = await account.dashboard('POST', `password/${way}`, { token, body });
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'password' }] } });
    },
  );

  it('S20: when the queue is full, further passwords are refused with 429, and once the queue is empty, passwords are checked again', async () => {
    const stored = await hashPassword(PASSWORD, CHEAP_HASH);
    const checks = Array.from({ length: 80 }, (_, i) =>
      passwords.matches('a wrong password', stored, `network ${i}`),
    );
    expect(passwords.queueLength).toBe(WAITING_MAX);
    const answers = await Promise.allSettled(checks);
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(80 - WAITING_MAX - PARALLEL_MAX);
    expect(refused[0]).toMatchObject({ reason: { code: 'too_busy', status: 429 } });
    expect(await passwords.matches('a wrong password', null, 'network')).toBe(false);
  });

  it('S20: of 200 simultaneous log-ins, those whose password was hashed get an answer, and the others get 429', async () => {
    const before = passwords.hashCount;
    let longest = 0;
    const answers = await Promise.all(
      Array.from({ length: LOG_INS }, async (_, i) => {
        const { status, body } = await logIn(i);
        longest = Math.max(longest, passwords.queueLength);
        return `${status} ${body.code}`;
      }),
    );
    const served = passwords.hashCount - before;
    expect(served).toBeGreaterThanOrEqual(WAITING_MAX + PARALLEL_MAX);
    const hashed = answers.filter((answer) => answer !== '429 too_busy');
    expect(hashed).toHaveLength(served);
    expect(hashed).toContain('401 wrong_credentials');
    // On a busy machine, some calls time out while they wait for a connection to the database.
    expect(['401 wrong_credentials', '503 service_unavailable']).toEqual(
      expect.arrayContaining([...new Set(hashed)]),
    );
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThanOrEqual(WAITING_MAX);
    expect(passwords.queueLength).toBe(0);
  });

  it('S121: the networks of one site together fill only part of the queue, and other sites are served', async () => {
    const checks = Array.from({ length: 40 }, (_, i) =>
      passwords.matches(PASSWORD, null, `2001:db8:1:${i.toString(16)}::1`),
    );
    const answers = Promise.allSettled(checks);
    expect(passwords.queueLength).toBe(WAITING_OF_SITE_MAX);
    expect(await passwords.matches(PASSWORD, null, 'another')).toBe(false);
    const refused = (await answers).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(40 - WAITING_OF_SITE_MAX - PARALLEL_MAX);
  });

  it('S121: one person’s calls from many networks neither delay nor displace another person’s', async () => {
    const { running } = passwords as unknown as { running: Set<{ person: string }> };
    const begun = jest.spyOn(running, 'add');
    const check = async (person: string, network: string) =>
      passwords.matches(PASSWORD, null, network, person).catch(() => 'refused');
    const flood = Array.from({ length: WAITING_MAX + PARALLEL_MAX }, (_, i) =>
      check('one', `network ${i}`),
    );
    expect(passwords.queueLength).toBe(WAITING_MAX);
    const answers = await Promise.all([...flood, check('another', 'own network')]);
    const order = begun.mock.calls.map(([{ person }]) => person);
    begun.mockRestore();
    expect(answers.filter((answer) => answer === 'refused')).toHaveLength(1);
    expect(order.indexOf('another')).toBe(PARALLEL_MAX);
  });

  it('S121: invented password-reset links cost no hash and no strength estimate, and are counted per network', async () => {
    const before = passwords.hashCount;
    const reset = (i: number) =>
      account.dashboard('POST', 'password/reset', {
        // This password would be rejected as easy to guess if it were checked.
        body: { token: `${i}`.padStart(43, 'a'), password: 'password' },
        headers: { 'x-client-address': '198.51.100.77' },
      });
    const codes: string[] = [];
    for (let i = 0; i < 33; i++) codes.push((await reset(i)).body.code);
    expect(codes.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 'link_invalid'));
    expect(codes.slice(30)).toEqual(Array.from({ length: 3 }, () => 'too_many_attempts'));
    expect(passwords.hashCount).toBe(before);
  });

  it('S20: while a password is hashed, the event loop serves other requests', async () => {
    const { url } = account.service;
    const checks = Array.from({ length: 16 }, (_, i) =>
      passwords.matches(PASSWORD, null, `network ${i}`),
    );
    let answered = 0;
    while (passwords.queueLength > 0) {
      const { status } = await fetch(`${url}/health`);
      expect(status).toBe(200);
      // If hashing ran on the main thread, no request would be answered before the queue is empty.
      if (passwords.queueLength > 0) answered++;
    }
    await Promise.all(checks);
    expect(answered).toBeGreaterThan(0);
  });
});
