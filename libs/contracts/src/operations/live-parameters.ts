import { boolean, integer, memberPaths, oneOf } from './kinds.js';

const MAX_AGE_MAX_SECONDS = 86_400;

const MAX_CREDITS_MAX = 1_000_000;

/** A bound that a caller sets on what one request may cost. */
export const MAX_CREDITS = {
  kind: integer(0, MAX_CREDITS_MAX, 'whole credits'),
  about: 'Refuses with 402, before anything is looked up, what could cost more credits than this',
  example: '1',
  isForGateway: true,
  since: 2,
} as const;

/** What every live lookup takes beside what it is about. */
export const LIVE_PARAMETERS = {
  format: {
    kind: oneOf(['json']),
    about: 'The form of the answer',
    example: 'json',
    isForGateway: true,
  },
  max_credits: MAX_CREDITS,
  max_age: {
    kind: integer(0, MAX_AGE_MAX_SECONDS, 'whole seconds'),
    about: 'Seconds: an answer of up to this age will do; 0 asks anew',
    example: '3600',
    default: 0,
    since: 2,
  },
  allow_stale: {
    kind: boolean(),
    about: 'Whether an older answer will do when there is no new one; it costs the price',
    example: 'true',
    default: false,
    since: 2,
  },
  fresh: {
    kind: boolean(),
    about: 'Asks anew, also when the question is a repeat; charged',
    example: 'true',
    default: false,
    since: 2,
  },
  fields: {
    kind: memberPaths(),
    about: 'Up to 50 paths by commas, of what to answer; `status` and `meta` are always there',
    example: 'dates.created,registrant_contact',
    since: 2,
  },
} as const;

/** Refusals of everything that asks the outside world. */
export const LIVE_PROBLEMS = [
  'upstream_throttled',
  'upstream_unreachable',
  'upstream_unreadable',
  'upstream_timeout',
  'lookup_overloaded',
] as const;
