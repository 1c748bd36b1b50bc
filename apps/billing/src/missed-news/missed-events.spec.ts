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

it('the results of runs are deleted after 90 days', async () => {
  const runs = () => billing.database.query('select started_at from healing_runs');
  await billing.runJob(MissedEventsJob);
  const before = (await runs()).length;
  billing.clock.advance(91 * DAY_MS);
  await billing.runJob(MissedEventsJob);
  expect([before > 0, (await runs()).length]).toEqual([true, 1]);
});
