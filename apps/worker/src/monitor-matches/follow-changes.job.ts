import { Injectable } from '@nestjs/common';
import {
  CHANGES_MAX,
  type CorpusChange,
  type CorpusChanges,
  FRESHEST_NAMES_MAX,
} from '#libs/contracts';
import { Database } from '#libs/database';
import { type Job, MINUTE_MS, crashPoint } from '#libs/platform';
import { FeedCursorsService } from '../feed-cursors/feed-cursors.service.js';
import { ServiceClients } from '../service-clients.js';
import type { Found } from '../monitor-news/monitor-news.js';
import { NewsService } from '../monitor-news/news.service.js';
import { MatchersService } from './matchers.service.js';

const READER = 'monitors';
const RECORDS_TIME_LIMIT_MS = MINUTE_MS;
const FINDS_AT_ONCE = 2_000;
/** The maximum age of a record that is compared with the rules of monitors. */
const RECORD_AGE_SECONDS = 366 * 86_400;
/** The members of a registration that may contain personal data. */
const PEOPLE = /_contact$|^privacy_service$/;

/**
 * Follows the changes to names in the corpus. Compares new names with brand monitors. Compares records with registrant
 * monitors if they are new or their contacts have changed. The cursor is stored once all findings of a page have been
 * reported, so that none is missed. A repeated page reports nothing twice.
 */
@Injectable()
export class FollowChangesJob implements Job {
  readonly name = 'follow-corpus-changes';
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly cursors: FeedCursorsService,
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
      const from = await this.cursors.find(this.database, READER);
      // Without a cursor, the job starts with the changes from now on.
      const page = await this.clients.corpus.changes({ cursor: from, limit: CHANGES_MAX });
      await this.tell(page);
      if (page.changes.length > 0) crashPoint('match.after-tell');
      const move = { from, to: page.cursor };
      const isFirst = await this.database.transaction((transaction) =>
        this.cursors.move(transaction, READER, move),
      );
      hasMore = isFirst && page.hasMore;
    }
  }

  /**
   * Reports a page in as many transactions as its findings need. Monitors at their daily limit get no more findings.
   */
  private async tell(page: CorpusChanges): Promise<void> {
    const full = new Set<string>();
    let waiting: Found[] = [];
    for await (const found of this.foundIn(page)) {
      for (const one of found) {
        if (full.has(one.reader.monitorId)) continue;
        waiting.push(one);
        if (waiting.length < FINDS_AT_ONCE) continue;
        for (const id of await this.tellPart(waiting)) full.add(id);
        waiting = [];
      }
    }
    if (waiting.length > 0) await this.tellPart(waiting);
  }

  private async tellPart(found: readonly Found[]): Promise<Set<string>> {
    this.ending.signal.throwIfAborted();
    return this.database.transaction(async (transaction) => {
      const full = await this.news.tellFinds(transaction, found);
      crashPoint('match.before-commit');
      return full;
    });
  }

  /**
   * Yields the findings of all monitors in the changes. Records are read a few at a time, because those of a whole page
   * may not fit into memory.
   */
  private async *foundIn({ changes, sources }: CorpusChanges): AsyncGenerator<Found[]> {
    if (changes.length === 0) return;
    const { hasBrands, hasRegistrants } = await this.matchers.refresh();
    const shown = new Set(sources.filter(({ isShown }) => isShown).map(({ id }) => id));
    const told = changes.filter(({ sourceId }) => shown.has(sourceId));
    for (const { id, name, unicode } of hasBrands ? told.filter(isNewName) : []) {
      yield this.matchers.matchName(name, unicode, id);
    }
    const registered = hasRegistrants ? told.filter(isOfPeople).map(({ name }) => name) : [];
    const names = [...new Set(registered)];
    for (let at = 0; at < names.length; at += FRESHEST_NAMES_MAX) {
      yield await this.foundInRecords(names.slice(at, at + FRESHEST_NAMES_MAX));
    }
  }

  private async foundInRecords(names: readonly string[]): Promise<Found[]> {
    const found: Found[] = [];
    const asked = { kind: 'whois', names, maxAgeSeconds: RECORD_AGE_SECONDS } as const;
    const limit = AbortSignal.timeout(RECORDS_TIME_LIMIT_MS);
    const signal = AbortSignal.any([this.ending.signal, limit]);
    for await (const { name, record } of this.clients.corpus.freshest(asked, { signal })) {
      if (record) found.push(...this.matchers.matchRecord(name, record));
    }
    return found;
  }
}

const isNewName = ({ kind, subject }: CorpusChange) => kind === 'new' && subject === 'name';

const isOfPeople = ({ subject, isFirst, members }: CorpusChange) =>
  subject === 'whois' && (isFirst || members.some((member) => PEOPLE.test(member)));
