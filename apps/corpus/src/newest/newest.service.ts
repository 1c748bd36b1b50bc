import { Injectable } from '@nestjs/common';
import {
  type NewestDns,
  type NewestRecord,
  NewestRepository,
  type PagedName,
} from './newest.repository.js';

/** What is known of names now, for searches whose pages show it. */
@Injectable()
export class NewestService {
  constructor(private readonly repository: NewestRepository) {}

  /** The newest complete records by name. */
  async records(names: readonly PagedName[]): Promise<Map<string, NewestRecord>> {
    if (names.length === 0) return new Map();
    const rows = await this.repository.listRecords(names);
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** What names have in the DNS, by name, from sources that may be shown. */
  async dns(
    names: readonly PagedName[],
    sourceIds: readonly number[],
  ): Promise<Map<string, NewestDns>> {
    if (names.length === 0) return new Map();
    const rows = await this.repository.listDns(names, sourceIds);
    return new Map(rows.map((row) => [row.name, row]));
  }
}
