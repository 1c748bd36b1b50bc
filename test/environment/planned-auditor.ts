import pg from 'pg';
import type { AuditorDatabase } from '#libs/database';

/**
 * Runs queries as an auditor with one reused plan, because planning the invariants takes longer than executing them.
 * All queries of an instance must have the same text.
 */
export class PlannedAuditor implements AuditorDatabase {
  private constructor(private readonly client: pg.Client) {}

  /** @param url the URL of a service's auditor. */
  static async open(url: string): Promise<PlannedAuditor> {
    const client = new pg.Client(url);
    await client.connect();
    // PostgreSQL does not plan a statement with a generic plan again.
    await client.query('set plan_cache_mode = force_generic_plan');
    return new PlannedAuditor(client);
  }

  async query<T = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<T[]> {
    const { rows } = await this.client.query({ name: 'invariants', text, values });
    return rows as T[];
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}
