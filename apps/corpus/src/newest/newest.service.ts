import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS } from '#libs/platform';
import { PASSIVE_DAYS } from '../dns/shown-spans.js';
import type { Registration } from '../records/registration.js';
import { stillPublished } from '../records/still-published.js';
import { scopeOfZone } from '../sources/source.js';
import { type NewestDns, NewestRepository, type PagedName } from './newest.repository.js';

export interface NewestRecord {
  name: string;
  observedAt: Date;
  lastAt: Date;
  sourceId: number;
  record: Registration;
}

export interface FirstSeen {
  name: string;
  sourceId: number;
  firstAt: Date;
}

@Injectable()
export class NewestService {
  constructor(
    private readonly repository: NewestRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the newest complete records by name, from sources whose data may be shown, without personal data that the
   * newest record of all sources withholds.
   */
  async records(
    names: readonly PagedName[],
    sourceIds: readonly number[],
  ): Promise<Map<string, NewestRecord>> {
    if (names.length === 0) return new Map();
    const rows = await this.repository.listRecords(names, sourceIds);
    return new Map(
      rows.flatMap(({ name, record, newest, sourceId, observedAt, lastAt }) => {
        if (!record) return [];
        const shown = stillPublished(record, newest);
        const seen = { sourceId: sourceId!, observedAt: observedAt!, lastAt: lastAt! };
        return [[name, { name, ...seen, record: shown }] as const];
      }),
    );
  }

  /** Returns the current name and mail servers by name, from sources whose data may be shown. */
  async dns(
    names: readonly PagedName[],
    sourceIds: readonly number[],
  ): Promise<Map<string, NewestDns>> {
    if (names.length === 0) return new Map();
    const passiveSince = new Date(this.clock.now().getTime() - PASSIVE_DAYS * DAY_MS);
    const rows = await this.repository.listDns(names, { sourceIds, passiveSince });
    return new Map(rows.map((row) => [row.name, row]));
  }

  /**
   * Returns those of the names that their source added after its first list of their zone. For any other name, a first
   * sighting says nothing about the age, because the name may have been registered for years.
   */
  async added(names: readonly FirstSeen[]): Promise<Set<string>> {
    if (names.length === 0) return new Set();
    const sourceIds = new Set(names.map(({ sourceId }) => sourceId));
    const scopes = new Set(names.flatMap(({ name }) => scopesOf(name)));
    const lists = await this.repository.listFirstLists([...sourceIds], [...scopes]);
    const isAdded = ({ name, sourceId, firstAt }: FirstSeen) =>
      lists.some(
        (list) =>
          list.sourceId === sourceId && list.at < firstAt && scopesOf(name).includes(list.scope),
      );
    return new Set(names.filter(isAdded).map(({ name }) => name));
  }
}

/** Returns the scopes of the lists that may contain a name: the zones above the name. */
function scopesOf(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(1).map((_, place) => scopeOfZone(labels.slice(place + 1).join('.')));
}
