import { Injectable } from '@nestjs/common';
import { EntitlementClient, planOfSku } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { AccountStatesService } from '../account-states/account-states.service.js';
import { PaymentsService } from '../payments/payments.service.js';
import type { ProcessorName } from '../processors/payment-processor.js';
import { BuyerTaxService } from '../tax/buyer-tax.service.js';
import { BaseMissing, DebtOpen, SubscriptionExists } from './purchase-rules.errors.js';
import { type Quote, type Wish, quoteOf } from '../pricing/quote.js';
import { NO_TAX } from '../tax/tax-rates.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';

@Injectable()
export class PurchaseRulesService {
  constructor(
    private readonly accounts: AccountStatesService,
    private readonly payments: PaymentsService,
    private readonly subscriptions: SubscriptionsService,
    private readonly database: Database,
    private readonly entitlement: EntitlementClient,
    private readonly tax: BuyerTaxService,
  ) {}

  /**
   * Prices a request with today's catalogue and the account's tax.
   * @returns undefined for items that are not sold.
   * @throws BillingDetailsMissing, ServiceUnavailable.
   */
  async quote(accountId: string, wish: Wish): Promise<Quote | undefined> {
    return quoteOf(wish, NO_TAX) && quoteOf(wish, await this.tax.taxOf(accountId));
  }

  /** Stores the tax id that determined the tax of an order. */
  async noteTax(
    transaction: Transaction,
    accountId: string,
    orderId: string,
    quote: Quote,
  ): Promise<void> {
    await this.tax.note(transaction, { accountId, subjectId: orderId }, quote);
  }

  /**
   * Checks the rules that need entitlement, outside of any transaction. An account in debt may not buy through the
   * processor that reversed its payment. The add-on needs a package with credits left, or a plan.
   * @throws DebtOpen, BaseMissing, ServiceUnavailable.
   */
  async checkOwned(
    accountId: string,
    processor: ProcessorName,
    lines: readonly { sku: string }[],
  ): Promise<void> {
    const isAddOn = lines.some(({ sku }) => planOfSku(sku)?.line === 'rate_limit');
    const { wasReversed, hasPlan } = await this.database.transaction(async (transaction) => ({
      wasReversed: await this.payments.wasReversed(transaction, accountId, processor),
      hasPlan: await this.subscriptions.currentOf(transaction, accountId, 'api'),
    }));
    const needsBase = isAddOn && !hasPlan;
    if (!wasReversed && !needsBase) return;
    const { debt, packages } = await this.entitlement.owned(accountId);
    if (wasReversed && BigInt(debt) > 0n) throw new DebtOpen(debt);
    if (needsBase && packages.length === 0) throw new BaseMissing();
  }

  /**
   * Checks that the account may buy, and has no other current subscription of the same line.
   * @throws AccountDeletedHere, AccountSuspendedHere, SubscriptionExists.
   */
  async check(
    transaction: Transaction,
    accountId: string,
    lines: readonly { sku: string }[],
  ): Promise<void> {
    await this.accounts.checkMayBuy(transaction, accountId);
    for (const { sku } of lines) {
      const plan = planOfSku(sku);
      if (!plan) continue;
      const current = await this.subscriptions.currentOf(transaction, accountId, plan.line);
      if (current) throw new SubscriptionExists(current.id);
    }
  }
}
