import { Injectable } from '@nestjs/common';
import {
  CHANGES_MAX,
  type CorpusChange,
  type CorpusChanges,
  FRESHEST_NAMES_MAX,
} from '#libs/contracts';
import { Database } from '#libs/database';
import { type Job, MINUTE_MS } from '#libs/platform';
import { ServiceClients } from '../../service-clients.js';
import { NewsService } from '../news/news.service.js';
import { type Found, MatchersService } from './matchers.service.js';
import { MatchesMaintenanceRepository } from './matches-maintenance.repository.js';

const READER = 'monitors';
const RECORDS_TIME_LIMIT_MS = MINUTE_MS;
/** A record is as fresh as the change that was just told. */
const RECORD_AGE_SECONDS = 366 * 86_400;
/** Members of a registration in which somebody may come up. */
const PEOPLE = /_contact$|^privacy_service$/;

/**
 * Follows what becomes of names in the corpus, and compares each new name and each new registration once with all
 * monitors. What was found and how far was read are noted together, so that nothing is missed or told twice.
 */
@Injectable()
export class FollowChangesJob implements Job {
  readonly name = 'follow-corpus-changes';
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();

  // oxlint-disable-next-line eslint/max-params -- a constructor may have six
  constructor(
    private readonly database: Database,
    private readonly rows: MatchesMaintenanceRepository,
    private readonly matchers: MatchersService,
    private readonly news: NewsService,
    private readonly clients: ServiceClients,
  ) {}

  async runOnce(): Promise<void> {
    if (this.ending.signal.aborted) return;
    this.running = this.follow();
    await this.running;
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.running.catch(() => {});
  }

  private async follow(): Promise<void> {
    for (let hasMore = true; hasMore && !this.ending.signal.aborted;) {
      const from = await this.rows.findCursor(this.database, READER);
      // Without a cursor it begins now.
      const page = await this.clients.corpus.changes({ cursor: from, limit: CHANGES_MAX });
      const found = await this.foundIn(page);
      const isFirst = await this.database.transaction(async (transaction) => {
        const move = { from, to: page.cursor };
        if (!(await this.rows.moveCursor(transaction, READER, move))) return false;
        await this.news.tell(transaction, found);
        return true;
      });
      hasMore = isFirst && page.hasMore;
    }
  }

  private async foundIn({ changes, sources }: CorpusChanges): Promise<Found[]> {
    if (changes.length === 0) return [];
    const { hasBrands, hasRegistrants } = await this.matchers.refresh();
    const shown = new Set(sources.filter(({ isShown }) => isShown).map(({ id }) => id));
    const told = changes.filter(({ sourceId }) => shown.has(sourceId));
    const fresh = hasBrands ? told.filter(isNewName) : [];
    const byName = fresh.flatMap(({ id, name, unicode }) =>
      this.matchers.matchName(name, unicode, id),
    );
    const registered = hasRegistrants ? told.filter(isOfPeople).map(({ name }) => name) : [];
    return [...byName, ...(await this.foundInRecords([...new Set(registered)]))];
  }

  private async foundInRecords(names: readonly string[]): Promise<Found[]> {
    const found: Found[] = [];
    for (let at = 0; at < names.length; at += FRESHEST_NAMES_MAX) {
      const part = names.slice(at, at + FRESHEST_NAMES_MAX);
      const asked = { kind: 'whois', names: part, maxAgeSeconds: RECORD_AGE_SECONDS } as const;
      const limit = AbortSignal.timeout(RECORDS_TIME_LIMIT_MS);
      const signal = AbortSignal.any([this.ending.signal, limit]);
      for await (const { name, record } of this.clients.corpus.freshest(asked, { signal })) {
        if (record) found.push(...this.matchers.matchRecord(name, record));
      }
    }
    return found;
  }
}

const isNewName = ({ kind, subject }: CorpusChange) => kind === 'new' && subject === 'name';

const isOfPeople = ({ subject, isFirst, members }: CorpusChange) =>
  subject === 'whois' && (isFirst || members.some((member) => PEOPLE.test(member)));
