import { Injectable } from '@nestjs/common';
import { WORK_OPERATIONS, type WorkDay } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';

export interface UsedCreditsRow {
  /** The id of the new line; ignored if the day already has a line for this operation. */
  id: string;
  accountId: string;
  /** The day in UTC, as `YYYY-MM-DD`. */
  day: string;
  operation: string;
  credits: number;
}

@Injectable()
export class UsedCreditsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds usage to the lines of its days and operations. The accounts are locked, so no two transactions write the same
   * line.
   */
  async add(transaction: Transaction, rows: UsedCreditsRow[]): Promise<void> {
    await transaction.query(ADD, [JSON.stringify(rows)]);
  }

  async listWork(accountId: string, from: string, to: string): Promise<WorkDay[]> {
    const rows = await this.database.query<Omit<WorkDay, 'credits'> & { credits: string }>(
      `select to_char(day, 'YYYY-MM-DD') as date, operation, credits from used_credits
       where account_id = $1 and day between $2 and $3 and operation = any($4)
       order by day, operation`,
      [accountId, from, to, WORK_OPERATIONS],
    );
    return rows.map((row) => ({ ...row, credits: Number(row.credits) }));
  }
}

const ADD = `
  insert into used_credits (id, account_id, day, operation, credits)
  select id, "accountId", day, operation, credits from jsonb_to_recordset($1) as used(id uuid,
    "accountId" uuid, day date, operation text, credits bigint)
  on conflict (account_id, day, operation) do update
    set credits = used_credits.credits + excluded.credits`;
