import type { EventEnvelope } from '#libs/contracts';
import { Database } from '#libs/database';
import type { RunningService } from '#libs/platform';
import { OnAccountNewsConsumer } from '../../apps/billing/src/account-states/on-account-news.consumer.js';

const HANDLERS = {
  deleted: 'handleDeleted',
  restored: 'handleRestored',
  erased: 'handleErased',
  suspended: 'handleSuspensionChanged',
  unsuspended: 'handleSuspensionChanged',
} as const;

export type AccountFate = keyof typeof HANDLERS;

/** Delivers an account's event to billing as a transport delivers it to the consumer. */
export async function deliverFate(
  { app }: Pick<RunningService, 'app'>,
  { fate, accountId, at }: { fate: AccountFate; accountId: string; at: Date },
): Promise<void> {
  const consumer = app.get(OnAccountNewsConsumer, { strict: false });
  const time = at.toISOString();
  const ofDeletion = { deletedAt: time, restoreUntil: time, restoredAt: time, erasedAt: time };
  const data = { ...ofDeletion, isSuspended: fate === 'suspended', changedAt: time };
  const event = { key: accountId, data } as EventEnvelope<typeof data>;
  const database = app.get(Database, { strict: false });
  await database.transaction(async (transaction) => consumer[HANDLERS[fate]](event, transaction));
}
