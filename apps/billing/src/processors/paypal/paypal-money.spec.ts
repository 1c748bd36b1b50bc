import { expect, it } from '@jest/globals';
import type { PaypalClient } from './paypal-client.js';
import { listPaypalMoney } from './paypal-money.js';

const [START, END] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z')];

type Line = readonly [code: string, value: string, status?: string];

/** Lists a report of transactions, whose ids are their codes. */
async function listed(transactions: readonly Line[]) {
  const details = transactions.map(([code, value, status = 'S']) => ({
    transaction_info: {
      transaction_id: code,
      transaction_event_code: code,
      transaction_status: status,
      transaction_amount: { currency_code: 'USD', value },
    },
  }));
  const client = {
    listTransactions: async () => ({ transaction_details: details, total_pages: 1 }),
    listDisputes: async () => ({ items: [{ dispute_id: 'PP-D-1' }] }),
  } as unknown as PaypalClient;
  const refs = await listPaypalMoney(client, START, END);
  return refs.map(({ kind, id }) => `${kind} ${id}`);
}

it('PayPal’s report names the payments and refunds of customers, after the disputes whose money the refunds may be', async () => {
  const report: Line[] = [
    ['T0002', '27.00'],
    ['T0006', '54.00'],
    ['T1106', '-54.00'],
    ['T1107', '-27.00'],
  ];
  const expected = ['bill T0002', 'payment T0006', 'refund T1106', 'refund T1107'];
  expect(await listed(report)).toEqual(['dispute PP-D-1', ...expected]);
});

it.each([
  ['what is held during a dispute', 'T1110', '-54.00'],
  ['the end of a hold', 'T1111', '54.00'],
  ['a fee that was returned', 'T1109', '1.50'],
  ['a payment by the operator', 'T0000', '-12.00'],
])('%s is neither a payment nor a refund', async (_, code, value) => {
  expect(await listed([[code, value]])).toEqual(['dispute PP-D-1']);
});

it('a pending transaction has moved no money', async () => {
  expect(await listed([['T0006', '54.00', 'P']])).toEqual(['dispute PP-D-1']);
});
