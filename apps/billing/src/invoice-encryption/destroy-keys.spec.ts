import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InvoiceAnswer } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { PrintInvoicesJob } from '../invoices/print-invoices.job.js';
import { DestroyKeysJob } from './destroy-keys.job.js';

const START = '2026-12-30T12:00:00Z';

describe('retention of invoices', () => {
  let billing: BillingUnderTest;
  let accountId: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    accountId = billing.newAccount();
    billing.contacts.set(accountId, { firstName: 'Zenobia', email: 'zenobia@example.com' });
  });
  afterAll(() => billing.stop());

  const at = (time: string) =>
    billing.clock.advance(Date.parse(time) - billing.clock.now().getTime());
  const list = async (): Promise<InvoiceAnswer[]> =>
    (await billing.call('GET', 'invoices', { accountId })).body.invoices;
  const pdf = (id: string) => billing.bytes(`invoices/${id}/pdf`, accountId);
  const destroy = () => billing.get(DestroyKeysJob).runOnce();
  const keys = async () =>
    (
      await billing.database.query<{ year: number }>(
        'select year from invoice_data_keys order by 1',
      )
    ).map(({ year }) => year);
  const buy = async () => {
    await billing.act(await billing.order(accountId), 'pay');
    await billing.get(PrintInvoicesJob).runOnce();
    return (await list())[0];
  };

  it('S119: ten years after the year of issue, the PDF and the buyer’s data are unreadable; numbers and amounts remain', async () => {
    at(START);
    const old = await buy();
    billing.clock.advance(3 * DAY_MS);
    const newer = await buy();
    await billing.deliver('deleted', accountId);
    await billing.deliver('erased', accountId);
    expect(await keys()).toEqual([2026, 2027]);
    const before = await list();

    at('2036-12-31T23:59:59Z');
    await destroy();
    const kept = await pdf(old.id);
    expect({ status: kept.status, head: kept.body.subarray(0, 4).toString() }).toEqual({
      status: 200,
      head: '%PDF',
    });

    at('2037-01-01T00:00:00Z');
    await destroy();
    await destroy();
    expect(await keys()).toEqual([2027]);
    const gone = await pdf(old.id);
    expect(gone.status).toBe(410);
    expect(JSON.parse(gone.body.toString())).toMatchObject({ code: 'invoice_data_destroyed' });
    expect((await pdf(newer.id)).status).toBe(200);
    expect(await list()).toEqual(before);
    expect(before.map(({ number, total_micros: total }) => [number, total])).toEqual([
      ['INV-2027-000001', '54000000'],
      ['INV-2026-000001', '54000000'],
    ]);
  });

  it('S119: what remains contains no plain text of the buyer, and no new key is created for that year', async () => {
    const rows = await billing.database.query<{ text: string }>(
      `select (to_jsonb(i) || to_jsonb(r))::text as text
       from invoices i join invoice_revisions r on r.invoice_id = i.id where i.series = 'INV-2026'`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].text).not.toMatch(/Zenobia|zenobia@example.com/);
    const fresh = billing.newAccount();
    billing.clock.advance(-11 * 365 * DAY_MS);
    await billing.act(await billing.order(fresh), 'pay');
    billing.clock.advance(11 * 365 * DAY_MS);
    await billing.get(PrintInvoicesJob).runOnce();
    accountId = fresh;
    expect(await list()).toMatchObject([{ number: 'INV-2026-000002', revision: 0 }]);
    expect(await keys()).toEqual([2027]);
  });
});
