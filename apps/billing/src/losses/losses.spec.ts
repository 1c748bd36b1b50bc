import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';

const ADDRESS = { address_line1: '1 Quai', city: 'Genève', country: 'CH' };

describe.each(BOTH)('money reversed beyond its invoice at %s', (processor) => {
  let billing: BillingUnderTest;
  let side: ProcessorSide;
  let accountId: string;
  let payment: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start({ taxRates: ['CH=8.1'] });
    side = sideOf(billing, processor);
  });
  afterAll(() => billing.stop());
  beforeEach(async () => {
    accountId = billing.newAccount();
    billing.contacts.set(accountId, { details: ADDRESS });
    await billing.act(await billing.order(accountId, 15_000, processor), 'pay');
    [payment] = await side.paymentsOf(accountId);
  });
  afterEach(async () => {
    expect(await billing.violations()).toEqual([]);
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  /** Returns the total and the tax of an invoice with its notes, the number of notes, and the loss. */
  async function books() {
    const [row] = await billing.database.query<Record<string, string>>(
      `select sum(sign * total_micros)::text as total, sum(sign * tax_micros)::text as tax,
         count(*) filter (where kind <> 'invoice')::int as notes,
         (select coalesce(sum(amount_micros), 0)::text from losses where account_id = $1) as lost
       from invoices, lateral (select case kind when 'credit_note' then -1 else 1 end as sign) s
       where account_id = $1`,
      [accountId],
    );
    return row;
  }
  const paid = async () => (await books()).total;

  it('after a refund and a lost dispute, the invoice and its tax are credited once; the rest is a loss', async () => {
    const all = await paid();
    side.refund(payment);
    await billing.settle();
    expect(await books()).toEqual({ total: '0', tax: '0', notes: 1, lost: '0' });
    side.decideDispute(side.dispute(payment), 'lost');
    await billing.settle();
    expect(await books()).toEqual({ total: '0', tax: '0', notes: 1, lost: all });
  });

  it('after a partial refund and a lost dispute of the whole payment, no more than the invoice is credited', async () => {
    side.refund(payment, 10);
    await billing.settle();
    const [refund] = side.refunds();
    side.decideDispute(side.dispute(payment), 'lost');
    await billing.settle();
    expect(await books()).toEqual({ total: '0', tax: '0', notes: 2, lost: '10000000' });
    side.failRefund(refund.id);
    await billing.settle();
    expect(await books()).toEqual({ total: '0', tax: '0', notes: 2, lost: '0' });
  });
});
