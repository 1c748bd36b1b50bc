import { domainToUnicode } from 'node:url';
import { Injectable } from '@nestjs/common';
import {
  type ChangesAsked,
  type CorpusChange,
  type CorpusChanges,
  type CorpusSource,
  type NextNames,
  type NextNamesAsked,
  type SuppressedHashes,
  type SuppressedHashesAsked,
  type SuppressionVersion,
  versionFor,
} from '#libs/contracts';
import { Clock, HOUR_MS, SECOND_MS, ServiceUnavailable } from '#libs/platform';
import { ALL_KEYS } from '../names/domain-key.js';
import { SuppressionsService } from '../suppression/suppressions.service.js';
import {
  type ChangesCursor,
  EMPTY_SNAPSHOT,
  START,
  cursorOf,
  cursorText,
} from './changes-cursor.js';
import { type ChangeRow, FeedRepository } from './feed.repository.js';

const LIMIT = 1_000;
const HASHES_MAX = 10_000;
/**
 * How far back changes are repeated after a restart or restore of the server: longer than any transaction that writes
 * changes.
 */
const REPEATED_MS = HOUR_MS;

@Injectable()
export class FeedService {
  constructor(
    private readonly repository: FeedRepository,
    private readonly suppressions: SuppressionsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the changes that have become visible since the cursor or, without one, those that were recorded since
   * `since`; without either, only the cursor of this moment. Late commits are not missed. Nothing is delivered twice
   * unless the database server was restarted or restored; then the hour before the cursor is repeated.
   * @throws InvalidRequest; ServiceUnavailable on a standby, because its empty answer would not mean that nothing has
   *   changed.
   */
  async changes({ cursor, since, limit = LIMIT }: ChangesAsked): Promise<CorpusChanges> {
    if (cursor !== undefined) return this.behind(cursorOf(cursor), limit);
    if (since !== undefined) return this.since(new Date(since), limit);
    const { moment } = await this.read({ ...START, seen: EMPTY_SNAPSHOT }, 0);
    const { token, snapshot: seen } = moment;
    return this.page([], { ...START, token, seen, at: moment.at.toISOString() });
  }

  async nextNames(asked: NextNamesAsked): Promise<NextNames> {
    const { kind, olderThanSeconds, limit = LIMIT } = asked;
    const sources = await this.repository.listSources();
    const rows = await this.repository.listNext({
      ...ALL_KEYS,
      ...asked,
      kind,
      before: new Date(this.clock.now().getTime() - olderThanSeconds * SECOND_MS),
      sourceIds: sources.filter(({ isLookedUp }) => isLookedUp).map(({ id }) => id),
      after: asked.after ?? { key: asked.fromKey ?? ALL_KEYS.fromKey, name: '' },
      limit,
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      names: rows.filter(({ isDue }) => isDue).map(({ key, name }) => ({ key, name })),
      after: last ? { key: last.key, name: last.place } : null,
    };
  }

  async suppressionVersion(): Promise<SuppressionVersion> {
    return this.repository.suppressionVersion();
  }

  /** Returns the next hashes of suppressions after a version, and the version that they lead to. */
  async suppressedHashes({ dataset, after }: SuppressedHashesAsked): Promise<SuppressedHashes> {
    // If `versionFor` returns the version of the domains, only suppressed domains matter to the dataset.
    const isDomains = versionFor(dataset, { version: 0, domains: 1 }) === 1;
    const rows = await this.repository.listSuppressed({ after, isDomains, limit: HASHES_MAX });
    return { hashes: rows.map(({ hash }) => hash), version: rows.at(-1)?.version ?? after };
  }

  async suppressedNames(names: readonly string[]): Promise<string[]> {
    const values = await this.suppressions.values();
    return names.filter((name) => values.hasName(name));
  }

  /** Returns the sources of data, with their permitted uses. */
  async sources(): Promise<CorpusSource[]> {
    return this.repository.listSources();
  }

  private async behind(cursor: ChangesCursor, limit: number): Promise<CorpusChanges> {
    const { moment, changes } = await this.read(cursor, limit);
    if (moment.token !== cursor.token) {
      const since = new Date(Date.parse(cursor.at) - REPEATED_MS);
      return { ...(await this.since(since, limit)), isRepeated: true };
    }
    return this.next(cursor, { moment, changes, limit });
  }

  private async since(at: Date, limit: number): Promise<CorpusChanges> {
    const from = await this.repository.leastId(at);
    const begin = { ...START, from, seen: EMPTY_SNAPSHOT };
    const read = await this.read(begin, limit);
    const cursor = { ...begin, token: read.moment.token, at: at.toISOString() };
    return this.next(cursor, { ...read, limit });
  }

  private async next(
    cursor: ChangesCursor,
    { moment, changes, limit }: Awaited<ReturnType<FeedService['read']>> & { limit: number },
  ): Promise<CorpusChanges> {
    const { until = moment.snapshot, token } = cursor;
    const at = cursor.until ? cursor.at : moment.at.toISOString();
    const last = changes.length === limit ? changes.at(-1)! : undefined;
    return last
      ? this.page(changes, { ...cursor, until, at, xid: last.xid, id: last.id })
      : this.page(changes, { ...START, token, seen: until, at });
  }

  private async page(rows: readonly ChangeRow[], cursor: ChangesCursor): Promise<CorpusChanges> {
    return {
      changes: rows.map(toldChange),
      sources: await this.repository.listSources(),
      cursor: cursorText(cursor),
      hasMore: cursor.until !== undefined,
      isRepeated: false,
    };
  }

  private async read(cursor: Omit<ChangesCursor, 'token' | 'at'>, limit: number) {
    const read = await this.repository.read(cursor, limit);
    if (read.moment.isStandby) throw new ServiceUnavailable('primary database');
    return read;
  }
}

function toldChange({ xid: _xid, at, members, ...change }: ChangeRow): CorpusChange {
  return {
    ...change,
    unicode: domainToUnicode(change.name),
    members: [...members],
    observedAt: new Date(at).toISOString(),
  };
}
