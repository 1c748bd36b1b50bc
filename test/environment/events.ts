import type { Database, MaintenanceDatabase } from '#libs/database';

/** An event as a test asserts it. */
export interface RecordedEvent {
  type: string;
  key: string;
  aggregate: string;
  data: Record<string, unknown>;
}

/**
 * Every event in the outbox of the service whose role `database` uses, in the order in which they were written. Meant
 * for asserting the exact list.
 * @param key only the events of this account.
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
