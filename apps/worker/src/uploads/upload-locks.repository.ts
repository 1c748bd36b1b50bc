import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';

/** How long a lock lasts: several times the interval at which its holder renews it. */
const LEASE_SECONDS = 15;

/**
 * Records which request is writing to an upload: one at a time, over all processes. Times are by the database's clock.
 */
@Injectable()
export class UploadLocksRepository {
  constructor(private readonly database: Database) {}

  /** @returns false while another request has the lock. That request is then asked to release it. */
  async take(uploadId: string, holder: string): Promise<boolean> {
    const rows = await this.database.query<{ holder: string }>(
      `insert into upload_locks as held (upload_id, holder, locked_until)
       values ($1, $2, now() + make_interval(secs => $3))
       on conflict (upload_id) do update set
         is_wanted = held.locked_until >= now(),
         holder = case when held.locked_until < now() then excluded.holder else held.holder end,
         locked_until = case when held.locked_until < now() then excluded.locked_until else held.locked_until end
       returning holder`,
      [uploadId, holder, LEASE_SECONDS],
    );
    return rows[0].holder === holder;
  }

  /** @returns whether the request may continue: it still has the lock, and no other request wants the lock. */
  async renew(uploadId: string, holder: string): Promise<boolean> {
    const rows = await this.database.query<{ is_wanted: boolean }>(
      `update upload_locks set locked_until = now() + make_interval(secs => $3)
       where upload_id = $1 and holder = $2 returning is_wanted`,
      [uploadId, holder, LEASE_SECONDS],
    );
    return rows.length === 1 && !rows[0].is_wanted;
  }

  async release(uploadId: string, holder: string): Promise<void> {
    const sql = 'delete from upload_locks where upload_id = $1 and holder = $2';
    await this.database.query(sql, [uploadId, holder]);
  }
}
