import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { InvalidRequest, Logger } from '#libs/platform';
import type { ProcessorName } from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { BuyerTaxService } from '../tax/buyer-tax.service.js';
import { BillingDetailsMissing } from '../tax/tax.errors.js';
import { PlanChangesService } from '../plan-changes/plan-changes.service.js';
import { ChangeRefused } from '../subscriptions/subscriptions.errors.js';
import {
  type DecidedTax,
  type UndecidedTax,
  UndecidedTaxesMaintenanceRepository,
} from './undecided-taxes.repository.js';

const UNDECIDABLE: DecidedTax = { isReverseCharge: null, taxPpm: null };
/** The errors after which a repetition would fail again. `changeTax` throws InvalidRequest for an unknown plan. */
const LASTING = [ChangeRefused, InvalidRequest];

interface ExpectedTax {
  accountId: string;
  processor: ProcessorName;
  taxPpm: number;
  periodEnd: Date;
}

@Injectable()
export class RenewalTaxService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: UndecidedTaxesMaintenanceRepository,
    private readonly changes: PlanChangesService,
    private readonly tax: BuyerTaxService,
    private readonly processors: PaymentProcessors,
    private readonly logger: Logger,
  ) {}

  /**
   * Decides the rate of one renewal. Leaves the rate undecided if the decision must be retried: a processor or the
   * account service is unavailable, or a plan change is running.
   */
  async decide(subscription: UndecidedTax): Promise<void> {
    const decided = await this.decided(subscription);
    if (decided) await this.subscriptions.markDecided(subscription, decided);
  }

  /**
   * Returns the expected rate, in millionths, of a renewal whose rate is not decided yet: a yearly
   * renewal, which is announced before the decision, or one whose plan has changed since the
   * decision. Shortly before a renewal, a processor that needs prices early keeps the old rate.
   * @throws ServiceUnavailable while the account service is down.
   */
  async expected(
    { accountId, taxPpm, processor, periodEnd }: ExpectedTax,
    now: Date,
  ): Promise<number> {
    // At a processor that is no longer configured, the price can never be changed.
    const { priceNoticeMs = Infinity } = this.processors.find(processor)?.capabilities ?? {};
    if (priceNoticeMs > 0 && periodEnd.getTime() - now.getTime() <= priceNoticeMs) return taxPpm;
    try {
      return (await this.tax.taxOf(accountId, periodEnd)).ppm;
    } catch (error) {
      // The buyer's country is unknown, so the subscription keeps its rate.
      if (error instanceof BillingDetailsMissing) return taxPpm;
      throw error;
    }
  }

  private async decided(subscription: UndecidedTax): Promise<DecidedTax | undefined> {
    const { id, accountId, taxPpm, periodEnd } = subscription;
    try {
      const tax = await this.tax.taxOf(accountId, periodEnd);
      if (tax.ppm !== taxPpm) await this.changes.changeTax(accountId, id, tax.ppm);
      await this.database.transaction((transaction) =>
        this.tax.note(transaction, { accountId, subjectId: id }, tax),
      );
      return { isReverseCharge: tax.isReverseCharge, taxPpm: tax.ppm };
    } catch (error) {
      // The buyer's country is unknown, for example because the operator had no tax rates when the subscription began.
      if (error instanceof BillingDetailsMissing) return UNDECIDABLE;
      this.logger.warn('a subscription keeps its tax rate', { id, err: error });
      return LASTING.some((kind) => error instanceof kind) ? UNDECIDABLE : undefined;
    }
  }
}
