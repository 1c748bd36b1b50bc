import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountErased, AccountRegistered } from '#libs/contracts';
import { newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { GrantsService } from './grants.service.js';

const MONTH = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };

describe('grants', () => {
  let entitlement: EntitlementUnderTest;
  let accountId: string;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());
  beforeEach(() => {
    entitlement.clock.set('2026-03-02T09:00:00Z');
    entitlement.clock.stepEachReading(0);
    accountId = newId();
  });
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  const spendable = async () => (await entitlement.client.balance(accountId)).spendable;
  const subscribe = (monthlyCredits: string) =>
    entitlement.subscribe(accountId, { subscriptionId: newId(), ...MONTH, monthlyCredits });

  it('S39: trial credits are granted once per claim and account, even under 20 parallel events', async () => {
    const trialClaim = 'a'.repeat(64);
    const register = (id: string) => entitlement.deliver(AccountRegistered, id, { trialClaim });
    await Promise.all(Array.from({ length: 20 }, () => register(accountId)));
    await register(newId());
    await entitlement.deliver(AccountRegistered, accountId, { trialClaim: 'b'.repeat(64) });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant trial: issued -500, available +500',
    ]);
    const [{ count }] = await entitlement.database.query<{ count: string }>(
      `select count(*) from credit_grants where source_type = 'trial' and source_id like 'aaa%'`,
    );
    expect(count).toBe('1');
  });

  it('leases and holds use credits in the order trial, operator, plan, package', async () => {
    await entitlement.buy(accountId, 10);
    await subscribe('10');
    const grant = async (expiresAt?: string) => {
      const adjustment = { adjustmentId: newId(), amount: 10, reason: 'goodwill', expiresAt };
      await entitlement.operator.grantByOperator(accountId, adjustment);
    };
    await grant();
    await grant('2026-03-20T00:00:00Z');
    await grant('2026-03-10T00:00:00Z');
    await entitlement.deliver(AccountRegistered, accountId, { trialClaim: 'c'.repeat(64) });
    const used = async () => {
      const { grants } = await entitlement.client.balance(accountId);
      const names = grants
        .filter(({ granted, available }) => available < granted)
        .map(({ source_type: type, expires_at: end, granted, available }) =>
          [type, end?.slice(5, 10), granted - available].filter(Boolean).join(' '),
        );
      return names.toSorted();
    };
    await entitlement.use(accountId, 500);
    expect(await used()).toEqual(['trial 500']);
    await entitlement.use(accountId, 5);
    expect(await used()).toEqual(['operator 03-10 5', 'trial 500']);
    const holdId = newId();
    await entitlement.client.hold({ accountId, holdId, amount: 30, operation: 'jobs.whois' });
    await entitlement.client.settleHold(accountId, holdId, '1', 12);
    const ofSupport = ['operator 03-10 10', 'operator 03-20 10', 'operator 10'];
    const spent = ofSupport.concat('subscription 04-09 5', 'trial 500');
    expect(await used()).toEqual(spent);
    // Unused credits return first to the grants that would be used last.
    await entitlement.client.closeHold(accountId, holdId);
    expect(await used()).toEqual(['operator 03-10 10', 'operator 03-20 7', 'trial 500']);
    await entitlement.use(accountId, 13 + 10 + 4);
    expect(await used()).toEqual(
      ofSupport.concat('package 4', 'subscription 04-09 10', 'trial 500'),
    );
  });

  it('the balance lists first the grants with credits left, and the newest of them first', async () => {
    const listed = async () => {
      const { grants } = await entitlement.client.balance(accountId);
      return grants.map(({ granted }) => granted);
    };
    const grant = async (at: string, amount: number) => {
      entitlement.clock.set(`2026-03-02T${at}:00Z`);
      const end = { reason: 'goodwill', expiresAt: '2026-03-10T00:00:00Z' };
      await entitlement.operator.grantByOperator(accountId, {
        adjustmentId: newId(),
        amount,
        ...end,
      });
    };
    await entitlement.buy(accountId, 10);
    await grant('10:00', 5);
    await entitlement.use(accountId, 5);
    expect(await listed()).toEqual([10, 5]);
    const hold = { accountId, holdId: newId(), amount: 10, operation: 'jobs.whois' };
    await entitlement.client.hold(hold);
    expect(await listed()).toEqual([10, 5]);
    await grant('11:00', 7);
    expect(await listed()).toEqual([7, 10, 5]);
    // The end of a grant counts before it is booked.
    entitlement.clock.set('2026-03-10T00:00:00Z');
    expect(await listed()).toEqual([10, 7, 5]);
  });

  it('S51: a payment that is announced 16 times at once grants credits once', async () => {
    const lineId = newId();
    const line = { kind: 'package', credits: '5000', lineId } as const;
    await Promise.all(Array.from({ length: 16 }, () => entitlement.pay(accountId, line)));
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant package: issued -5000, available +5000',
    ]);
    expect(await entitlement.events(accountId)).toEqual(['AllowanceChanged 1']);
  });

  it('a batch in which two events open the same account is rejected, so that no change is lost', async () => {
    const grants = entitlement.service.app.get(GrantsService);
    const opening = entitlement.database.transaction((transaction) => {
      const open = () => grants.follow(transaction, accountId, async () => ({}));
      return Promise.all([open(), open()]);
    });
    await expect(opening).rejects.toThrow('an account was opened twice');
  });

  it('a paid package grants its credits and limits in the transaction that handles its event', async () => {
    entitlement.clock.stepEachReading(1);
    await entitlement.pay(accountId, { kind: 'package', credits: '100000', lineId: newId() });
    entitlement.clock.stepEachReading(0);
    const [account] = await entitlement.database.query(
      `select available, next_due_at, package_tier from credit_accounts where id = $1`,
      [accountId],
    );
    expect(account).toEqual({ available: '100000', next_due_at: null, package_tier: '50K' });
    expect(await entitlement.events(accountId)).toEqual(['AllowanceChanged 1']);
  });

  it('a paid grant names its order, product and day', async () => {
    const orderId = newId();
    const line = { kind: 'package', credits: '15000', sku: 'package-15000' } as const;
    await entitlement.pay(accountId, line, orderId);
    const { grants } = await entitlement.client.balance(accountId);
    const granted_at = entitlement.clock.now().toISOString();
    expect(grants).toMatchObject([{ order_id: orderId, sku: 'package-15000', granted_at }]);
  });

  it('credits are used by priority, then expiry, then age', async () => {
    await entitlement.buy(accountId, 5_000);
    await subscribe('15000');
    const given = [
      { amount: 10 },
      { amount: 12, expiresAt: '2027-02-01T00:00:00Z' },
      { amount: 13, expiresAt: '2027-01-01T00:00:00Z' },
      { amount: 11 },
    ];
    for (const grant of given) {
      entitlement.clock.advance(1_000);
      const adjustment = { adjustmentId: newId(), reason: 'a test', ...grant };
      await entitlement.operator.grantByOperator(accountId, adjustment);
    }
    await entitlement.deliver(AccountRegistered, accountId, {
      trialClaim: newId().padEnd(64, '0'),
    });
    await entitlement.client.hold({ accountId, holdId: 'all', amount: 500 + 46 + 15_000 + 1 });
    const grants = await entitlement.database.query(
      `select s.slice->>'amount' as amount, g.source_type from holds h
       cross join lateral jsonb_array_elements(h.slices) with ordinality as s(slice, position)
       join credit_grants g on g.id = (s.slice->>'grantId')::uuid
       where h.account_id = $1 order by s.position`,
      [accountId],
    );
    expect(grants).toEqual([
      { source_type: 'trial', amount: '500' },
      { source_type: 'operator', amount: '13' },
      { source_type: 'operator', amount: '12' },
      { source_type: 'operator', amount: '10' },
      { source_type: 'operator', amount: '11' },
      { source_type: 'subscription', amount: '15000' },
      { source_type: 'package', amount: '1' },
    ]);
  });

  it('an operator’s adjustment counts once', async () => {
    const adjustment = { adjustmentId: newId(), amount: 10, reason: 'a test' };
    const answers = [
      await entitlement.operator.grantByOperator(accountId, adjustment),
      await entitlement.operator.grantByOperator(accountId, adjustment),
    ];
    expect(answers).toEqual([{ isNew: true }, { isNew: false }]);
    expect(await spendable()).toBe(10);
  });

  it('422: an operator’s id that was used for one account is rejected for another', async () => {
    const made = { amount: 10, reason: 'a test' };
    const grant = { adjustmentId: newId(), ...made };
    const revocation = { revocationId: newId(), ...made };
    const { operator } = entitlement;
    await operator.grantByOperator(accountId, grant);
    await operator.revokeByOperator(accountId, revocation);
    const other = newId();
    const reused = { status: 422, code: 'idempotency_key_reused' };
    await expect(operator.grantByOperator(other, grant)).rejects.toMatchObject(reused);
    await expect(operator.revokeByOperator(other, revocation)).rejects.toMatchObject(reused);
  });

  it('an account without credits that could expire is not due', async () => {
    const expiresAt = '2026-05-01T00:00:00Z';
    const given = { adjustmentId: newId(), amount: 30, reason: 'a test', expiresAt };
    await entitlement.operator.grantByOperator(accountId, given);
    const due = async () => {
      const [row] = await entitlement.database.query<{ at: Date | null }>(
        'select next_due_at as at from credit_accounts where id = $1',
        [accountId],
      );
      return row.at?.toISOString();
    };
    expect(await due()).toBe(new Date(expiresAt).toISOString());
    await entitlement.use(accountId, 30);
    entitlement.clock.set(expiresAt);
    await entitlement.advanceAll();
    expect(await due()).toBeUndefined();
  });

  it('after an erasure, all credits that are available or become available are revoked', async () => {
    await entitlement.buy(accountId, 5_000);
    const lease = { accountId, leaseId: newId(), gatewayId: 'gateway-1', min: 100, wanted: 0 };
    await entitlement.client.acquire(lease);
    await entitlement.deliver(AccountErased, accountId, { erasedAt: '2026-03-02T09:00:00Z' });
    await entitlement.client.close({ accountId, leaseId: lease.leaseId, consumed: 30 });
    await entitlement.buy(accountId, 1_000);
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant package: issued -5000, available +5000',
      'reserve lease: available -100, reserved +100',
      'revoke package: available -4900, revoked +4900',
      'consume lease: reserved -30, consumed +30',
      'release lease: reserved -70, revoked +70',
      'grant package: issued -1000, available +1000',
      'revoke package: available -1000, revoked +1000',
    ]);
  });

  it('the customer is notified once when a fifth of the credits is left and once when none are left, and again after a new grant', async () => {
    await entitlement.deliver(AccountRegistered, accountId, {
      trialClaim: newId().padEnd(64, '0'),
    });
    const use = async (consumed: number) => {
      const leaseId = newId();
      const lease = { accountId, leaseId, gatewayId: 'gateway-1', min: consumed, wanted: 0 };
      await entitlement.client.acquire(lease);
      await entitlement.client.close({ accountId, leaseId, consumed });
    };
    for (const consumed of [399, 1, 50, 50]) await use(consumed);
    await entitlement.operator.grantByOperator(accountId, {
      adjustmentId: newId(),
      amount: 10,
      reason: 'a test',
    });
    await use(9);
    expect(await entitlement.events(accountId)).toEqual([
      'CreditsLow 20% 100',
      'CreditsLow 0% 0',
      'CreditsLow 20% 1',
    ]);
  });

  it('a small gift of the operator does not delay the notice that few credits are left', async () => {
    await entitlement.buy(accountId, 1_000);
    await entitlement.use(accountId, 600);
    const gift = { adjustmentId: newId(), amount: 10, reason: 'a test' };
    await entitlement.operator.grantByOperator(accountId, gift);
    expect(await entitlement.client.balance(accountId)).toMatchObject({ low_at: 82 });
    await entitlement.use(accountId, 327);
    expect((await entitlement.events(accountId)).join()).not.toContain('CreditsLow');
    await entitlement.use(accountId, 1);
    expect(await entitlement.events(accountId)).toContain('CreditsLow 20% 82');
  });

  it('the customer is notified again when credits are used up that a failed refund has returned', async () => {
    const lineId = await entitlement.buy(accountId, 1_000);
    const reversalId = await entitlement.reverse(accountId, lineId, '1', { phase: 'requested' });
    await entitlement.undo(accountId, reversalId);
    await entitlement.use(accountId, 1_000);
    const told = await entitlement.events(accountId);
    const low = told.filter((event) => event.startsWith('CreditsLow'));
    expect(low).toEqual(['CreditsLow 0% 0', 'CreditsLow 0% 0']);
  });
});
