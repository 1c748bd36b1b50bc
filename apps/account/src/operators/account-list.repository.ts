import { Injectable } from '@nestjs/common';
import type { ListedAccount } from '#libs/contracts';
import { MaintenanceDatabase } from '#libs/database';

@Injectable()
export class AccountListMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  /** Lists accounts, newest first. Ids sort by creation time. @param before the last id of the previous page. */
  async list(page: {
    standing?: string;
    before?: string;
    limit: number;
  }): Promise<ListedAccount[]> {
    const { standing = null, before = null, limit } = page;
    return this.database.query(
      `select id as "accountId", state, created_at as "createdAt", deleted_at as "deletedAt",
         suspended_at as "suspendedAt", suspended_because as "suspendedBecause"
       from accounts
       where ($1::text is null or state = $1 or ($1 = 'suspended' and suspended_at is not null))
         and ($2::uuid is null or id < $2)
       order by id desc limit $3`,
      [standing, before, limit],
    );
  }
}
