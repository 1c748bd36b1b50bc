import { Injectable } from '@nestjs/common';
import { isSeenBy, lastSeen, seeingSource } from '../dns/shown-spans.js';
import type { FiledName } from '../names/registrable-name.js';
import { countOf } from '../searches/counted-pages.js';
import type { PagePlace } from '../searches/search-answer.js';
import { SearchDatabase } from '../searches/search-database.js';

export interface StretchRow {
  rtype: number;
  value: string;
  firstAt: Date;
  /**
   * The first time at which the record was absent; null if it still exists. For passive DNS, the last time at which it
   * was present.
   */
  untilAt: Date | null;
  /** When one of the sources last saw the record; null if none of their sightings is known. */
  seenAt: Date | null;
  isPassive: boolean;
  sourceId: number;
}

export interface StretchesAsked {
  name: FiledName;
  rtypes: readonly number[];
  from: string;
  to: string;
  sourceIds: readonly number[];
}

/** A record in the timeline, with its place among those of the same time and type. */
export interface ListedStretch extends StretchRow {
  place: string;
}

/** A time at which a record appeared or disappeared. */
export interface ChangeRow {
  at: Date;
}

const OF_NAME = `domain_key = $1 and name = $2 and host = '' and rtype = any($3::smallint[])
  and ${isSeenBy('s', '$6')}`;
const STRETCHES = `from dns_span s
  where ${OF_NAME} and first_seen < $5 and (until is null or until >= $4)`;
/**
 * The times at which a name's records changed. Sightings by sensors are excluded, because the other
 * records at that time are unknown.
 */
const CHANGES = `from (
    select first_seen as at from dns_span s where ${OF_NAME} and not is_passive
    union select until from dns_span s where ${OF_NAME} and not is_passive) c
  where at >= $4 and at < $5`;
/** A long text is cut, so that it fits into a cursor; its key distinguishes texts with the same beginning. */
const PLACE = `case when length(value) > 200 then left(value, 200) || ' ' || value_key else value end`;
const SELECT = `select rtype, value, first_seen as "firstAt", until as "untilAt",
  ${lastSeen('s', '$6')} as "seenAt", is_passive as "isPassive", ${seeingSource('s', '$6')} as "sourceId"`;

@Injectable()
export class DnsHistoryRepository {
  constructor(private readonly database: SearchDatabase) {}

  /**
   * Lists the records of the name itself that existed within the period, newest first.
   * @param after time, type, place and kind of the last record of the previous page.
   */
  async list(asked: StretchesAsked, { limit, offset, after }: PagePlace): Promise<ListedStretch[]> {
    const [at, ...record] = after ?? ['infinity', '0', '', 'false'];
    return this.database.query(
      `${SELECT}, ${PLACE} as place ${STRETCHES} and (first_seen < $7
         or first_seen = $7 and (rtype, ${PLACE}, is_passive) > ($8::smallint, $9::text, $10::boolean))
       order by first_seen desc, rtype, place, is_passive limit $11 offset $12`,
      [...valuesOf(asked), at, ...record, limit, offset],
    );
  }

  async count(asked: StretchesAsked): Promise<number> {
    return this.counted(`select 1 ${STRETCHES}`, asked);
  }

  /** Lists the times within the period at which records appeared or disappeared, newest first. */
  async listChanges(
    asked: StretchesAsked,
    { limit, offset, after }: PagePlace,
  ): Promise<ChangeRow[]> {
    return this.database.query(
      `select at ${CHANGES} and at < $7 order by at desc limit $8 offset $9`,
      [...valuesOf(asked), after?.[0] ?? 'infinity', limit, offset],
    );
  }

  async countChanges(asked: StretchesAsked): Promise<number> {
    return this.counted(`select 1 ${CHANGES}`, asked);
  }

  async listAt(asked: StretchesAsked, times: readonly Date[]): Promise<StretchRow[]> {
    const bounds = times.map((at) => at.getTime());
    const [oldest, newest] = [Math.min(...bounds), Math.max(...bounds)].map((at) => new Date(at));
    return this.database.query(
      `${SELECT} from dns_span s where ${OF_NAME} and not is_passive
         and first_seen <= $5 and (until is null or until > $4)`,
      [asked.name.key, asked.name.name, asked.rtypes, oldest, newest, asked.sourceIds],
    );
  }

  private async counted(sql: string, asked: StretchesAsked): Promise<number> {
    const [row] = await this.database.query<{ records: number }>(countOf(sql), valuesOf(asked));
    return row.records;
  }
}

function valuesOf({ name, rtypes, from, to, sourceIds }: StretchesAsked): unknown[] {
  return [name.key, name.name, rtypes, from, to, sourceIds];
}
