import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { DAY_MS } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { MissedEventsJob } from './missed-events.job.js';

let billing: BillingUnderTest;

beforeAll(async () => {
  billing = await BillingUnderTest.start();
});
afterAll(() => billing.stop());

it.each([
  [
    { outcome: 'refused', code: 'more_permissions', message: 'No events.' },
    'the events of paypal: refused (more_permissions): No events.',
  ],
  [{ outcome: 'unknown', cause: new Error('timed out') }, 'the events of paypal: no answer'],
] as const)(
  'a run fails, with the reason, if a processor does not list its events: %j',
  async (end, reason) => {
    const paypal = billing.get(PaymentProcessors).get('paypal');
    jest.spyOn(paypal, 'listSince').mockResolvedValueOnce(end);
    await expect(billing.runJob(MissedEventsJob)).rejects.toMatchObject({
      errors: [{ message: reason }],
    });
    await billing.runJob(MissedEventsJob);
  },
);

it('events are read for the last 30 days, however long ago they were last read', async () => {
  await billing.runJob(MissedEventsJob);
  await billing.database.query(`update event_cursors set cursor = cursor - interval '1 year'`);
  const list = jest.spyOn(billing.get(PaymentProcessors).get('paypal'), 'listSince').mockClear();
  await billing.runJob(MissedEventsJob);
  const from = new Date(billing.clock.now().getTime() - 30 * DAY_MS);
  expect(list.mock.calls[0]).toEqual([from]);
});
