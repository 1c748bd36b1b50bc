import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountErased } from '#libs/contracts';
import { POOL_SIZE, withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { ReapJob } from '../reaper/reap.job.js';

describe('holds', () => {
  let entitlement: EntitlementUnderTest;
  let accountId: string;
  let reaped = 0;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());
  beforeEach(async () => {
    entitlement.clock.set('2026-03-02T09:00:00Z');
    accountId = await entitlement.newAccount();
    await entitlement.newEntries(accountId);
  });
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  const hold = (amount: number, options: { holdId?: string; ttlMs?: number } = {}) =>
    entitlement.client.hold({ accountId, holdId: 'hold-1', amount, ...options });
  const settle = (part: string, count: number) =>
    entitlement.client.settleHold(accountId, 'hold-1', part, count);
  const close = () => entitlement.client.closeHold(accountId, 'hold-1');
  async function reap(): Promise<void> {
    const reaper = entitlement.service.app.get(ReapJob);
    reaped += 1;
    for (let ms = 0; ms <= 126_000; ms += 9_000) await reaper.runOnce(reaped * 20_000_000 + ms);
  }

  it('a hold reserves the whole amount, charges each part once and releases the rest', async () => {
    const held = { outcome: 'held', amount: 300, spendable: 200, balance: 500 };
    expect(await hold(300)).toEqual(held);
    expect(await hold(300)).toEqual(held);
    await settle('chunk-1', 90);
    await settle('chunk-1', 100);
    await settle('chunk-2', 80);
    await close();
    await close();
    expect(await hold(300)).toEqual({ outcome: 'closed', spendable: 330, balance: 330 });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve hold: available -300, reserved +300',
      'consume hold: reserved -90, consumed +90',
      'consume hold: reserved -80, consumed +80',
      'release hold: reserved -130, available +130',
    ]);
  });

  it('a hold that cannot be covered is rejected as a whole, and recalls leases only if that would help', async () => {
    const leaseId = newId();
    await entitlement.client.acquire({
      accountId,
      leaseId,
      gatewayId: 'gateway-1',
      min: 300,
      wanted: 0,
    });
    const left = { spendable: 200, balance: 500 };
    expect(await hold(501)).toEqual({ outcome: 'insufficient', ...left });
    expect(await entitlement.client.settle('gateway-1', [])).toMatchObject({ recalled: [] });
    expect(await hold(400)).toEqual({ outcome: 'elsewhere', ...left });
    expect(await entitlement.client.settle('gateway-1', [])).toMatchObject({ recalled: [leaseId] });
    await entitlement.client.close({ accountId, leaseId, consumed: 10 });
    expect(await hold(400)).toMatchObject({ outcome: 'held', spendable: 90 });
  });

  it('an id that was closed before it was opened cannot be opened', async () => {
    await close();
    expect(await hold(10)).toEqual({ outcome: 'closed', spendable: 500, balance: 500 });
    expect(await entitlement.newEntries(accountId)).toEqual([]);
  });

  it('a part settled after the close becomes a late debit', async () => {
    await hold(100);
    await settle('chunk-1', 40);
    await close();
    await settle('chunk-2', 50);
    await settle('chunk-3', 50);
    expect((await entitlement.newEntries(accountId)).slice(2)).toEqual([
      'release hold: reserved -60, available +60',
      'late_debit hold: available -50, consumed +50',
      'late_debit hold: available -10, consumed +10',
    ]);
  });

  it('accounts can have holds with the same id, and closing one leaves the other open', async () => {
    await hold(100);
    const other = await entitlement.newAccount();
    await entitlement.client.closeHold(other, 'hold-1');
    expect(await hold(100)).toMatchObject({ outcome: 'held' });
  });

  it('the reaper ends an expired hold of a request, but not a hold of a job', async () => {
    await hold(100, { ttlMs: 1 });
    await hold(50, { holdId: 'job-1' });
    await waitFor('the end of the hold', async () => {
      const ended = 'select from holds where account_id = $1 and expires_at < clock_timestamp()';
      return (await entitlement.database.query(ended, [accountId])).length === 1;
    });
    await reap();
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve hold: available -100, reserved +100',
      'reserve hold: available -50, reserved +50',
      'release hold: reserved -100, available +100',
    ]);
  });

  it('the holds of an erased account end after an hour, including holds of jobs that no service closes', async () => {
    await hold(100);
    await hold(50, { holdId: 'hold-2' });
    await settle('chunk-1', 30);
    await entitlement.deliver(AccountErased, accountId, { erasedAt: '2026-03-02T09:00:00Z' });
    expect(await hold(10, { holdId: 'hold-3' })).toMatchObject({ outcome: 'insufficient' });
    await settle('chunk-2', 20);
    await withClient(entitlement.test.url(), async (client) =>
      client.query(
        `update entitlement.holds set expires_at = expires_at - interval '1 hour' where account_id = $1`,
        [accountId],
      ),
    );
    await reap();
    expect(await entitlement.newEntries(accountId)).toEqual([
      'reserve hold: available -100, reserved +100',
      'reserve hold: available -50, reserved +50',
      'consume hold: reserved -30, consumed +30',
      'revoke trial: available -350, revoked +350',
      'consume hold: reserved -20, consumed +20',
      'release hold: reserved -50, revoked +50',
      'release hold: reserved -50, revoked +50',
    ]);
  });

  it('503: if no database connection is free, the caller is told when to try again', async () => {
    let calls: Promise<unknown>[] = [];
    const refusal = await withClient(entitlement.test.url(), async (client) => {
      await client.query('begin');
      const lock = 'select from entitlement.credit_accounts where id = $1 for update';
      await client.query(lock, [accountId]);
      calls = Array.from({ length: POOL_SIZE + 1 }, (_, n) => hold(1, { holdId: `hold-${n}` }));
      // The other callers use all connections and wait for the same account.
      return Promise.race(calls).catch((error: unknown) => error);
    });
    const expected = { code: 'service_unavailable', status: 503, retryAfterSeconds: 1 };
    expect(refusal).toMatchObject(expected);
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    const [line, ...others] = entitlement.logLines.splice(0);
    expect(line).toContain('timeout exceeded when trying to connect');
    expect(others).toEqual([]);
    expect(await entitlement.client.balance(accountId)).toMatchObject({ spendable: 490 });
  });

  it('credits that expired while a job held them are returned for seven days', async () => {
    const month = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };
    const subscription = { subscriptionId: newId(), ...month, cancelAt: month.periodEnd };
    await entitlement.subscribe(accountId, subscription);
    await hold(600);
    await settle('chunk-1', 550);
    entitlement.clock.set('2026-04-03T09:00:00Z');
    await close();
    expect((await entitlement.newEntries(accountId)).slice(1)).toEqual([
      'reserve hold: available -500, reserved +500, available -100, reserved +100',
      'consume hold: reserved -500, consumed +500, reserved -50, consumed +50',
      'expire subscription: available -14900, expired +14900',
      'release hold: reserved -50, expired +50',
      'grant release: issued -50, available +50',
    ]);
    entitlement.clock.set('2026-04-10T09:00:00Z');
    expect(await entitlement.client.balance(accountId)).toMatchObject({ spendable: 0 });
  });

  it('an operator’s credits are returned for seven days by each job, and late usage is taken from them', async () => {
    const expiresAt = '2026-03-03T09:00:00Z';
    const gift = { adjustmentId: newId(), amount: 1_000, reason: 'an outage', expiresAt };
    await entitlement.operator.grantByOperator(accountId, gift);
    await entitlement.use(accountId, 500);
    await hold(700);
    await entitlement.client.hold({ accountId, holdId: 'hold-2', amount: 300 });
    const spendableOn = async (day: string) => {
      entitlement.clock.set(`2026-03-${day}T09:00:00Z`);
      return (await entitlement.client.balance(accountId)).spendable;
    };
    expect(await spendableOn('04')).toBe(0);
    await close();
    expect(await spendableOn('06')).toBe(700);
    await entitlement.client.closeHold(accountId, 'hold-2');
    await settle('late', 600);
    expect(await spendableOn('10')).toBe(400);
    expect(await spendableOn('11')).toBe(300);
    await settle('last', 100);
    expect(await spendableOn('12')).toBe(300);
    expect(await spendableOn('13')).toBe(0);
  });

  describe('a half-refunded plan: one job returned 9,000 credits after the plan’s end, and others hold 6,000', () => {
    const month = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };
    const subscription = { subscriptionId: '', ...month };
    const end = (holdId: string) => entitlement.client.closeHold(accountId, holdId);
    const left = () => entitlement.client.balance(accountId);

    async function refundHalf({ used }: { used: number }): Promise<void> {
      const lineId = newId();
      subscription.subscriptionId = newId();
      await entitlement.use(accountId, 500);
      await entitlement.subscribe(accountId, {
        ...subscription,
        cancelAt: month.periodEnd,
        lineId,
      });
      await entitlement.buy(accountId, 9_000);
      for (const [holdId, amount] of Object.entries({
        first: 9_000,
        second: 3_000,
        third: 3_000,
      })) {
        await hold(amount, { holdId });
      }
      entitlement.clock.set('2026-04-03T09:00:00Z');
      await end('first');
      await entitlement.use(accountId, used);
      await entitlement.reverse(accountId, lineId, '0.5');
    }

    it('used credits become debt only as far as the held ones cannot cover the refund', async () => {
      await refundHalf({ used: 9_000 });
      // The package has repaid 1,500.
      expect(await left()).toMatchObject({ spendable: 7_500, debt: 0 });
      await end('second');
      await end('third');
      expect(await left()).toMatchObject({ spendable: 7_500, reserved: 0, debt: 0 });
    });

    it('a job that holds credits which have repaid such debt gets them back', async () => {
      await refundHalf({ used: 5_000 });
      // The plan goes on, so that credits are returned to it.
      await entitlement.subscribe(accountId, subscription);
      await end('second');
      expect(await hold(2_500, { holdId: 'fourth' })).toMatchObject({ outcome: 'held' });
      await end('third');
      await end('fourth');
      expect(await left()).toMatchObject({ spendable: 11_500, reserved: 0, debt: 0 });
    });
  });

  describe('a plan’s credits that a job held until they had expired', () => {
    const TRIAL = 500;
    const PLAN = 15_000;
    let lineId: string;

    beforeEach(async () => {
      lineId = newId();
      const month = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };
      const cancelAt = month.periodEnd;
      await entitlement.subscribe(accountId, {
        subscriptionId: newId(),
        ...month,
        cancelAt,
        lineId,
      });
      await hold(TRIAL + PLAN);
      entitlement.clock.set('2026-04-03T09:00:00Z');
      await close();
      const { spendable } = await entitlement.client.balance(accountId);
      expect(spendable).toBe(TRIAL + PLAN);
    });

    it('returned credits are revoked when their payment is refunded, and the used part becomes debt', async () => {
      await entitlement.use(accountId, 9_000);
      const reversalId = await entitlement.reverse(accountId, lineId, '1');
      const after = { spendable: TRIAL, debt: 9_000 };
      expect(await entitlement.client.balance(accountId)).toMatchObject(after);
      await entitlement.undo(accountId, reversalId);
      const undone = { spendable: TRIAL + PLAN - 9_000, debt: 0 };
      expect(await entitlement.client.balance(accountId)).toMatchObject(undone);
    });

    it('returned credits that a late report has used cannot be spent again', async () => {
      await Promise.all([settle('late', 9_000), settle('late', 9_000), settle('later', 1_000)]);
      const left = { spendable: TRIAL + PLAN - 10_000 };
      expect(await entitlement.client.balance(accountId)).toMatchObject(left);
      entitlement.clock.set('2026-04-11T09:00:00Z');
      expect(await entitlement.client.balance(accountId)).toMatchObject({ spendable: 0 });
      await settle('last', 2_000);
      const { grants } = await entitlement.client.balance(accountId);
      const moved = grants.map(({ source_type, consumed, expired }) => [
        source_type,
        consumed,
        expired,
      ]);
      expect(moved.toSorted()).toEqual([
        ['release', 11_500, 3_500],
        ['subscription', 0, PLAN],
        ['trial', TRIAL, 0],
      ]);
    });

    it('if late reports have used returned credits, these become debt on a refund', async () => {
      await settle('late', 9_000);
      await entitlement.reverse(accountId, lineId, '1');
      const after = { spendable: 0, debt: 9_000 - TRIAL };
      expect(await entitlement.client.balance(accountId)).toMatchObject(after);
    });

    it('a partial refund revokes the same share of returned credits as of other credits', async () => {
      await entitlement.reverse(accountId, lineId, '0.5');
      const { spendable, debt } = await entitlement.client.balance(accountId);
      expect([spendable, debt]).toEqual([TRIAL + PLAN / 2, 0]);
    });

    it('credits that jobs return on different days stay valid for seven days each, and are reversed together', async () => {
      const others = newId();
      const month = { periodStart: '2026-04-03T09:00:00Z', periodEnd: '2026-05-03T09:00:00Z' };
      const cancelAt = month.periodEnd;
      const next = { subscriptionId: newId(), ...month, cancelAt, lineId: others };
      await entitlement.use(accountId, TRIAL + PLAN);
      await entitlement.subscribe(accountId, next);
      for (const [holdId, amount] of Object.entries({ early: 9_000, late: 5_000, last: 1_000 })) {
        await entitlement.client.hold({ accountId, holdId, amount });
      }
      for (const [holdId, day] of Object.entries({ early: '04', late: '10', last: '12' })) {
        entitlement.clock.set(`2026-05-${day}T09:00:00Z`);
        await entitlement.client.closeHold(accountId, holdId);
      }
      const spendable = async () => (await entitlement.client.balance(accountId)).spendable;
      expect(await spendable()).toBe(6_000);
      await entitlement.use(accountId, 5_500);
      const reversalId = await entitlement.reverse(accountId, others, '1');
      const reversed = { spendable: 0, debt: 5_500 };
      expect(await entitlement.client.balance(accountId)).toMatchObject(reversed);
      expect(await entitlement.violations()).toEqual([]);
      await entitlement.undo(accountId, reversalId);
      expect(await entitlement.client.balance(accountId)).toMatchObject({
        spendable: 500,
        debt: 0,
      });
      await entitlement.client.settleHold(accountId, 'early', 'late', 8_000);
      expect(await spendable()).toBe(500);
      await entitlement.client.settleHold(accountId, 'last', 'late', 700);
      expect(await spendable()).toBe(0);
    });

    it('returned credits that another job holds until they expire are not returned again', async () => {
      const holdId = 'the-next-job';
      await entitlement.client.hold({ accountId, holdId, amount: TRIAL + PLAN });
      entitlement.clock.set('2026-04-11T09:00:00Z');
      await entitlement.client.closeHold(accountId, holdId);
      const { spendable } = await entitlement.client.balance(accountId);
      expect(spendable).toBe(TRIAL);
    });
  });
});
