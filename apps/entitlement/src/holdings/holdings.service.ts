import { Injectable } from '@nestjs/common';
import type { GrantPage, LineSums, Owned } from '#libs/contracts';
import { Database, readCursor, toPage } from '#libs/database';
import { InvalidRequest, isId } from '#libs/platform';
import type { Subscription } from '../subscriptions/subscription.entity.js';
import { rightsEnd } from '../subscriptions/subscription.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { HoldingsRepository } from './holdings.repository.js';

const GRANTS_PER_PAGE = 100;

@Injectable()
export class HoldingsService {
  constructor(
    private readonly database: Database,
    private readonly repository: HoldingsRepository,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  /**
   * Sums the effects of lines, so that billing can compare them with its own lines each day (I21). Unknown ids are
   * omitted.
   */
  async sums(lineIds: string[]): Promise<LineSums[]> {
    return this.repository.listLines(lineIds);
  }

  /** Reads an account's holdings without a lock and without applying due dates. */
  async owned(accountId: string): Promise<Owned> {
    const [packages, debt, subscriptions] = await Promise.all([
      this.repository.listPackages(accountId),
      this.repository.sumDebt(accountId),
      this.database.transaction((transaction) => this.subscriptions.list(transaction, [accountId])),
    ]);
    return { packages, debt, subscriptions: subscriptions.map(shown) };
  }

  /**
   * Lists a page of all grants with their sources, newest first.
   * @throws InvalidRequest for an invalid cursor.
   */
  async grants(accountId: string, cursor?: string): Promise<GrantPage> {
    const before = cursor === undefined ? undefined : readGrantCursor(cursor);
    const rows = await this.repository.listGrants(accountId, before, GRANTS_PER_PAGE + 1);
    // The database driver returns a Date, and only its ISO text contains the milliseconds.
    return toPage(rows, GRANTS_PER_PAGE, ({ issuedAt, id }) => [
      new Date(issuedAt).toISOString(),
      id,
    ]);
  }
}

function readGrantCursor(cursor: string): { issuedAt: string; id: string } {
  const [issuedAt = '', id = ''] = readCursor(cursor, 2) ?? [];
  if (!isInstant(issuedAt) || !isId(id)) {
    throw new InvalidRequest([{ field: 'cursor', message: 'is not a valid cursor' }]);
  }
  return { issuedAt, id };
}

/**
 * Whether a time is written as by `toISOString`. JavaScript also accepts texts that PostgreSQL rejects, such as
 * `2026-02-30`.
 */
function isInstant(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString() === text;
}

function shown(subscription: Subscription): Owned['subscriptions'][number] {
  const { id, line, state, sku, quantity, interval, paidThrough, cancelAt } = subscription;
  return {
    id,
    line,
    state,
    sku,
    quantity,
    interval,
    periodStart: subscription.periodStart.toISOString(),
    periodEnd: subscription.periodEnd.toISOString(),
    paidThrough: paidThrough?.toISOString(),
    cancelAt: cancelAt?.toISOString(),
    rightsUntil: rightsEnd(subscription)?.toISOString(),
  };
}
