import { Injectable } from '@nestjs/common';
import { planOfSku } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { AccountStatesService } from '../accounts/account-states.service.js';
import { BaseMissing, SubscriptionExists } from '../orders/orders.errors.js';
import { PaymentsService } from '../payments/payments.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';

/** What an account may buy now. */
@Injectable()
export class PurchaseRulesService {
  constructor(
    private readonly accounts: AccountStatesService,
    private readonly payments: PaymentsService,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  /** @throws AccountDeletedHere, SubscriptionExists, BaseMissing. */
  async check(
    transaction: Transaction,
    accountId: string,
    lines: readonly { sku: string }[],
  ): Promise<void> {
    await this.accounts.checkActive(transaction, accountId);
    for (const { sku } of lines) {
      const plan = planOfSku(sku);
      if (!plan) continue;
      const current = await this.subscriptions.currentOf(transaction, accountId, plan.line);
      if (current) throw new SubscriptionExists(current.id);
      if (plan.line !== 'rate_limit') continue;
      const hasPlan = await this.subscriptions.currentOf(transaction, accountId, 'api');
      if (!hasPlan && !(await this.payments.hasPackage(transaction, accountId))) {
        throw new BaseMissing();
      }
    }
  }
}
