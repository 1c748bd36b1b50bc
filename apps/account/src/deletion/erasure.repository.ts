import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';

@Injectable()
export class ErasureMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  async listDue(now: Date, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select id from accounts where state = 'deleted' and restore_until <= $1
       order by restore_until limit $2`,
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  async listUnerased(ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select id from accounts where id = any($1) and state <> 'erased'`,
      [ids],
    );
    return rows.map(({ id }) => id);
  }
}
