import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { isBlockedBy, waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { DeliveriesRepository } from './deliveries.repository.js';

const under = new WorkerUnderTest();

beforeAll(() => under.start());
afterAll(() => under.stop());

it('a webhook can be removed while the outcome of an attempt is being stored', async () => {
  const accountId = newId();
  const body = { url: 'https://a.hooks.example/', events: ['job.completed'] };
  const { id: webhookId } = await under.gateway.call<{ id: string }>('POST', '/internal/webhooks', {
    accountId,
    body,
  });
  const rows = under.get(DeliveriesRepository);
  const id = newId();
  const createdAt = under.clock.now();
  const given = { id, webhookId, accountId, eventId: newId(), type: 'job.completed', createdAt };
  await under.database.transaction((transaction) =>
    rows.insert(transaction, { ...given, body: '{}' }),
  );
  const delivery = (await rows.find(under.database, given, id))!;
  let stored: Promise<boolean>;
  await under.database.transaction(async (transaction) => {
    // A removal first locks the webhook, and then its deliveries.
    await transaction.query('select from webhooks where id = $1 for update', [webhookId]);
    const outcome = { fault: 'http_500', state: 'pending', at: createdAt } as const;
    stored = under.database.transaction((other) => rows.putTry(other, delivery, outcome));
    await waitFor('the outcome to wait', () => isBlockedBy(transaction));
    await transaction.query('delete from webhooks where id = $1', [webhookId]);
  });
  expect(await stored!).toBe(false);
});
