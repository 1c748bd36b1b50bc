import type { DateValue, RegistrationRecord } from '../record.js';
import { OFFSET_MINUTES_MAX } from '../whois/parse/fields/civil-time.js';
import { type JsonObject, objectsIn, textIn } from './json-reading.js';

type Dates = Pick<RegistrationRecord, 'created' | 'updated' | 'expires'>;

const DATES_BY_ACTION: ReadonlyMap<string, keyof Dates> = new Map([
  ['registration', 'created'],
  ['last changed', 'updated'],
  ['expiration', 'expires'],
]);

/** Events that may occur repeatedly: each renewal adds an expiration, and each change adds a last change. */
const REPEATING: ReadonlySet<keyof Dates> = new Set(['updated', 'expires']);

/**
 * Returns the dates of a registration from its events (RFC 9083 §4.5). Of several expirations or changes, the latest
 * counts; of several registrations, the first.
 */
export function readEvents(json: JsonObject): Dates {
  const dates: Dates = {};
  for (const event of objectsIn(json['events'])) {
    const member = DATES_BY_ACTION.get(textIn(event['eventAction'])?.toLowerCase() ?? '');
    const date = eventDate(textIn(event['eventDate']) ?? '');
    if (member === undefined || date === undefined) continue;
    const known = dates[member];
    if (known === undefined || (REPEATING.has(member) && isLater(date, known)))
      dates[member] = date;
  }
  return dates;
}

function isLater(one: DateValue, other: DateValue): boolean {
  return Date.parse(one.iso) > Date.parse(other.iso);
}

const SHAPE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)? ?(Z|z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Parses an event's date (RFC 9083 §4.5, RFC 3339). Servers omit the time, the seconds or the zone. A date without a
 * time, or with an impossible offset, stays a date, and so does a time that is in year 10000 in UTC; a time without a
 * zone is read as UTC.
 * @returns undefined for a text that is not a date, or a year before 1970.
 */
function eventDate(original: string): DateValue | undefined {
  const parts = SHAPE.exec(original);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', zone = 'Z'] = parts;
  const date = `${year}-${month}-${day}`;
  const zoned = zone === 'z' ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const isDayOnly = hour === undefined || !isOffset(zoned);
  const time = isDayOnly ? '00:00:00Z' : `${hour}:${minute}:${second}${zoned}`;
  const instant = new Date(`${date}T${time}`);
  // Without this check, 31 February would be read as 3 March.
  const daysFit = !Number.isNaN(instant.getTime()) && dayExists(date);
  if (!daysFit || Number(year) < 1970) return undefined;
  if (isDayOnly || instant.getUTCFullYear() > 9999) {
    return { original, iso: date, precision: 'day' };
  }
  return { original, iso: `${instant.toISOString().slice(0, 19)}Z`, precision: 'second' };
}

/** True for a valid offset: no place on Earth is further from UTC than 14 hours. */
function isOffset(zone: string): boolean {
  const [hours, minutes] = zone.slice(1).split(':').map(Number);
  return zone === 'Z' || (minutes < 60 && hours * 60 + minutes <= OFFSET_MINUTES_MAX);
}

function dayExists(date: string): boolean {
  const instant = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(date);
}
