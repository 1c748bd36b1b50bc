import { Injectable } from '@nestjs/common';
import type { Balance, LedgerLine } from '#libs/contracts';
import { type Page, readCursor, toPage } from '#libs/database';
import { InvalidRequest, isId } from '#libs/platform';
import { GrantsService } from '../grants/grants.service.js';
import { StatementRepository } from './statement.repository.js';

const LINES_PER_PAGE = 50;
const KIND = /^[a-z]{1,20}$/;

/** What a customer reads of his credits. */
export interface Statement {
  balance: Balance;
  lines: Page<LedgerLine>;
}

/** An account's credits as their owner reads them: what is left, and what became of the rest. */
@Injectable()
export class StatementService {
  constructor(
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

  private async page(accountId: string, before?: string[]): Promise<Page<LedgerLine>> {
    const rows = await this.repository.listLines(accountId, before, LINES_PER_PAGE + 1);
    return toPage(rows, LINES_PER_PAGE, ({ id }) => id.split('.'));
  }
}

/** Of a line: the movement that it belongs to, and which of its lines it is. */
function positionOf(cursor: string | undefined): string[] | undefined {
  if (cursor === undefined) return undefined;
  const values = readCursor(cursor, 2);
  if (values && isId(values[0]) && KIND.test(values[1])) return values;
  throw new InvalidRequest([{ field: 'cursor', message: 'is not a valid cursor' }]);
}
