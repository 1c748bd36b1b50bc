import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { DAY_MS, MINUTE_MS, SECOND_MS, addMonths } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { agreeAtPaypal } from '../../../../test/billing/hosted-page.js';

let billing: BillingUnderTest;

beforeAll(async () => {
  billing = await BillingUnderTest.start();
});
afterAll(() => billing.stop());
afterEach(() => {
  expect(billing.logLines.splice(0)).toEqual([]);
});

/** @param afterMs the time of the preview after the start of the period; a negative value counts back from the end. */
async function previewed(
  processor: 'stripe' | 'paypal',
  plan: string,
  to: string,
  afterMs: number,
) {
  const accountId = billing.newAccount();
  const body = { product: 'subscription', sku: plan, processor };
  const start = billing.clock.now();
  await billing.act((await billing.call('POST', 'orders', { accountId, body })).body, 'pay');
  const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
  const [{ id, period_end: end }] = listed.subscriptions;
  await billing.pass(afterMs < 0 ? Date.parse(end) - start.getTime() + afterMs : afterMs);
  const asked = { accountId, body: { sku: to } };
  const { body: preview } = await billing.call('POST', `subscriptions/${id}/preview`, asked);
  return { id, accountId, start, end, preview };
}

const shareOf = (more: number, start: Date, end: Date, from: string) => {
  const [part, whole] = [end.getTime() - Date.parse(from), end.getTime() - start.getTime()];
  return Math.floor((more * part) / whole);
};

it.each(['stripe', 'paypal'] as const)(
  'the preview of an upgrade at %s states the renewal price and date, and the credits granted at once',
  async (processor) => {
    const { start, end, preview } = await previewed(
      processor,
      'api-15K-month',
      'api-50K-month',
      10 * DAY_MS,
    );
    expect(preview).toMatchObject({
      effect: 'now',
      renewal_micros: '75000000',
      renews_at: end,
      credits_now: shareOf(35_000, start, new Date(end), preview.from),
    });
  },
);

/**
 * When an upgrade is requested, and the amount due. Shortly before the end, the rest of the old plan rounds to zero.
 */
const MOMENTS = [
  ['right after the start', 65 * SECOND_MS, 185_000_000],
  ['15 minutes before the end', -15 * MINUTE_MS, 70_000],
] as const;

it.each(
  (['stripe', 'paypal'] as const).flatMap((processor) =>
    MOMENTS.map((moment) => [processor, ...moment] as const),
  ),
)(
  'the preview of an upgrade at %s %s announces all the credits that the upgrade grants',
  async (processor, _, afterMs, dueMicros) => {
    const { id, accountId, end, preview } = await previewed(
      processor,
      'api-5K-month',
      'api-150K-month',
      afterMs,
    );
    expect(preview.due_micros).toBe(String(dueMicros));
    const body = { sku: 'api-150K-month', from: preview.from };
    const changed = await billing.call('POST', `subscriptions/${id}/change`, { accountId, body });
    if (processor === 'paypal') await agreeAtPaypal(changed.body.redirect_url);
    await billing.settle();
    const [line] = (await billing.events(accountId)).flatMap(({ data }) => {
      const lines = (data.lines ?? []) as Record<string, unknown>[];
      return lines.filter(({ kind }) => kind === 'subscription_upgrade');
    });
    expect(line).toMatchObject({ monthlyCredits: '145000' });
    const [start, from] = [String(line.periodStart), String(line.from)];
    expect(Date.parse(from)).toBe(afterMs < 0 ? Date.parse(preview.from) : Date.parse(start));
    expect(preview.credits_now).toBe(shareOf(145_000, new Date(start), new Date(end), from));
    expect(preview.credits_now).toBeGreaterThan(0);
  },
);

it('the preview of a yearly plan’s upgrade states the current month’s share of the credits', async () => {
  const { start, end, preview } = await previewed(
    'stripe',
    'api-15K-year',
    'api-50K-year',
    40 * DAY_MS,
  );
  const [from, to] = [addMonths(start, 1), addMonths(start, 2)];
  expect(preview).toMatchObject({
    renewal_micros: '747000000',
    renews_at: end,
    credits_now: shareOf(35_000, from, to, preview.from),
  });
});

it('the preview of a change at the end of the period states that no credits are granted at once', async () => {
  const { end, preview } = await previewed('stripe', 'api-15K-month', 'api-5K-month', DAY_MS);
  expect(preview).toMatchObject({
    effect: 'period_end',
    renewal_micros: '10000000',
    renews_at: end,
    credits_now: 0,
  });
});
