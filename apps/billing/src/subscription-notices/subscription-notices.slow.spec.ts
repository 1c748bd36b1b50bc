import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { DAY_MS, HOUR_MS, addMonths } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';
import { FollowAccountsJob } from '../followed-subscriptions/follow-accounts.job.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { MailNoticesJob } from './mail-notices.job.js';

describe.each(BOTH)('notices about subscriptions at %s', (processor) => {
  let billing: BillingUnderTest;
  let side: ProcessorSide;
  let accountId: string;
  let end: Date;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    side = sideOf(billing, processor);
  });
  afterAll(() => billing.stop());
  beforeEach(async () => {
    accountId = billing.newAccount();
  });
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  async function subscribe(sku = 'api-15K-month', months = 1): Promise<string> {
    const body = { product: 'subscription', sku, processor };
    const { body: order } = await billing.call('POST', 'orders', { accountId, body });
    end = addMonths(billing.clock.now(), months);
    await billing.act(order, 'pay');
    const { body: owned } = await billing.call('GET', 'subscriptions', { accountId });
    return owned.subscriptions[0].id;
  }
  const passTo = (time: Date) => billing.pass(time.getTime() - billing.clock.now().getTime());
  const before = (time: Date, ms: number) => new Date(time.getTime() - ms);
  const day = (time: Date) => time.toISOString().slice(0, 10);
  /**
   * Returns the e-mails since the subscription began, except receipts. Runs the job twice, to show that each e-mail is
   * sent once.
   */
  async function notices() {
    await billing.get(MailNoticesJob).runOnce();
    await billing.get(MailNoticesJob).runOnce();
    const mails = await billing.deliverMail(accountId);
    return mails.filter(({ subject }) => !subject.startsWith('Receipt'));
  }

  // This test runs first, while no other subscription renews during the year.
  it('a yearly renewal is announced two weeks ahead', async () => {
    await subscribe('api-5K-year', 12);
    await passTo(before(end, 15 * DAY_MS));
    expect(await notices()).toEqual([]);
    await passTo(before(end, 13 * DAY_MS));
    const [{ subject, text }] = await notices();
    expect(subject).toBe(`API plan 5K renews on ${day(end)}`);
    expect(text).toContain('99.60 USD');
  });

  it('a renewal is announced three days ahead, with its price, and not before', async () => {
    await subscribe();
    await passTo(before(end, 3 * DAY_MS + HOUR_MS));
    expect(await notices()).toEqual([]);
    await passTo(before(end, 2 * DAY_MS));
    const [renewal, ...others] = await notices();
    expect(others).toEqual([]);
    expect(renewal.subject).toBe(`API plan 15K renews on ${day(end)}`);
    expect(renewal.text).toContain('Hello Ada');
    expect(renewal.text).toContain('27.00 USD');
    expect(renewal.text).toContain('/subscriptions');
    expect(renewal.html).toContain('27.00 USD');
    await passTo(new Date(end.getTime() + DAY_MS));
    expect(await notices()).toHaveLength(1);
  });

  it('each stage of an unpaid renewal is announced once, with the day on which the plan stops', async () => {
    await subscribe();
    await side.setFunds(accountId, 'declines');
    const rightsEnd = day(new Date(end.getTime() + 7 * DAY_MS));
    const told: string[][] = [];
    for (const days of [0, 1, 3, 4, 6]) {
      await passTo(new Date(end.getTime() + days * DAY_MS + 2 * HOUR_MS));
      told.push((await notices()).map(({ subject }) => subject));
    }
    const failed = 'The payment for API plan 15K failed';
    const again = 'API plan 15K is still not paid';
    const last = `Last notice: API plan 15K stops on ${rightsEnd}`;
    expect(told).toEqual([
      [failed],
      [failed],
      [failed, again],
      [failed, again],
      [failed, again, last],
    ]);
    for (const { text, html } of await notices()) {
      expect(text).toContain(rightsEnd);
      expect(text).toContain('27.00 USD');
      expect(html).toContain('Check your payment details');
    }
  });

  it('a failed first payment is announced once', async () => {
    const id = await subscribe();
    await billing.database.query(
      `update subscriptions set state = 'past_due', paid_through = null where id = $1`,
      [id],
    );
    const told = (await notices()).map(({ subject }) => subject);
    expect(told).toEqual(['The payment for API plan 15K failed']);
  });

  it('after the cancellation of an overdue plan, no e-mail says that the plan keeps working', async () => {
    const id = await subscribe();
    await side.setFunds(accountId, 'declines');
    await passTo(new Date(end.getTime() + 2 * HOUR_MS));
    await notices();
    await billing.call('POST', `subscriptions/${id}/cancel`, { accountId });
    await passTo(new Date(end.getTime() + 4 * DAY_MS));
    const [failed, ...others] = (await notices()).filter(({ text }) => text.includes('until 20'));
    expect(failed.subject).toBe('The payment for API plan 15K failed');
    expect(others.filter(({ text }) => text.includes('keeps working'))).toEqual([]);
  });

  it('the e-mail about a cancellation names the plan that ends, not one that would have followed', async () => {
    const id = await subscribe();
    const wish = { accountId, body: { sku: 'api-5K-month' } };
    const { body } = await billing.call('POST', `subscriptions/${id}/change`, wish);
    if (body.redirect_url) await side.agree(body.redirect_url);
    await billing.settle();
    await billing.call('POST', `subscriptions/${id}/cancel`, { accountId });
    await billing.settle();
    const [{ subject }] = await notices();
    expect(subject).toBe(`API plan 15K ends on ${day(end)}`);
  });

  it('a cancellation is confirmed with the day on which the plan ends; a second cancellation after an undo sends no second e-mail', async () => {
    const id = await subscribe();
    for (const step of ['cancel', 'undo', 'cancel']) {
      await billing.call('POST', `subscriptions/${id}/${step}`, { accountId });
      await billing.settle();
      await notices();
    }
    const [ending, ...others] = await notices();
    expect(others).toEqual([]);
    expect(ending.subject).toBe(`API plan 15K ends on ${day(end)}`);
    expect(ending.text).toContain('not charged again');
    await passTo(new Date(end.getTime() + HOUR_MS));
    await billing.follow();
    const [, ended] = await notices();
    expect(ended.subject).toBe('API plan 15K has ended');
    expect(ended.text).toContain(`paid until ${day(end)}`);
  });

  it('a plan that is cancelled at the processor works until the end of the paid time', async () => {
    await subscribe();
    const { paypal, subscriptions } = billing.simulator;
    const there = processor === 'paypal' ? paypal.subscriptions : subscriptions;
    there.cancel(side.newest('subscription', 1)[0]);
    await billing.settle();
    const [{ subject, text }, ...others] = await notices();
    expect(others).toEqual([]);
    expect(subject).toBe(`API plan 15K ends on ${day(end)}`);
    expect(text).toContain(`It works until ${day(end)}.`);
  });

  it('a deleted account gets no notices about its subscriptions, and nobody gets notices while account is down', async () => {
    await subscribe();
    await passTo(before(end, 2 * DAY_MS));
    billing.contacts.isDown = true;
    expect(await notices()).toEqual([]);
    billing.contacts.isDown = false;
    await billing.deliver('deleted', accountId);
    expect(await notices()).toEqual([]);
    await billing.deliver('restored', accountId);
    expect(await notices()).toHaveLength(1);
  });

  it('a restored account is not told that its plan ends, even if the processor stops answering after it has resumed the plan', async () => {
    await subscribe();
    await billing.deliver('deleted', accountId);
    await billing.follow();
    await billing.deliver('restored', accountId);
    jest.spyOn(billing.get(SyncService), 'sync').mockResolvedValueOnce('unknown');
    await billing.get(FollowAccountsJob).runOnce();
    expect(await notices()).toEqual([]);
    await billing.follow();
    const { body } = await billing.call('GET', 'subscriptions', { accountId });
    expect(body.subscriptions).toMatchObject([{ state: 'active', cancel_at: null }]);
    expect(await notices()).toEqual([]);
  });
});
