import type { Type } from '@nestjs/common';
import type { EventEnvelope } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import type { RunningService } from '#libs/platform';
import { OnAccountDeletedConsumer } from '../../apps/billing/src/account-states/on-account-deleted.consumer.js';
import { OnAccountErasedConsumer } from '../../apps/billing/src/account-states/on-account-erased.consumer.js';
import { OnAccountSuspensionChangedConsumer } from '../../apps/billing/src/account-states/on-account-suspension-changed.consumer.js';
import { OnAccountRestoredConsumer } from '../../apps/billing/src/account-states/on-account-restored.consumer.js';

interface AccountConsumer {
  handle(event: EventEnvelope, transaction: Transaction): Promise<void>;
}

const CONSUMERS = {
  deleted: OnAccountDeletedConsumer,
  restored: OnAccountRestoredConsumer,
  erased: OnAccountErasedConsumer,
  suspended: OnAccountSuspensionChangedConsumer,
  unsuspended: OnAccountSuspensionChangedConsumer,
} as unknown as Record<AccountFate, Type<AccountConsumer>>;

export type AccountFate = 'deleted' | 'restored' | 'erased' | 'suspended' | 'unsuspended';

/** Hands billing what became of an account, as a transport hands it to its consumer. */
export async function deliverFate(
  { app }: Pick<RunningService, 'app'>,
  database: Database,
  { fate, accountId, at }: { fate: AccountFate; accountId: string; at: Date },
): Promise<void> {
  const consumer = app.get<AccountConsumer>(CONSUMERS[fate], { strict: false });
  const time = at.toISOString();
  const ofDeletion = { deletedAt: time, restoreUntil: time, restoredAt: time, erasedAt: time };
  const data = { ...ofDeletion, isSuspended: fate === 'suspended', changedAt: time };
  const event = { key: accountId, data } as EventEnvelope;
  await database.transaction((transaction) => consumer.handle(event, transaction));
}
