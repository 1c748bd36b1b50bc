export interface ExportedTable {
  table: string;
  /** The SQL expression for the account's id in a row, or a condition on `$1`; by default `account_id`. */
  ownedBy?: string;
  /** The columns, with SQL types, that order the pages; unique in combination. */
  key: Readonly<Record<string, string>>;
  /** The exported columns, or SQL `<expression> as <column>`. */
  columns: readonly string[];
  withheld?: Readonly<Record<string, string>>;
  encrypted?: readonly string[];
}

export type ExportedRow = Record<string, unknown>;

export type DecryptColumn = (
  encrypted: Buffer,
  row: ExportedRow,
  accountId: string,
) => Promise<unknown>;

export interface ExportedSchema {
  tables: readonly ExportedTable[];
  withheld: Readonly<Record<string, string>>;
}

export const WITHHELD_MESSAGING = {
  migrations: 'names of schema changes',
  event_sequence: 'a counter',
  outbox: 'events that are being delivered, made of rows that are exported',
  outbox_bucket: 'who sends events',
  inbox: 'ids of events that arrived',
  inbox_sequence: 'counters',
  failed_event: 'events that have not been handled yet, made of rows that their sender exports',
  job_lease: 'who runs a job',
  partitioned_table: 'names of tables',
  detached_partition: 'names of tables',
} as const;
