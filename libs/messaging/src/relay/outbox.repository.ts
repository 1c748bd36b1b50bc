import type { MaintenanceDatabase } from '#libs/database';
import type { OwnedBucket } from './bucket-leases.js';

export interface OutboxRow {
  id: string;
  bucket: number;
  key: string;
  aggregate: string;
  sequence: string;
  type: string;
  version: number;
  occurred_at: Date;
  traceparent: string | null;
  /** The JSON text as it was written. */
  data: string;
}

/**
 * The relay's statements. Those that read or mark rows name the owner and the epoch, so that a relay that has lost a
 * bucket changes nothing there.
 */
export class OutboxRepository {
  constructor(
    private readonly database: MaintenanceDatabase,
    private readonly owner: string,
  ) {}

  /** Returns the next unsent rows of each bucket whose lease lasts for at least 3 s more, by bucket and position. */
  async listUnsent(buckets: OwnedBucket[], limitPerBucket: number): Promise<OutboxRow[]> {
    return this.database.query<OutboxRow>(LIST_UNSENT, [
      this.owner,
      buckets.map(({ bucket }) => bucket),
      buckets.map(({ epoch }) => epoch),
      limitPerBucket,
    ]);
  }

  /** Marks rows as sent. @returns false if the bucket now has another owner; in that case, nothing is marked. */
  async markSent({ bucket, epoch }: OwnedBucket, ids: string[]): Promise<boolean> {
    const [{ owned }] = await this.database.query<{ owned: boolean }>(MARK_SENT, [
      this.owner,
      bucket,
      epoch,
      ids,
    ]);
    return owned;
  }

  /**
   * Deletes rows that were sent over 10 minutes ago, at most `limit`. The change feed needs the others. @returns the
   * number of deleted rows.
   */
  async deleteOld(limit: number): Promise<number> {
    const [{ deleted }] = await this.database.query<{ deleted: number }>(DELETE_OLD, [limit]);
    return deleted;
  }
}

const LIST_UNSENT = `
  select o.id, o.bucket, o.key, o.aggregate, o.sequence, o.type, o.version, o.occurred_at,
    o.traceparent, o.data::text as data
  from unnest($2::smallint[], $3::bigint[]) as held (bucket, epoch)
  join outbox_bucket b on b.bucket = held.bucket and b.epoch = held.epoch and b.owner = $1
    and b.lease_until > clock_timestamp() + interval '3 s'
  cross join lateral (
    select * from outbox where bucket = b.bucket and sent_at is null
    order by position limit $4) o
  order by o.bucket, o.position`;

const MARK_SENT = `
  with mine as (
    select bucket from outbox_bucket where bucket = $2 and owner = $1 and epoch = $3),
  marked as (
    update outbox set sent_at = clock_timestamp()
    where id = any ($4::uuid[]) and sent_at is null and exists (select from mine))
  select exists (select from mine) as owned`;

const DELETE_OLD = `
  with gone as (
    delete from outbox where id in (
      select id from outbox where sent_at < statement_timestamp() - interval '10 minutes' limit $1)
    returning 1)
  select count(*)::int as deleted from gone`;
