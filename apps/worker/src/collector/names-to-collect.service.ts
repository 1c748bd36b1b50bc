import { Injectable } from '@nestjs/common';
import { NEXT_NAMES_MAX } from '#libs/contracts';
import { Database } from '#libs/database';
import { Clock, DAY_MS, SECOND_MS, crashPoint } from '#libs/platform';
import { FeedCursorsService } from '../feed-cursors/feed-cursors.service.js';
import { ServiceClients } from '../service-clients.js';
import {
  type CollectedKind,
  CollectedNamesRepository,
  RANKS,
} from './collected-names.repository.js';

const KINDS: readonly CollectedKind[] = ['dns', 'whois'];
/**
 * While fewer names than this are waiting, names that have not been looked up for a long time are added. Names whose
 * servers do not answer wait for hours, and must not hold up all others.
 */
const FEW = 20_000;
/** While more names than this are waiting, new names are not added; the pass over all names finds them later. */
const MANY = 500_000;
/** How long after a lookup a name is due again. */
export const OLD_DAYS: Readonly<Record<CollectedKind, number>> = { whois: 30, dns: 7 };
const CHANGES = 1_000;
const FEED_READER = 'collector';
/** Returns the name under which the position in the pass over all names is stored. */
const roundReader = (kind: CollectedKind) => `collector ${kind}`;

@Injectable()
export class NamesToCollectService {
  constructor(
    private readonly database: Database,
    private readonly names: CollectedNamesRepository,
    private readonly cursors: FeedCursorsService,
    private readonly clients: ServiceClients,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a page of new names from sources whose names may be looked up, unless very many names are waiting.
   * @returns whether there are more.
   */
  async takeNew(): Promise<boolean> {
    const cursor = await this.cursors.find(this.database, FEED_READER);
    const page = await this.clients.corpus.changes({ cursor, limit: CHANGES });
    const allowed = new Set(page.sources.filter((one) => one.isLookedUp).map(({ id }) => id));
    const fresh = page.changes.filter(
      ({ kind, subject, sourceId, isShownFirst }) =>
        kind === 'new' && subject === 'name' && !isShownFirst && allowed.has(sourceId),
    );
    const names = [...new Set(fresh.map(({ name }) => name))];
    const when = { rank: RANKS.new, dueAt: this.clock.now() };
    await this.database.transaction(async (transaction) => {
      for (const kind of names.length > 0 ? KINDS : []) {
        if ((await this.names.count(transaction, kind)) >= MANY) continue;
        await this.names.add(transaction, kind, names, when);
      }
      await this.cursors.put(transaction, FEED_READER, page.cursor);
      if (names.length > 0) crashPoint('collect.before-commit');
    });
    if (names.length > 0) crashPoint('collect.after-commit');
    return page.hasMore;
  }

  /**
   * If few names are waiting, adds the next names, in the corpus's order, that have not been looked up for a long time.
   * The pass starts again after the last name.
   */
  async takeOld(kind: CollectedKind): Promise<void> {
    await this.names.forgetGivenUp(this.database, kind, this.clock.now());
    if ((await this.names.count(this.database, kind)) >= FEW) return;
    const cursor = await this.cursors.find(this.database, roundReader(kind));
    const after = cursor ? (JSON.parse(cursor) as { key: string; name: string }) : undefined;
    const page = await this.clients.corpus.nextNames({
      kind,
      olderThanSeconds: (OLD_DAYS[kind] * DAY_MS) / SECOND_MS,
      ...(after && { after }),
      limit: NEXT_NAMES_MAX,
    });
    const when = { rank: RANKS.old, dueAt: this.clock.now() };
    await this.database.transaction(async (transaction) => {
      const names = page.names.map(({ name }) => name);
      if (names.length > 0) await this.names.add(transaction, kind, names, when);
      const next = page.after ? JSON.stringify(page.after) : '';
      await this.cursors.put(transaction, roundReader(kind), next);
    });
  }
}
