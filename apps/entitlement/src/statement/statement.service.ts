import { Injectable } from '@nestjs/common';
import type { BalanceAnswer, BalanceExplanation, LedgerLine } from '#libs/contracts';
import { Database, type Page, type Transaction, readCursor, toPage } from '#libs/database';
import { InvalidRequest, isId } from '#libs/platform';
import { GrantsService } from '../grants/grants.service.js';
import { explain } from './explanation.js';
import { StatementRepository } from './statement.repository.js';

const LINES_PER_PAGE = 50;
/** Lines read at once for an explanation. */
const BATCH = 2_000;
const KIND = /^[a-z]{1,20}$/;

/** The balance and one page of the ledger, as customers read them. */
export interface Statement {
  balance: BalanceAnswer;
  lines: Page<LedgerLine>;
}

/** An account's credits as their owner reads them: what is left, and what became of the rest. */
@Injectable()
export class StatementService {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantsService,
    private readonly repository: StatementRepository,
  ) {}

  /** @throws InvalidRequest for a cursor that is not ours. */
  async read(accountId: string, cursor?: string): Promise<Statement> {
    const before = positionOf(cursor);
    // First, as it applies time: slices that begin and credits that end are lines of the ledger.
    const balance = await this.grants.balance(accountId);
    return { balance, lines: await this.page(accountId, before) };
  }

  /**
   * A page of the ledger, newest first.
   * @throws InvalidRequest for a cursor that is not ours.
   */
  async lines(accountId: string, cursor?: string): Promise<Page<LedgerLine>> {
    return this.page(accountId, positionOf(cursor));
  }

  /** Time is applied first; then balance and ledger are read as of one moment, however much is spent meanwhile. */
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

  private async page(accountId: string, before?: string[]): Promise<Page<LedgerLine>> {
    const rows = await this.repository.listLines(accountId, before, LINES_PER_PAGE + 1);
    return toPage(rows, LINES_PER_PAGE, ({ id }) => id.split('.'));
  }
}

/** Reads a cursor: the id of a transfer and the kind of one of its lines. */
function positionOf(cursor: string | undefined): string[] | undefined {
  if (cursor === undefined) return undefined;
  const values = readCursor(cursor, 2);
  if (values && isId(values[0]) && KIND.test(values[1])) return values;
  throw new InvalidRequest([{ field: 'cursor', message: 'is not a valid cursor' }]);
}
