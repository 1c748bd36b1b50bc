import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AccountUnderTest, PASSWORD } from '../../../../test/account/account-under-test.js';
import { PasswordsService } from '../../../account/src/passwords/passwords.service.js';
import { ServiceProxy } from '../service-calls/service-proxy.js';

const RESETS = 300;
/** One count for each checked reset, and one for each that the dashboard forwards at the same time. */
const LOOKED_AT_MAX = 30 + 12;
const RESET = '/internal/dashboard/password/reset';
const EMAIL = 'owner@example.com';

let account: AccountUnderTest;
let proxy: ServiceProxy;

beforeAll(async () => {
  account = await AccountUnderTest.start();
  const { tokens } = account;
  proxy = new ServiceProxy({ service: 'account', url: account.service.url, tokens });
  await account.register(EMAIL);
});
afterAll(async () => {
  await proxy.close();
  await account.stop();
});

const post = (clientAddress: string, path: string, body: object) =>
  proxy.call({ method: 'POST', path, body, visitor: { clientAddress, requestId: 'req_1' } });
const logIn = () =>
  post('198.51.100.9', '/internal/dashboard/log-in', { email: EMAIL, password: PASSWORD });

it('S121: 300 made-up resets cause no hash and few statements, and do not add work to another person’s log-in', async () => {
  const passwords = account.get(PasswordsService);
  const statements = account.statements((sql) => sql.includes('attempts'));
  /** Returns how much work an action takes: hashes, and counts of attempts. */
  async function workOf<T>(
    done: Promise<T>,
  ): Promise<{ answer: T; hashes: number; counts: number }> {
    const [hashes, counts] = [passwords.hashCount, statements.texts().length];
    const answer = await done;
    return {
      answer,
      hashes: passwords.hashCount - hashes,
      counts: statements.texts().length - counts,
    };
  }
  const alone = await workOf(logIn());
  expect(alone).toMatchObject({ answer: { status: 200 }, hashes: 1 });

  const batches: ReturnType<typeof post>[] = [];
  const flood = await workOf(
    (async () => {
      // The dashboard rejects a reset if 64 are already waiting.
      for (let i = 0; i < RESETS; i += 60) {
        const some = Array.from({ length: 60 }, (_, nth) =>
          post('203.0.113.7', RESET, {
            token: `${i + nth}`.padStart(43, 'a'),
            password: PASSWORD,
          }),
        );
        batches.push(...some);
        await Promise.all(some);
      }
    })(),
  );
  const codes = (await Promise.all(batches)).map(({ status }) => status);
  expect(codes.filter((status) => status === 410)).toHaveLength(30);
  expect(codes.filter((status) => status === 429)).toHaveLength(RESETS - 30);
  expect(flood.hashes).toBe(0);
  expect(flood.counts).toBeLessThanOrEqual(LOOKED_AT_MAX);

  const more = Array.from({ length: 60 }, () =>
    post('203.0.113.7', RESET, { token: 'a'.repeat(43), password: PASSWORD }),
  );
  const beside = await workOf(logIn());
  expect(beside).toMatchObject({
    answer: { status: 200 },
    hashes: alone.hashes,
    counts: alone.counts,
  });
  await Promise.all(more);
});
