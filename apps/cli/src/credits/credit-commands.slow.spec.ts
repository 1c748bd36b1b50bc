import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { userInfo } from 'node:os';
import { newId } from '#libs/platform';
import { OperatorDesk } from '../../../../test/desk/operator-desk.js';

const ID = newId();

describe('credit commands', () => {
  let desk: OperatorDesk;

  beforeAll(async () => {
    desk = await OperatorDesk.open();
  });
  afterAll(() => desk.close());

  it('an operator’s grants, revocations and overrides are audited first', async () => {
    const { accountId } = await desk.account.register('audited@example.com');
    const why = ['--reason', 'a test'];
    await desk.command('credits', 'grant', accountId, '70', '--id', ID, ...why);
    await desk.command('credits', 'revoke', accountId, '20', '--id', ID, ...why);
    const limit = ['--limit', 'live', '--value', '900', '--until', '2027-01-01T00:00:00Z'];
    await desk.command('limits', 'override', accountId, ...limit, ...why);
    const by = `operator:${userInfo().username} operator.`;
    expect((await desk.audited(accountId)).slice(-3)).toEqual([
      `${by}grant-credits adjustment:${ID}`,
      `${by}revoke-credits revocation:${ID}`,
      `${by}override-limit limit:live`,
    ]);
    expect(await desk.answer('credits', 'explain', accountId)).toMatchObject({ total: 50 });
    const unknown = await desk.command('credits', 'grant', ID, '70', ...why);
    expect(unknown.code).toBe(1);
    expect(await desk.entitlement.client.balance(ID)).toMatchObject({ spendable: 0 });
  });

  it.each([
    [
      'a text that is not an id',
      ['nonsense', '--until', '2027-01-01T00:00:00Z'],
      'an id of this product',
    ],
    ['a time in the past', [ID, '--until', '2020-01-01T00:00:00Z'], 'in the past'],
    ['a time without its zone', [ID, '--until', '2027-01-01'], 'such as 2027-01-31T12:00:00Z'],
  ])('%s is rejected before anything is audited', async (_, args, expected) => {
    const limit = ['--limit', 'live', '--value', '900', '--reason', 'a test'];
    const end = await desk.command('limits', 'override', ...args, ...limit);
    expect(end.code).toBe(1);
    expect(end.stderr).toContain(expected);
    expect(await desk.audited(ID)).toEqual([]);
  });

  it('set-aside lists an account while its credits cannot be updated', async () => {
    const { entitlement } = desk;
    const year = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2027-03-02T09:00:00Z' };
    const [damaged, sound] = [newId(), newId()];
    const day = entitlement.clock.now();
    for (const accountId of [damaged, sound]) {
      const subscription = { subscriptionId: newId(), interval: 'year', ...year } as const;
      entitlement.clock.set(year.periodStart);
      await entitlement.subscribe(accountId, subscription);
    }
    const advance = async () => {
      // Tokens expire according to the test's clock.
      entitlement.clock.set('2026-04-02T09:00:00Z');
      await entitlement.database.query('update set_aside_accounts set until = clock_timestamp()');
      await entitlement.advanceAll();
      entitlement.clock.set(day.toISOString());
    };
    const listed = async () => desk.command('credits', 'set-aside');
    const nothing = { code: 0, stdout: '', stderr: 'Nothing is set aside.\n' };
    expect(await listed()).toEqual(nothing);
    await entitlement.damage(damaged, 1);
    await advance();
    const { code, stdout, stderr } = await listed();
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^account \S+ since \d{4}-\S+Z, 1 failure: .*buckets_add_up/),
    ]);
    expect(lines[0]).toContain(damaged);
    const known = { accountId: damaged, failures: 1, reason: expect.any(String) };
    expect(await desk.answer('credits', 'set-aside')).toMatchObject({
      accounts: [known],
      leases: [],
    });
    await entitlement.damage(damaged, -1);
    await advance();
    expect(await listed()).toEqual(nothing);
  });

  it('explain prints lines that add up to the final balance', async () => {
    const { accountId } = await desk.account.register('explained@example.com');
    await desk.entitlement.buy(accountId, 1_500);
    await desk.entitlement.use(accountId, 20);
    const { code, stdout } = await desk.command('credits', 'explain', accountId);
    expect(code).toBe(0);
    const numbers = stdout.split('\n').map((line) => Number.parseInt(line, 10));
    const end = numbers.indexOf(1_480);
    expect(numbers.slice(0, end).reduce((sum, number) => sum + number, 0)).toBe(1_480);
    expect(stdout).toContain('1480  in total, of which\n');
    const json = await desk.answer('credits', 'explain', accountId);
    expect(json).toMatchObject({ total: 1_480, unexplained: 0 });
  });
});
