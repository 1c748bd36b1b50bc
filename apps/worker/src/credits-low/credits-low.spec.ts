import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreditsLow, EventEnvelope, WebhookDeliveriesAnswer } from '#libs/contracts';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { MailCreditsLowJob } from './mail-credits-low.job.js';
import { OnCreditsLowConsumer } from './on-credits-low.consumer.js';

describe('low credits', () => {
  const under = new WorkerUnderTest();
  beforeAll(() => under.start());
  afterAll(() => under.stop());

  const get = <T>(type: new (...parts: never[]) => T) =>
    under.worker.app.get<T>(type as never, { strict: false });
  const hear = (key: string, threshold: 20 | 0, remaining: string, id = newId()) => {
    const event = { id, key, data: { threshold, remaining } } as EventEnvelope<CreditsLow>;
    return under.database.transaction((transaction) =>
      get(OnCreditsLowConsumer).handle(event, transaction),
    );
  };
  const mailsOf = async (accountId: string) =>
    (await under.mailbox.newest(50)).filter(({ to }) => to === `${accountId}@payer.example`);

  it('each threshold of low credits is announced by e-mail and webhook', async () => {
    const accountId = newId();
    const webhook = await under.gateway.call<{ id: string }>('POST', '/internal/webhooks', {
      accountId,
      body: { url: 'https://a.hooks.example/', events: ['credits.low'] },
    });
    await hear(accountId, 20, '90');
    await hear(accountId, 0, '0');
    const mails = await waitFor('both mails', async () => {
      await get(MailCreditsLowJob).runOnce();
      const found = await mailsOf(accountId);
      return found.length >= 2 ? found : undefined;
    });
    expect(mails.map(({ subject }) => subject).toSorted()).toEqual([
      'Your credits are running out',
      'Your credits are used up',
    ]);
    // The level may be that of an earlier grant, so the e-mail names no percentage.
    const low = mails.find(({ subject }) => subject.endsWith('out'));
    expect(low?.text).toContain('You have 90 credits left.\n');
    const path = `/internal/webhooks/${webhook.id}/deliveries`;
    const log = await under.gateway.call<WebhookDeliveriesAnswer>('GET', path, { accountId });
    expect(log.deliveries.map(({ type }) => type)).toEqual(['credits.low', 'credits.low']);
  });

  it('low credits of a deleted account are not announced', async () => {
    const [gone, stays] = [newId(), newId()];
    await under.database.transaction((transaction) => under.accounts.remove(transaction, gone));
    await hear(gone, 0, '0');
    await hear(stays, 0, '0');
    await waitFor('the other mail', async () => {
      await get(MailCreditsLowJob).runOnce();
      return (await mailsOf(stays)).length === 1;
    });
    await waitFor('no mail to be left', async () => {
      const left = `select from work where queue = 'credits-low-mails'`;
      return (await under.database.query(left)).length === 0;
    });
    expect(await mailsOf(gone)).toEqual([]);
  });
});
