import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';

@Injectable()
export class KeptAnswersMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  /**
   * Deletes up to `limit` answers whose key was first used before `than`, oldest first. @returns the number of deleted
   * answers.
   */
  async deleteOlder(than: Date, limit: number): Promise<number> {
    const [{ deleted }] = await this.database.query<{ deleted: number }>(DELETE_OLDER, [
      than,
      limit,
    ]);
    return deleted;
  }
}

const DELETE_OLDER = `
  with gone as (
    delete from kept_answers where ctid = any (array(
      select ctid from kept_answers where begun_at < $1 order by begun_at limit $2))
    returning 1)
  select count(*)::int as deleted from gone`;
