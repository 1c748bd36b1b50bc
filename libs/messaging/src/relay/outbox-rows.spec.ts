import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type MaintenanceDatabase, withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { rowsRead } from '#test/environment';
import { MessagingHarness } from '../transports/messaging-harness.contract.js';
import { OutboxRepository } from './outbox.repository.js';

let messaging: MessagingHarness;

beforeAll(async () => {
  messaging = await MessagingHarness.open();
});
afterAll(() => messaging.close());

it('deleting events that were sent ten minutes ago does not read those that were sent later', async () => {
  await messaging.producer.query(
    `insert into outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data, sent_at)
     select gen_random_uuid(), n % 16, n::text, 'thing:' || n, 1, 'account.counted', 1, now(), '{"n": 1}',
       clock_timestamp() - case when n > 3 then interval '1 minute' else interval '11 minutes' end
     from generate_series(1, 20000) n`,
  );
  await withClient(messaging.test.url(), (client) => client.query('analyze account.outbox'));
  const read = await messaging.maintenance.transaction(async (transaction) => {
    const outbox = new OutboxRepository(transaction as unknown as MaintenanceDatabase, newId());
    return rowsRead(transaction, ['account.outbox'], async () =>
      expect(await outbox.deleteOld(100)).toBe(3),
    );
  });
  expect(read).toBeLessThan(1_000);
});
