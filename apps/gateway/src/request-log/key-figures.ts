/**
 * The upper bounds, in milliseconds, of the response-time intervals in which answers are counted. Slower answers have a
 * count of their own.
 */
export const WITHIN_MS = [100, 300, 1_000, 3_000, 10_000] as const;

const PACES = [...WITHIN_MS.map((ms) => `within_${ms}`), 'later'];

/** The summed columns of `key_hours`. */
export const KEY_FIGURES = ['requests', 'failed', 'credits', ...PACES];

const FAILED = 'status >= 400';

/** SQL that calculates these figures from rows of the request log, in the same order. */
export const KEY_SUMS = [
  'sum(requests)',
  `coalesce(sum(requests) filter (where ${FAILED}), 0)`,
  'sum(credits)',
  ...PACES.map((_, place) => {
    const [above, most] = [WITHIN_MS[place - 1], WITHIN_MS[place]];
    const bounds = [above && `duration_ms > ${above}`, most && `duration_ms <= ${most}`];
    const wanted = [`not ${FAILED}`, ...bounds.filter(Boolean)].join(' and ');
    return `coalesce(sum(requests) filter (where ${wanted}), 0)`;
  }),
].join(', ');

export const PACE_LIST = `array[${PACES.map((name) => `sum(${name})`).join(', ')}]`;
