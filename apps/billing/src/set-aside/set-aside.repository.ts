import { Injectable } from '@nestjs/common';
import type { SetAsideMoney } from '#libs/contracts';
import { MaintenanceDatabase } from '#libs/database';
import { SET_ASIDE_MONEY } from '../auditor/set-aside-money.js';

const LISTED_MAX = 200;

const ROWS = Object.entries(SET_ASIDE_MONEY)
  .map(([kind, rows]) => `select '${kind}' as kind, ${kind}.* from (${rows}) ${kind}`)
  .join(' union all ');

@Injectable()
export class SetAsideMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /** Lists the items, at most `LISTED_MAX`, those that have waited longest first. */
  async list(): Promise<SetAsideMoney[]> {
    return this.maintenance.query<SetAsideMoney>(
      `select kind, id, account_id as "accountId", since, reason from (${ROWS}) everything
       order by since nulls first, id limit $1`,
      [LISTED_MAX],
    );
  }
}
