import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PaymentReversed, SetAsideMoney } from '#libs/contracts';
import { DAY_MS, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { RETRY_PAUSES_MS } from '../payments/failed-refund.js';
import { SettleRefundsJob } from './settle-refunds.job.js';

describe.each(BOTH)('refunds and disputes at %s', (processor) => {
  let billing: BillingUnderTest;
  let side: ProcessorSide;
  let accountId: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    side = sideOf(billing, processor);
  });
  afterAll(() => billing.stop());
  beforeEach(() => {
    accountId = billing.newAccount();
  });
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  const refunds = () => side.refunds();
  const order = () => billing.order(accountId, 15_000, processor);
  async function buy() {
    const made = await order();
    await billing.act(made, 'pay');
    return made;
  }

  async function payments() {
    const answer = await billing.call('GET', 'operator/payments', { accountId, caller: 'cli' });
    return answer.body.payments as { paymentId: string; externalId: string; reversals: object[] }[];
  }

  async function refund(wish: object, paymentId?: string) {
    const body = {
      refundId: newId(),
      paymentId: paymentId ?? (await payments())[0].paymentId,
      scope: 'whole',
      reason: 'asked for it',
      ...wish,
    };
    const answer = await billing.call('POST', 'operator/refunds', {
      accountId,
      caller: 'cli',
      body,
    });
    await billing.settle();
    return answer;
  }

  async function said(): Promise<string[]> {
    return (await billing.events(accountId))
      .filter(({ type }) => type.startsWith('billing.payment-reversed') || type.endsWith('undone'))
      .map(({ data }) => {
        const { phase = 'undone', cause = '', lines = [] } = data as unknown as PaymentReversed;
        return [cause, phase, ...lines.map((line) => `${line.scope} ${line.refundedMicros}`)].join(
          ' ',
        );
      })
      .map((text) => text.trim());
  }

  describe('a package', () => {
    it('a full refund first blocks the credits, then revokes them once', async () => {
      const bought = await buy();
      const before = refunds().length;
      const refundId = newId();
      expect(await refund({ refundId })).toMatchObject({
        status: 200,
        body: { state: 'final', scope: 'whole', amountMicros: '54000000' },
      });
      expect((await refund({ refundId })).body).toMatchObject({ state: 'final' });
      expect(refunds()).toHaveLength(before + 1);
      expect(await said()).toEqual([
        'refund requested whole 54000000',
        'refund final whole 54000000',
      ]);
      expect(await billing.stateOf(accountId, bought)).toBe('refunded');
      expect(await refund({})).toMatchObject({ status: 409, body: { code: 'nothing_to_refund' } });
    });

    it('partial refunds never exceed the amount paid, nor the credits bought', async () => {
      await buy();
      const first = await refund({ amountMicros: '50000000' });
      expect(first).toMatchObject({ status: 200, body: { credits: '13889' } });
      expect((await refund({ amountMicros: '5000000' })).status).toBe(409);
      expect((await refund({})).body).toMatchObject({ amountMicros: '4000000', credits: '1111' });
    });

    it('an invalid refund is rejected without a call to the processor', async () => {
      await buy();
      const before = refunds().length;
      for (const wish of [
        { amountMicros: '0' },
        { amountMicros: '-10000' },
        { amountMicros: '1.5' },
        { amountMicros: '15' },
        { amountMicros: '1e7' },
        { amountMicros: 10_000 },
        { scope: 'some' },
        { from: billing.clock.now().toISOString() },
        { scope: 'remaining', amountMicros: '10000' },
        { reason: '' },
        { refundId: 'x' },
      ]) {
        expect([wish, (await refund(wish)).status]).toEqual([wish, 400]);
      }
      expect((await refund({ scope: 'remaining' })).status).toBe(409);
      expect((await refund({}, newId())).status).toBe(404);
      expect(refunds()).toHaveLength(before);
      expect(await said()).toEqual([]);
    });

    it('S85: another account’s payment is not found, and the id of its refund is not accepted', async () => {
      await buy();
      const [{ paymentId }] = await payments();
      const refundId = newId();
      await refund({ refundId, amountMicros: '10000' });
      accountId = billing.newAccount();
      expect((await refund({}, paymentId)).status).toBe(404);
      await buy();
      expect(await refund({ refundId })).toMatchObject({ status: 422 });
    });

    it('a lost answer is resolved by repeating the same call, and only one refund is made', async () => {
      await buy();
      const before = refunds().length;
      side.callbacks.faults.drop = true;
      billing.simulator.apiFaults.lostAnswers = Infinity;
      expect((await refund({})).status).toBe(503);
      billing.simulator.apiFaults.lostAnswers = 0;
      expect(await said()).toEqual(['refund requested whole 54000000']);
      await billing.get(SettleRefundsJob).runOnce();
      side.callbacks.faults.drop = false;
      expect(refunds()).toHaveLength(before + 1);
      expect(await said()).toHaveLength(2);
    });

    it.each([
      ['was made', true],
      ['was not made', false],
    ])(
      'after the processor has forgotten the key, a search shows that a refund %s',
      async (_, isMade) => {
        await buy();
        const before = refunds().length;
        side.callbacks.faults.drop = true;
        billing.simulator.apiFaults.lostAnswers = isMade ? Infinity : 0;
        billing.simulator.apiFaults.lostRequests = isMade ? 0 : Infinity;
        expect((await refund({})).status).toBe(503);
        Object.assign(billing.simulator.apiFaults, { lostAnswers: 0, lostRequests: 0 });
        await billing.pass(31 * DAY_MS);
        await billing.get(SettleRefundsJob).runOnce();
        side.callbacks.faults.drop = false;
        expect(refunds()).toHaveLength(before + (isMade ? 1 : 0));
        expect((await said()).at(-1)).toBe(isMade ? 'refund final whole 54000000' : 'undone');
        if (!isMade) expect(billing.logLines.splice(0)).toHaveLength(1);
      },
    );

    const setAside = async () => {
      const { body } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
      return (body as SetAsideMoney[]).filter((one) => one.accountId === accountId);
    };
    const decide = async (refundId: string, decision: 'retry' | 'dismiss') => {
      const path = `operator/refunds/${refundId}/${decision}`;
      const answer = await billing.call('POST', path, { accountId, caller: 'cli' });
      await billing.settle();
      return answer;
    };
    async function waitForAll(): Promise<void> {
      for (const pauseMs of RETRY_PAUSES_MS) {
        expect(await setAside()).toEqual([]);
        await billing.pass(pauseMs);
        await billing.follow();
      }
    }

    it('a refund that fails later returns the credits, and is retried once after a pause', async () => {
      const bought = await buy();
      const { body } = await refund({ amountMicros: '50000000' });
      side.failRefund(refunds()[0].id);
      await billing.settle();
      expect((await said()).at(-1)).toBe('undone');
      expect(await billing.stateOf(accountId, bought)).toBe('paid');
      expect((await payments())[0].reversals).toMatchObject([
        { refundId: body.refundId, retryAt: expect.any(String) },
      ]);
      await billing.follow();
      expect((await said()).at(-1)).toBe('undone');
      for (let round = 0; round < 2; round += 1) {
        await billing.pass(DAY_MS);
        await billing.follow();
      }
      expect((await said()).slice(-2)).toEqual([
        'refund requested whole 50000000',
        'refund final whole 50000000',
      ]);
      expect((await payments())[0].reversals).toHaveLength(2);
      expect(await setAside()).toEqual([]);
    });

    it('a refund that is refused at once is retried four times; then an operator can retry or dismiss it', async () => {
      await buy();
      const before = refunds().length;
      billing.simulator.apiFaults.refusedRefunds = Infinity;
      expect((await refund({})).status).toBe(422);
      await waitForAll();
      const [{ kind, id: refundId }] = await setAside();
      expect(kind).toBe('unreturned');
      expect((await decide(refundId, 'retry')).status).toBe(422);
      const [{ id: latest }] = await setAside();
      expect(billing.logLines.splice(0)).toHaveLength(6);
      expect(await decide(latest, 'dismiss')).toMatchObject({
        status: 200,
        body: { credits: '0' },
      });
      billing.simulator.apiFaults.refusedRefunds = 0;
      expect(await setAside()).toEqual([]);
      for (const decision of ['retry', 'dismiss'] as const) {
        expect((await decide(latest, decision)).body).toMatchObject({ code: 'nothing_to_refund' });
      }
      await billing.pass(30 * DAY_MS);
      await billing.follow();
      expect(refunds()).toHaveLength(before);
    });

    it('a failed refund waits while its payment is disputed, and is made when the dispute is won', async () => {
      await buy();
      billing.simulator.apiFaults.refusedRefunds = 1;
      await refund({});
      expect(billing.logLines.splice(0)).toHaveLength(1);
      const id = side.dispute((await payments())[0].externalId);
      await billing.settle();
      await billing.pass(2 * DAY_MS);
      await billing.follow();
      side.decideDispute(id, 'won');
      await billing.settle();
      await billing.follow();
      expect((await said()).slice(-3)).toEqual([
        'undone',
        'refund requested whole 54000000',
        'refund final whole 54000000',
      ]);
    });

    it('a new refund replaces the refunds that failed before it', async () => {
      await buy();
      billing.simulator.apiFaults.refusedRefunds = 2;
      expect((await refund({ amountMicros: '10000000' })).status).toBe(422);
      expect((await refund({ amountMicros: '20000000' })).status).toBe(422);
      expect(billing.logLines.splice(0)).toHaveLength(2);
      for (let day = 0; day < 5; day += 1) {
        await billing.pass(DAY_MS);
        await billing.follow();
      }
      expect((await said()).filter((line) => line.startsWith('refund final'))).toEqual([
        'refund final whole 20000000',
      ]);
    });

    it('S85: a failed refund of another account is not found', async () => {
      await buy();
      billing.simulator.apiFaults.refusedRefunds = 1;
      const refundId = newId();
      await refund({ refundId });
      expect(billing.logLines.splice(0)).toHaveLength(1);
      accountId = billing.newAccount();
      expect((await decide(refundId, 'retry')).status).toBe(404);
      expect((await decide(refundId, 'dismiss')).status).toBe(404);
      expect((await decide('x', 'retry')).status).toBe(404);
    });

    it('a customer who owes used credits cannot buy through the same processor until the credits are repaid', async () => {
      await buy();
      billing.holdings.set(accountId, { debt: '120' });
      await order();
      await refund({});
      const body = { product: 'package', credits: 5_000, processor };
      expect(await billing.call('POST', 'orders', { accountId, body })).toMatchObject({
        status: 409,
        body: { code: 'debt_open', detail: expect.stringContaining('120 used credits') },
      });
      billing.entitlement.isDown = true;
      expect((await billing.call('POST', 'orders', { accountId, body })).status).toBe(503);
      billing.entitlement.isDown = false;
      billing.holdings.set(accountId, { debt: '0' });
      await order();
    });

    it('a won dispute returns the credits, and a reopened dispute counts again', async () => {
      const bought = await buy();
      const [{ externalId }] = await payments();
      const id = side.dispute(externalId);
      await billing.settle();
      expect(await billing.stateOf(accountId, bought)).toBe('disputed');
      for (const decision of ['won', 'lost', 'won', 'lost'] as const) {
        side.decideDispute(id, decision);
        await billing.settle();
      }
      expect(await said()).toEqual([
        'dispute requested whole 54000000',
        'undone',
        'dispute final whole 54000000',
        'undone',
        'dispute final whole 54000000',
      ]);
      const ids = (await billing.events(accountId)).map(({ data }) => data.reversalId);
      expect(new Set(ids.filter((one) => one !== undefined)).size).toBe(3);
      expect(await billing.stateOf(accountId, bought)).toBe('disputed');
    });

    it('the amount of an open dispute is announced once, and its decision determines the final one', async () => {
      await buy();
      const id = side.dispute((await payments())[0].externalId);
      await billing.settle();
      const { world, paypal } = billing.simulator;
      if (processor === 'stripe') world.get('dispute', id).amount = 2_000;
      else paypal.world.get('dispute', id).dispute_amount.value = '20.00';
      expect(await billing.get(SyncService).sync({ processor, kind: 'dispute', id })).toBe(
        'synced',
      );
      expect(await said()).toEqual(['dispute requested whole 54000000']);
      side.decideDispute(id, 'lost');
      await billing.settle();
      expect((await said()).at(-1)).toBe('dispute final whole 20000000');
    });
  });
});
