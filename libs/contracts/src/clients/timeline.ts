import { Type } from 'class-transformer';
import { IsIn, IsInt, IsISO8601, IsOptional, Max, Min } from 'class-validator';

const ENTRIES_MAX = 1_000;
/** Sorts after every event. */
export const END_OF_TIME = new Date('9999-12-31T23:59:59Z');

/** One event in the life of an account, as reported by the service that owns it. */
export interface TimelineEntry {
  /** RFC 3339. */
  at: string;
  /** `audit`, `mail`, `order`, `payment`, `refund`, `callback`, `event`, `credits`, … */
  kind: string;
  /** The event in a few words. */
  text: string;
  /** The id to ask further with. */
  id: string;
}

/**
 * Entries newest first. One that shares its time with the last of them is among them too, so that
 * whatever is older than the last one's time is the next page.
 */
export class TimelineQuestion {
  /** RFC 3339: only what is older. */
  @IsOptional()
  @IsISO8601()
  before?: string;

  /** At most 1,000. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(ENTRIES_MAX)
  limit: number;
}

/** Inspections by operators are left out of account's part unless they are asked for. */
export class AccountTimelineQuestion extends TimelineQuestion {
  @IsOptional()
  @IsIn(['shown'])
  inspections?: 'shown';
}

/** A page of the timeline, whose inspections are counted. */
export class InspectionsQuestion {
  /** RFC 3339: not what is older; from the beginning without it. */
  @IsOptional()
  @IsISO8601()
  from?: string;

  /** RFC 3339: only what is older. */
  @IsOptional()
  @IsISO8601()
  before?: string;
}

/** The rows that a service's repository finds for its part of the timeline. */
export interface TimelineRow extends Omit<TimelineEntry, 'at'> {
  at: Date;
}

/** Answers a question from a service's own rows. */
export async function timelineOf(
  rows: { list(accountId: string, before: Date, limit: number): Promise<TimelineRow[]> },
  accountId: string,
  { before, limit }: TimelineQuestion,
): Promise<TimelineEntry[]> {
  const found = await rows.list(accountId, before ? new Date(before) : END_OF_TIME, limit);
  return found.map(({ at, ...entry }) => ({ at: at.toISOString(), ...entry }));
}

/** The path with the question, the same at each service. */
export function timelinePath({ before, limit }: TimelineQuestion): string {
  const query = new URLSearchParams({ limit: String(limit), ...(before && { before }) });
  return `/internal/operator/timeline?${query}`;
}
