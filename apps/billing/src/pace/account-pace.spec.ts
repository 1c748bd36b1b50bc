import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SECOND_MS } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH, sideOf } from '../../../../test/billing/sides/side-of.js';
import { AccountPace } from './account-pace.js';

const ACCOUNT = 'an account';

describe('the call rate of one account', () => {
  it('allows 60 calls at once and then one every ten seconds, for each account separately', () => {
    const pace = new AccountPace();
    const atOnce = () => {
      let taken = 0;
      while (pace.take(ACCOUNT, 0) === 0) taken += 1;
      return taken;
    };
    expect(atOnce()).toBe(60);
    expect(pace.take(ACCOUNT, 0)).toBe(10 * SECOND_MS);
    expect(pace.take('another', 0)).toBe(0);
    for (let seconds = 10; seconds <= 1_000; seconds += 10) {
      expect(pace.take(ACCOUNT, seconds * SECOND_MS)).toBe(0);
      expect(pace.take(ACCOUNT, seconds * SECOND_MS)).toBe(10 * SECOND_MS);
    }
  });
});

describe.each(BOTH)('calls to %s', (processor) => {
  let billing: BillingUnderTest;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());

  it('S102: calls are limited per account, however often an account requests the state of an order', async () => {
    const side = sideOf(billing, processor);
    const ordered = async () => {
      const accountId = billing.newAccount();
      const { id } = await billing.order(accountId, 15_000, processor);
      const path = `orders/${id}/return`;
      return async () => billing.call('POST', path, { accountId });
    };
    const [complete, others] = [await ordered(), await ordered()];
    const before = side.calls();
    const answers = await Promise.all(Array.from({ length: 200 }, complete));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body } of refused) expect([status, body.code]).toEqual([429, 'too_busy']);
    const allowed = answers.length - refused.length;
    expect(side.calls() - before).toBeLessThanOrEqual(2 * allowed);
    expect((await others()).status).toBe(200);
  });
});
