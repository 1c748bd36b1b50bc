import type { Database } from '#libs/database';
import { HOUR_MS, type Logger, Loop } from '#libs/platform';

const DELETE_LIMIT = 10_000;

/**
 * Deletes discarded events after 30 days. This is longer than a broker keeps them; otherwise, a late redelivery would
 * be handled. Retrying and dead events stay until they are handled or discarded.
 */
export class DiscardedReaper {
  private readonly loop: Loop;

  constructor(options: { consumer: string; database: Database; logger: Logger }) {
    this.loop = new Loop({
      name: `${options.consumer}: delete discarded events`,
      intervalMs: HOUR_MS,
      logger: options.logger,
      work: () => this.deleteOld(options.database, options.consumer),
    });
  }

  start(): void {
    void this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  private async deleteOld(database: Database, consumer: string): Promise<void> {
    const [{ deleted }] = await database.query<{ deleted: number }>(DELETE_OLD, [
      consumer,
      DELETE_LIMIT,
    ]);
    if (deleted === DELETE_LIMIT) this.loop.wake();
  }
}

const DELETE_OLD = `
  with gone as (
    delete from failed_event where consumer = $1 and event_id in (
      select event_id from failed_event
      where consumer = $1 and state = 'discarded'
        and settled_at < clock_timestamp() - interval '30 days' limit $2)
    returning 1)
  select count(*)::int as deleted from gone`;
