import { Injectable } from '@nestjs/common';
import type {
  AskedPage,
  BalanceAnswer,
  BalanceExplanation,
  CreditsOverview,
  LedgerLine,
  Page,
  UsageV1Answer,
} from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, DAY_MS } from '#libs/platform';
import { AllowancesService } from '../allowances/allowances.service.js';
import { GrantsService } from '../grants/grants.service.js';
import { explain } from './explanation.js';
import { StatementRepository } from './statement.repository.js';
import { usageV1Answer } from './usage-v1-answer.js';

const BATCH = 2_000;
const OVERVIEW_DAYS = 30;
const OVERVIEW_LINES = 50;

export interface Statement {
  balance: BalanceAnswer;
  lines: Page<LedgerLine>;
}

@Injectable()
export class StatementService {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantsService,
    private readonly allowances: AllowancesService,
    private readonly repository: StatementRepository,
    private readonly clock: Clock,
  ) {}

  /** Reads the balance and a page of the ledger in one snapshot. */
  async read(accountId: string, asked: AskedPage): Promise<Statement> {
    return this.database.snapshot(async (transaction) => {
      const [balance, lines] = await Promise.all([
        this.grants.balanceIn(transaction, accountId),
        this.lines(accountId, asked, transaction),
      ]);
      return { balance, lines };
    });
  }

  async usageV1(accountId: string): Promise<UsageV1Answer> {
    return usageV1Answer(await this.grants.list(accountId), this.clock.now());
  }

  /** Lists a page of the ledger, newest first. */
  async lines(
    accountId: string,
    asked: AskedPage,
    transaction?: Transaction,
  ): Promise<Page<LedgerLine>> {
    const { after, limit } = asked;
    const rows = await this.repository.listLines(accountId, after, limit, transaction);
    return asked.cut(rows, placeOf);
  }

  /** Reads what the overview shows, in one snapshot. */
  async overview(accountId: string): Promise<CreditsOverview> {
    const firstDay = new Date(this.clock.now().getTime() - (OVERVIEW_DAYS - 1) * DAY_MS);
    const asked = { from: firstDay.toISOString().slice(0, 10), limit: OVERVIEW_LINES };
    return this.database.snapshot(async (transaction) => {
      const [balance, allowance, lines] = await Promise.all([
        this.grants.balanceIn(transaction, accountId),
        this.allowances.findIn(transaction, accountId),
        this.repository.listRecent(transaction, accountId, asked),
      ]);
      return { balance, allowance, ...lines };
    });
  }

  /**
   * Applies due dates, then reads balance and ledger in one snapshot, so that they agree even while credits are spent.
   */
  async explain(accountId: string): Promise<BalanceExplanation> {
    await this.database.transaction((transaction) => this.grants.advance(transaction, [accountId]));
    return this.database.snapshot(async (transaction) => {
      const balance = await this.grants.balanceIn(transaction, accountId);
      return explain(balance, await this.allLines(transaction, accountId));
    });
  }

  private async allLines(transaction: Transaction, accountId: string): Promise<LedgerLine[]> {
    const lines: LedgerLine[] = [];
    for (;;) {
      const before = lines.at(-1)?.id.split('.');
      const batch = await this.repository.listLines(accountId, before, BATCH, transaction);
      lines.push(...batch);
      if (batch.length < BATCH) return lines;
    }
  }
}

/** Returns a line's values in the cursor of the page after it: its place, and the credits before it. */
function placeOf({ id, amount, balance }: LedgerLine): string[] {
  const before = balance === undefined ? [] : [String(Number(balance) - Number(amount))];
  return [...id.split('.'), ...before];
}
