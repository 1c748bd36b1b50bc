import { Injectable } from '@nestjs/common';
import type { AuditLine } from '#libs/contracts';
import { MaintenanceDatabase } from '#libs/database';

@Injectable()
export class AuditEntriesMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  /** Lists entries, newest first. @param before the last position of the previous page. */
  async list(
    chain: string,
    { before, limit }: { before?: string; limit: number },
  ): Promise<AuditLine[]> {
    return this.database.query(
      `select position, occurred_at as at, actor, action, object, request_id as "requestId"
       from audit where chain = $1 and ($2::bigint is null or position < $2)
       order by position desc limit $3`,
      [chain, before ?? null, limit],
    );
  }
}
