import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { IsInstant } from '../events/rules.js';

const ENTRIES_MAX = 1_000;
/** A time that sorts after every event. */
export const END_OF_TIME = new Date('9999-12-31T23:59:59Z');

/** An event of an account, as reported by the service that owns the event. */
export interface TimelineEntry {
  /** RFC 3339. */
  at: string;
  /** The kind of the event, such as `audit`, `mail`, `order`, `payment`, `callback` or `credits`. */
  kind: string;
  text: string;
  /** The id to use in further commands. */
  id: string;
}

/**
 * A request for a page of entries, newest first. The page contains all entries with the time of its last entry, so that
 * the next page begins before that time.
 */
export class TimelineQuestion {
  /** RFC 3339: only entries before this time. */
  @IsOptional()
  @IsInstant()
  before?: string;

  /** The number of entries, at most 1,000. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(ENTRIES_MAX)
  limit: number;
}

/** A request for account's part of the timeline; by default, without inspections by operators. */
export class AccountTimelineQuestion extends TimelineQuestion {
  @IsOptional()
  @IsIn(['shown'])
  inspections?: 'shown';
}

export class InspectionsQuestion {
  /** RFC 3339: only entries since this time; by default, from the beginning. */
  @IsOptional()
  @IsInstant()
  from?: string;

  /** RFC 3339: only entries before this time. */
  @IsOptional()
  @IsInstant()
  before?: string;
}

export interface TimelineRow extends Omit<TimelineEntry, 'at'> {
  at: Date;
}

/** Answers a timeline request from a service's own rows. */
export async function timelineOf(
  rows: { list(accountId: string, before: Date, limit: number): Promise<TimelineRow[]> },
  accountId: string,
  { before, limit }: TimelineQuestion,
): Promise<TimelineEntry[]> {
  const found = await rows.list(accountId, before ? new Date(before) : END_OF_TIME, limit);
  return found.map(({ at, ...entry }) => ({ at: at.toISOString(), ...entry }));
}

/** Returns the path of a timeline request, which is the same at each service. */
export function timelinePath({ before, limit }: TimelineQuestion): string {
  const query = new URLSearchParams({ limit: String(limit), ...(before && { before }) });
  return `/internal/operator/timeline?${query}`;
}
