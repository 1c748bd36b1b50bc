import { Injectable } from '@nestjs/common';
import type { PendingChange, SubscriptionAnswer } from '#libs/contracts';
import { Database } from '#libs/database';
import { Clock, NotFound, isId } from '#libs/platform';
import { AccountStatesService } from '../account-states/account-states.service.js';
import { BillingConfig } from '../billing.config.js';
import { CheckoutsService } from '../orders/checkouts.service.js';
import type { Subscription } from './subscription.entity.js';
import { toSubscriptionAnswer } from './subscription-answer.js';
import { PlanNotChangeable } from './subscriptions.errors.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';

@Injectable()
export class OwnSubscriptionsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountStatesService,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly checkouts: CheckoutsService,
    private readonly config: BillingConfig,
    private readonly clock: Clock,
  ) {}

  async list(accountId: string): Promise<{ subscriptions: SubscriptionAnswer[] }> {
    const rows = await this.database.transaction((transaction) =>
      this.subscriptions.list(transaction, accountId),
    );
    const own = rows.filter(({ isDuplicate }) => !isDuplicate);
    return { subscriptions: own.map((row) => toSubscriptionAnswer(row, this.clock.now())) };
  }

  /** @throws NotFound, including for another account's subscription (S85). */
  async get(accountId: string, id: string): Promise<SubscriptionAnswer> {
    return toSubscriptionAnswer(await this.find(accountId, id), this.clock.now());
  }

  /** @throws NotFound; PlanNotChangeable if the subscription has ended. */
  async findCurrent(accountId: string, id: string): Promise<Subscription> {
    const row = await this.find(accountId, id);
    if (!row.isCurrent) throw new PlanNotChangeable('This subscription has ended.');
    return row;
  }

  /**
   * Runs one change to a subscription at a time. Otherwise, a second change would be checked against the old plan, and
   * a lower plan could pass as an upgrade.
   * @throws NotFound for a malformed id; PlanNotChangeable while another change is running; the errors of `work`.
   */
  async alone<T>(accountId: string, id: string, work: () => Promise<T>): Promise<T> {
    if (!isId(id)) throw new NotFound();
    return this.database.transaction(async (transaction) => {
      if (await this.subscriptions.tryLock(transaction, accountId, id)) return work();
      throw new PlanNotChangeable('Another change to this subscription is in progress.');
    });
  }

  /**
   * Checks that the account may cause further payments.
   * @throws AccountDeletedHere, AccountSuspendedHere.
   */
  async checkMayBuy(accountId: string): Promise<void> {
    await this.database.transaction((transaction) =>
      this.accounts.checkMayBuy(transaction, accountId),
    );
  }

  /**
   * Records the change that a cancellation drops, so that undoing the cancellation schedules the change again; null
   * removes the record.
   */
  async noteDropped(
    row: Subscription,
    change: Pick<PendingChange, 'sku' | 'quantity'> | null,
  ): Promise<void> {
    const [restorableSku, restorableQuantity] = [change?.sku ?? null, change?.quantity ?? null];
    if (row.restorableSku === restorableSku && row.restorableQuantity === restorableQuantity)
      return;
    await this.database.transaction((transaction) =>
      this.subscriptions.update(transaction, row, { restorableSku, restorableQuantity }),
    );
  }

  /**
   * Returns the account's customer id at the subscription's processor, and the page to which the
   * customer returns.
   * @throws NotFound if the account has no customer id there.
   */
  async customerOf({ accountId, processor }: Subscription) {
    const customerId = await this.checkouts.customerOf(accountId, processor);
    if (customerId === undefined) throw new NotFound();
    return { customerId, returnUrl: `${this.config.dashboardUrl}/billing/subscriptions` };
  }

  private async find(accountId: string, id: string): Promise<Subscription> {
    const row = isId(id)
      ? await this.database.transaction((transaction) =>
          this.subscriptions.find(transaction, accountId, id),
        )
      : null;
    if (!row) throw new NotFound();
    return row;
  }
}
