import { Injectable } from '@nestjs/common';
import type { Registration } from '../records/registration.js';
import { stillPublished } from '../records/still-published.js';
import { type NewestDns, NewestRepository, type PagedName } from './newest.repository.js';

/** The newest complete record of a name. */
export interface NewestRecord {
  name: string;
  observedAt: Date;
  lastAt: Date;
  sourceId: number;
  record: Registration;
}

/** The current data of names, for searches whose pages show it. */
@Injectable()
export class NewestService {
  constructor(private readonly repository: NewestRepository) {}

  /**
   * The newest complete records by name, from sources that may be shown, without personal data that the newest record
   * of all sources does not publish.
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

  /** The DNS records of names, by name, from sources that may be shown. */
  async dns(
    names: readonly PagedName[],
    sourceIds: readonly number[],
  ): Promise<Map<string, NewestDns>> {
    if (names.length === 0) return new Map();
    const rows = await this.repository.listDns(names, sourceIds);
    return new Map(rows.map((row) => [row.name, row]));
  }
}
