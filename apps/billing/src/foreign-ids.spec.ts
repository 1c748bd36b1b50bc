import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATIONS } from '#libs/contracts';
import { newId } from '#libs/platform';
import { BillingUnderTest } from '../../../test/billing/billing-under-test.js';

const ROWS = OPERATIONS.filter(
  ({ owner, access }) =>
    owner.service === 'billing' && owner.path.includes('{id}') && access.kind === 'session',
);

describe('ids of orders, subscriptions and invoices', () => {
  let billing: BillingUnderTest;
  const theirs: string[] = [];

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    const accountId = billing.newAccount();
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
    const { body: order } = await billing.call('POST', 'orders', { accountId, body });
    await billing.act(order, 'pay');
    theirs.push(order.id);
    for (const list of ['subscriptions', 'invoices']) {
      const { body: listed } = await billing.call('GET', list, { accountId });
      theirs.push(...(listed[list] as { id: string }[]).map(({ id }) => id));
    }
    expect(theirs).toHaveLength(3);
  });
  afterAll(() => billing?.stop());

  it.each(ROWS.map((row) => [row.name, row] as const))(
    'S85, S89: %s finds nothing for another account’s id, an unknown id or a malformed id',
    async (_name, { method, owner, body }) => {
      const accountId = billing.newAccount();
      for (const id of [...theirs, newId(), 'x', 'undefined', '%00', `${newId()}0`]) {
        const path = owner.path.replace('/internal/', '').replace('{id}', id);
        const call = { accountId, body: body?.example };
        const { status } = await billing.call(method as 'GET' | 'POST', path, call);
        expect([id, status]).toEqual([id, 404]);
      }
    },
  );
});
