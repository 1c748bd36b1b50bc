import type { Database, MaintenanceDatabase } from '#libs/database';

export interface RecordedEvent {
  type: string;
  key: string;
  aggregate: string;
  data: Record<string, unknown>;
}

/**
 * Returns every event in the outbox of the service whose role `database` uses, in the order they were written, so that
 * tests can compare the exact list.
 * @param key returns only the events of this account.
 */
export async function recordedEvents(
  database: Pick<Database | MaintenanceDatabase, 'query'>,
  key?: string,
): Promise<RecordedEvent[]> {
  return database.query<RecordedEvent>(
    `select type, key, aggregate, data from outbox
     where $1::text is null or key = $1 order by position`,
    [key],
  );
}
