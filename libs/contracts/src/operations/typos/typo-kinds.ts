import { isDay } from '../kinds.js';
import type { ParameterKind } from '../parameter.js';

const EXCLUDED_MAX = 100;
const LABEL_LENGTH_MAX = 63;
/** Matches a day, or a time in RFC 3339 with an offset from UTC. */
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2}))?$/;
const NAME = /^[^\s\p{Cc}/@:,]{1,253}$/u;

export interface LengthRange {
  min: number;
  max: number;
}

/** Reads a length or a range of lengths, from 1 to 63: `8` or `5-12`. */
export function lengthRange(): ParameterKind<LengthRange> {
  const read = (given: string): LengthRange => {
    const [min, max = min] = given.split('-').map(Number);
    return { min, max };
  };
  return {
    schema: { type: 'string', pattern: '^[0-9]{1,2}(-[0-9]{1,2})?$' },
    fault: (given) => {
      const { min, max } = read(given);
      const isRange =
        /^\d{1,2}(-\d{1,2})?$/.test(given) && min >= 1 && max >= min && max <= LABEL_LENGTH_MAX;
      return isRange ? undefined : 'must be a length such as 8 or 5-12, at most 63';
    },
    value: read,
  };
}

/** Reads domain names, separated by commas. */
export function nameList(): ParameterKind<string[]> {
  const read = (given: string) => given.split(',').map((one) => one.trim().toLowerCase());
  return {
    schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: EXCLUDED_MAX },
    clean: (given) => given.trim().toWellFormed(),
    fault: (given) => {
      const all = read(given);
      return all.length <= EXCLUDED_MAX && all.every((one) => NAME.test(one))
        ? undefined
        : `must be at most ${EXCLUDED_MAX} domain names, separated by commas`;
    },
    value: read,
  };
}

/** Reads a time in RFC 3339, with any offset from UTC, or a day, which means its start in UTC. */
export function moment(): ParameterKind<Date> {
  return {
    schema: { type: 'string', format: 'date-time' },
    fault: (given) =>
      MOMENT.test(given) && isDay(given.slice(0, 10)) && !Number.isNaN(Date.parse(given))
        ? undefined
        : 'must be a time such as 2026-11-20T11:42:03Z, or a day',
    value: (given) => new Date(given),
  };
}
