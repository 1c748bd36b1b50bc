import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountDeleted, AccountSuspensionChanged, AccountRegistered } from '#libs/contracts';
import { newId } from '#libs/platform';
import { Outbox } from '#libs/messaging';
import { waitFor } from '#test/environment';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';

const MONTH = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };
const TRIAL = { live: 10, bulk: 2, heavy: 2, account: 60 };
const PLAN_15K = { live: 40, bulk: 10, heavy: 5, account: 60 };

describe('allowances', () => {
  let entitlement: EntitlementUnderTest;
  let accountId: string;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());
  beforeEach(() => {
    entitlement.clock.set('2026-03-02T09:00:00Z');
    accountId = newId();
  });
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  const allowance = () => entitlement.client.allowance(accountId);

  async function use(amount: number): Promise<void> {
    const leaseId = newId();
    await entitlement.client.acquire({
      accountId,
      leaseId,
      gatewayId: 'gateway-1',
      min: amount,
      wanted: 0,
    });
    await entitlement.client.close({ accountId, leaseId, consumed: amount });
  }

  it('an account without purchases has the rights of the trial', async () => {
    expect(await allowance()).toEqual({
      accountId,
      version: '0',
      limits: TRIAL,
      keys: 1,
      monitors: { domain: 1, brand: 0, registrant: 0 },
      datasets: [],
      blocks: [],
    });
  });

  it('a package gives its tier for as long as it has credits, available or reserved', async () => {
    await entitlement.buy(accountId, 16_000);
    expect(await allowance()).toMatchObject({ version: '1', limits: PLAN_15K, keys: 3 });
    await entitlement.client.hold({ accountId, holdId: 'all', amount: 16_000 });
    expect(await allowance()).toMatchObject({ version: '1', limits: PLAN_15K });
    await entitlement.client.settleHold(accountId, 'all', 'one', 16_000);
    expect(await allowance()).toMatchObject({ version: '2', limits: TRIAL, keys: 1 });
    expect(await entitlement.events(accountId)).toEqual([
      'AllowanceChanged 1',
      'AllowanceChanged 2',
      'CreditsLow 0% 0',
    ]);
  });

  it('the better of package and plan counts, and a paid add-on adds to either of them, or to the trial', async () => {
    const addOn = {
      subscriptionId: newId(),
      ...MONTH,
      monthlyCredits: '0',
      keys: 0,
      line: 'rate_limit',
      limits: {
        live: 100,
        bulk: 24,
        heavy: 12,
      },
      monitors: {
        domain: 0,
        brand: 0,
        registrant: 0,
      },
    } as const;
    await entitlement.subscribe(accountId, addOn);
    const { live, bulk, heavy } = TRIAL;
    expect(await allowance()).toMatchObject({
      limits: { live: live + 100, bulk: bulk + 24, heavy: heavy + 12 },
    });
    await entitlement.subscribe(accountId, { subscriptionId: newId(), ...MONTH });
    await entitlement.buy(accountId, 5_000);
    expect(await allowance()).toMatchObject({
      limits: { live: 140, bulk: 34, heavy: 17, account: 60 },
      keys: 3,
    });
    await entitlement.buy(accountId, 50_000);
    expect(await allowance()).toMatchObject({ limits: { live: 180 }, keys: 5 });
  });

  it('rights end at the announced time, without an event', async () => {
    const subscriptionId = newId();
    await entitlement.subscribe(accountId, { subscriptionId, ...MONTH, datasets: ['names'] });
    const { validUntil, datasets } = await allowance();
    expect([validUntil, datasets]).toEqual(['2026-04-09T09:00:00.000Z', ['names']]);
    entitlement.clock.set(validUntil as string);
    expect(await allowance()).toMatchObject({ limits: TRIAL, datasets: [] });
    await entitlement.subscribe(accountId, {
      subscriptionId,
      ...MONTH,
      cancelAt: MONTH.periodEnd,
    });
    entitlement.clock.set('2026-04-02T08:59:59Z');
    expect(await allowance()).toMatchObject({
      limits: PLAN_15K,
      validUntil: '2026-04-02T09:00:00.000Z',
    });
  });

  const paidThrough = '2026-03-20T09:00:00.000Z';
  const withGrace = '2026-03-27T09:00:00.000Z';
  it.each([
    ['trialing', withGrace, paidThrough],
    ['active', withGrace, paidThrough],
    ['past_due', withGrace, paidThrough],
    ['paused', paidThrough, paidThrough],
    ['cancelled', paidThrough, paidThrough],
    ['unpaid', paidThrough, paidThrough],
    ['incomplete', undefined, undefined],
    ['expired', undefined, undefined],
  ] as const)(
    'rights of a subscription that is %s end at %s or, if it is cancelled, at %s',
    async (...cell) => {
      const [state, renewing, cancelling] = cell;
      const snapshot = { subscriptionId: newId(), ...MONTH, state, paidThrough };
      for (const [cancelAt, end] of [
        [undefined, renewing],
        [MONTH.periodEnd, cancelling],
      ]) {
        entitlement.clock.set('2026-03-02T09:00:00Z');
        await entitlement.subscribe(accountId, { ...snapshot, cancelAt });
        expect((await allowance()).validUntil).toBe(end);
        expect((await allowance()).limits).toEqual(end ? PLAN_15K : TRIAL);
        if (end) entitlement.clock.set(end);
        expect((await allowance()).limits).toEqual(TRIAL);
      }
    },
  );

  it.each(['active', 'past_due', 'paused'] as const)(
    'before its first paid period, a subscription that is %s grants no rights',
    async (state) => {
      const nothingPaid = { monthlyCredits: '0', paidThrough: undefined };
      const snapshot = { subscriptionId: newId(), ...MONTH, state, ...nothingPaid };
      await entitlement.subscribe(accountId, snapshot);
      expect(await allowance()).toMatchObject({ limits: TRIAL });
    },
  );

  it('an override replaces a limit until its end, and the newest override wins', async () => {
    const until = '2026-03-03T09:00:00.000Z';
    const override = { name: 'live', value: 1_000_000, reason: 'a test', until } as const;
    await entitlement.operator.overrideLimit(accountId, { ...override, value: 5 });
    await entitlement.operator.overrideLimit(accountId, override);
    expect(await allowance()).toMatchObject({
      version: '2',
      limits: {
        ...TRIAL,
        live: 1e6,
      },
      validUntil: until,
    });
    entitlement.clock.set(until);
    expect(await allowance()).toMatchObject({ limits: TRIAL });
  });

  it('the end of a suspension lifts only the block of the suspension, and moves no credits', async () => {
    await entitlement.operator.grantByOperator(accountId, {
      adjustmentId: newId(),
      amount: 10,
      reason: 'a test',
    });
    const from = '2026-03-02T09:00:00.000Z';
    const cause = { cause: 'fraud' as const, blocks: ['api' as const] };
    await entitlement.operator.block(accountId, { ...cause, reason: 'a test' });
    const fraud = { ...cause, from };
    const changedAt = '2026-03-02T09:00:00Z';
    const follow = (isSuspended: boolean) =>
      entitlement.deliver(AccountSuspensionChanged, accountId, { isSuspended, changedAt });
    await follow(true);
    await follow(true);
    expect((await allowance()).blocks).toEqual([
      fraud,
      {
        cause: 'suspension',
        blocks: ['api', 'downloads', 'purchases'],
        from: '2026-03-02T09:00:00.000Z',
      },
    ]);
    await follow(false);
    expect((await allowance()).blocks).toEqual([fraud]);
    expect(await entitlement.client.balance(accountId)).toMatchObject({ spendable: 10, frozen: 0 });
  });

  it('active blocks are listed with the rights that they restrict', async () => {
    await entitlement.operator.block(accountId, {
      cause: 'fraud',
      blocks: ['api', 'purchases'],
      reason: 'a test',
      to: '2026-03-05T09:00:00.000Z',
    });
    expect(await allowance()).toMatchObject({
      validUntil: '2026-03-05T09:00:00.000Z',
      blocks: [{ cause: 'fraud', blocks: ['api', 'purchases'] }],
    });
    await entitlement.operator.liftBlock(accountId, 'fraud');
    expect(await allowance()).toMatchObject({ version: '2', blocks: [] });
    const deletion = { deletedAt: '2026-03-02T09:00:00Z', restoreUntil: '2026-05-31T09:00:00Z' };
    await entitlement.deliver(AccountDeleted, accountId, deletion);
    expect((await allowance()).blocks).toEqual([
      {
        cause: 'deletion',
        blocks: ['api', 'downloads', 'purchases'],
        from: '2026-03-02T09:00:00.000Z',
      },
    ]);
    expect(await entitlement.events(accountId)).toEqual([
      'AllowanceChanged 1',
      'AllowanceChanged 2',
      'AllowanceChanged 3',
    ]);
  });

  it('the change feed names an account whose allowance has changed', async () => {
    const { cursor } = await entitlement.client.changes();
    await entitlement.buy(accountId, 5_000);
    await use(1);
    const page = await entitlement.client.changes(cursor);
    expect(page.keys).toEqual([accountId]);
    expect((await entitlement.client.changes(page.cursor)).keys).toEqual([]);
  });

  it('a changed allowance is published, and events about the account reach their consumers', async () => {
    const account = await entitlement.test.service('account');
    const outbox = new Outbox('account', entitlement.clock, entitlement.transport);
    await account.transaction(async (transaction) => {
      const aggregate = `account:${accountId}`;
      const lock = await outbox.lock(transaction, { key: accountId, aggregate });
      await outbox.add(transaction, lock, AccountRegistered, {
        trialClaim: newId().padEnd(64, '0'),
      });
    });
    await entitlement.transport.startRelay(
      'account',
      await entitlement.test.maintenance('account'),
    );
    await waitFor('trial credits', async () => {
      const { spendable } = await entitlement.client.balance(accountId);
      return spendable === 500;
    });
    await entitlement.buy(accountId, 5_000);
    expect(await entitlement.events(accountId)).toEqual(['AllowanceChanged 1']);
    await waitFor('the relay', async () => {
      const unsent = await entitlement.database.query('select from outbox where sent_at is null');
      return unsent.length === 0;
    });
  });

  it.each(['2027-W05-1', '2027-031', '20270131', '2027-02-29T00:00:00Z', '2027-01-31T00:00:00'])(
    'an operator’s date such as %s, which does not state an exact moment, is rejected',
    async (until) => {
      const common = { reason: 'a test' };
      const refused = { status: 400, code: 'invalid_request' };
      const { operator } = entitlement;
      const override = { ...common, name: 'live', value: 1, until } as const;
      await expect(operator.overrideLimit(accountId, override)).rejects.toMatchObject(refused);
      const block = { ...common, cause: 'fraud' as const, blocks: [], to: until };
      await expect(operator.block(accountId, block)).rejects.toMatchObject(refused);
      const grant = { ...common, adjustmentId: newId(), amount: 1, expiresAt: until };
      await expect(operator.grantByOperator(accountId, grant)).rejects.toMatchObject(refused);
    },
  );

  it('S86: gateways cannot call operator routes, and operators cannot call gateway routes', async () => {
    const override = {
      name: 'live',
      value: 1,
      reason: 'x',
      until: '2027-01-01T00:00:00Z',
    } as const;
    await expect(entitlement.client.overrideLimit(accountId, override)).rejects.toMatchObject({
      code: 'caller_not_allowed',
    });
    await expect(entitlement.operator.balance(accountId)).rejects.toMatchObject({
      code: 'caller_not_allowed',
    });
  });
});
