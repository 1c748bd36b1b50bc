import pg from 'pg';
import type { AuditorDatabase } from '#libs/database';
import type { BillingUnderTest } from '../billing-under-test.js';

/**
 * Runs queries as the auditor with one reused plan, because planning the invariants takes longer than executing them.
 * All queries of an instance must have the same text.
 */
export class MoneyAuditor implements AuditorDatabase {
  private constructor(private readonly client: pg.Client) {}

  static async open({ test }: BillingUnderTest): Promise<MoneyAuditor> {
    const client = new pg.Client(test.url('billing_auditor'));
    await client.connect();
    // PostgreSQL does not plan a statement with a generic plan again.
    await client.query('set plan_cache_mode = force_generic_plan');
    return new MoneyAuditor(client);
  }

  async query<T = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<T[]> {
    const { rows } = await this.client.query({ name: 'invariants', text, values });
    return rows as T[];
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}
