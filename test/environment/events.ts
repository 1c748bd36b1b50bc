import type { Database, MaintenanceDatabase } from '#libs/database';

export interface RecordedEvent {
  type: string;
  key: string;
  aggregate: string;
  data: Record<string, unknown>;
}

/** Returns the events in a service's outbox, all or those of one key, in the order of writing. */
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
