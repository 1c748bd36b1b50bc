import { boolean, integer, jsonFormat, memberPaths } from './kinds.js';
import type { DataClass } from './parameter.js';

const MAX_AGE_MAX_SECONDS = 86_400;

const MAX_CREDITS_MAX = 1_000_000;

/** The caller's limit on the cost of one request. */
export const MAX_CREDITS = {
  kind: integer(0, MAX_CREDITS_MAX, 'whole credits'),
  about: 'Rejects the request with 402, before any lookup, if it could cost more credits than this',
  example: '1',
  isForGateway: true,
  since: 2,
} as const;

/** The parameter `format`, which old links include. Every answer is JSON. */
export const FORMAT = {
  kind: jsonFormat(),
  about: 'Response format; case does not matter',
  example: 'json',
  isForGateway: true,
} as const;

export const LIVE_PARAMETERS = {
  format: FORMAT,
  max_credits: MAX_CREDITS,
  max_age: {
    kind: integer(0, MAX_AGE_MAX_SECONDS, 'whole seconds'),
    about: 'Accepts a cached answer up to this many seconds old; 0 always queries the source',
    example: '3600',
    default: 0,
    since: 2,
  },
  allow_stale: {
    kind: boolean(),
    about: 'Accepts an older cached answer when the source fails; charged at the normal price',
    example: 'true',
    default: false,
    since: 2,
  },
  fresh: {
    kind: boolean(),
    about: 'Queries the source even within the repeat window; always charged',
    example: 'true',
    default: false,
    since: 2,
  },
} as const;

/** Describes the parameter that selects members of the answer. @param answers classes of the possible answers. */
export function fieldsOf(example: string, ...answers: DataClass[]) {
  return {
    kind: memberPaths(...answers),
    about:
      'Comma-separated list of up to 50 paths to return; `status` and `meta` are always included',
    example,
    since: 2,
  } as const;
}

export const LIVE_PROBLEMS = [
  'upstream_throttled',
  'upstream_unreachable',
  'upstream_unreadable',
  'upstream_timeout',
  'lookup_overloaded',
] as const;
