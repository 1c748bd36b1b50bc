import type { MaintenanceDatabase } from '#libs/database';

export interface OwnedBucket {
  bucket: number;
  /** Decimal string. */
  epoch: string;
}

/** The buckets that a relay may read and mark, under leases of 6 s by the database's clock. */
export class BucketLeases {
  private buckets = new Map<number, string>();

  constructor(
    private readonly database: MaintenanceDatabase,
    readonly owner: string,
  ) {}

  /** Renews the leases of owned buckets, drops lost leases, and takes free buckets. */
  async renew(): Promise<void> {
    const held = await this.database.query<OwnedBucket>(RENEW, [
      this.owner,
      [...this.buckets.keys()],
      [...this.buckets.values()],
    ]);
    const claimed = await this.database.query<OwnedBucket>(CLAIM, [this.owner]);
    this.buckets = new Map([...held, ...claimed].map(({ bucket, epoch }) => [bucket, epoch]));
  }

  owned(): OwnedBucket[] {
    return [...this.buckets].map(([bucket, epoch]) => ({ bucket, epoch }));
  }

  /** Drops a bucket whose rows could not be marked, because another relay now owns it. */
  forget(bucket: number): void {
    this.buckets.delete(bucket);
  }

  /** Releases the leases, so that another relay can take over at once. */
  async release(): Promise<void> {
    await this.database.query(RELEASE, [
      this.owner,
      [...this.buckets.keys()],
      [...this.buckets.values()],
    ]);
    this.buckets.clear();
  }
}

const RENEW = `
  update outbox_bucket b set lease_until = clock_timestamp() + interval '6 s'
  from unnest($2::smallint[], $3::bigint[]) as held (bucket, epoch)
  where b.bucket = held.bucket and b.epoch = held.epoch and b.owner = $1
  returning b.bucket, b.epoch`;

const CLAIM = `
  update outbox_bucket set owner = $1, epoch = epoch + 1,
    lease_until = clock_timestamp() + interval '6 s'
  where bucket in (
    select bucket from outbox_bucket where lease_until < clock_timestamp()
    for update skip locked)
  returning bucket, epoch`;

const RELEASE = `
  update outbox_bucket b set lease_until = '-infinity'
  from unnest($2::smallint[], $3::bigint[]) as held (bucket, epoch)
  where b.bucket = held.bucket and b.epoch = held.epoch and b.owner = $1`;
