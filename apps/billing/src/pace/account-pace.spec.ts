import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH, sideOf } from '../../../../test/billing/sides/side-of.js';

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
