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

/**
 * Returns the SQL condition for rows of the log that the hourly counts lack: rows that this server wrote after the
 * snapshot of the last count. After a crash, a transaction id can be used again, so a row whose id is above the highest
 * counted one has not been counted, even if the snapshot contains that id. A row that was restored from a dump was
 * counted before the dump. Its `written_by` is an id of the server that wrote it, and differs from its `xmin`.
 *
 * @param snapshot SQL of the snapshot. @param highest SQL of the highest counted transaction id.
 */
export function isUncounted(snapshot: string, highest: string): string {
  return `(request_log.written_by > ${highest}
      or not pg_visible_in_snapshot(request_log.written_by::text::xid8, ${snapshot}))
    and request_log.written_by < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    and request_log.written_by % 4294967296 = request_log.xmin::text::bigint`;
}
