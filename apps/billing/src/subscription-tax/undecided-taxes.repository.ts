import { Injectable } from '@nestjs/common';
import { CATALOGUE_VERSION } from '#libs/contracts';
import { MaintenanceDatabase } from '#libs/database';
import type { ProcessorName } from '../processors/payment-processor.js';

/** A subscription that renews soon and whose tax is not decided. */
export interface UndecidedTax {
  id: string;
  accountId: string;
  taxPpm: number;
  periodEnd: Date;
}

export interface RenewedSoon {
  processor: ProcessorName;
  from: Date;
  to: Date;
}

/** The decision about a buyer's tax before a renewal. */
export interface DecidedTax {
  /** Whether the buyer owes the tax; null if nothing could be decided, so that the tax stays the same. */
  isReverseCharge: boolean | null;
  /** The decided rate; null if nothing could be decided. */
  taxPpm: number | null;
}

@Injectable()
export class UndecidedTaxesMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /**
   * Lists subscriptions that renew between `from` and `to` and whose tax is not decided, soonest first. Plans with
   * prices from an older catalogue are left out while a change waits, because it may have an older price, too.
   */
  async list({ processor, from, to }: RenewedSoon, limit: number): Promise<UndecidedTax[]> {
    return this.maintenance.query<UndecidedTax>(
      `select id, account_id as "accountId", tax_ppm as "taxPpm", period_end as "periodEnd"
         from subscriptions
         where is_current and cancel_at is null and wanted_sku is null
           and period_end > $1 and period_end <= $2 and tax_decided_at is distinct from period_end
           and processor = $3 and (pending_sku is null or catalogue_version = $4)
         order by period_end limit $5`,
      [from, to, processor, CATALOGUE_VERSION, limit],
    );
  }

  async markDecided(
    { accountId, id, periodEnd }: UndecidedTax,
    { isReverseCharge, taxPpm }: DecidedTax,
  ): Promise<void> {
    await this.maintenance.query(
      `update subscriptions set tax_decided_at = $3, is_reverse_charge = coalesce($4, is_reverse_charge),
         next_tax_ppm = $5
       where account_id = $1 and id = $2`,
      [accountId, id, periodEnd, isReverseCharge, taxPpm],
    );
  }
}
