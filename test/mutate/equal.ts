/**
 * Mutations without a visible effect, each with the reason. They count neither as noticed nor as missed. `line` is the
 * compiled line with the change, without its indentation.
 */
export interface EqualMutation {
  path: string;
  line: string;
  change: string;
  reason: string;
}

const IS_NULL = 'the driver sends undefined as null';
const FOR_THE_COMPILER = 'the other case cannot occur; the condition tells the compiler so';

export const EQUAL: readonly EqualMutation[] = [
  {
    path: 'apps/entitlement/src/grants/grants.service.js',
    line: 'let isNew = false;',
    change: 'false → true',
    reason: 'it is set before anybody reads it',
  },
  {
    path: 'apps/entitlement/src/grants/account-credits.js',
    line: 'if (!line || !isStretch(line) || !sliceStart || !sliceEnd) continue;',
    change: '!line || !isStretch(line) || !sliceStart || !sliceEnd → false',
    reason: FOR_THE_COMPILER,
  },
  {
    path: 'apps/entitlement/src/grants/account-credits.js',
    line: 'if (!isStretch(line) || !sliceStart || !sliceEnd) return undefined;',
    change: '|| → &&',
    reason: 'only a stretch creates slices, so all three conditions hold, or none',
  },
  {
    path: 'libs/messaging/src/relay/relay.js',
    line: 'if (free.length === 0) return;',
    change: 'free.length === 0 → false',
    reason: 'a query for no bucket has an empty result',
  },
  {
    path: 'apps/gateway/src/lease/daily-caps.js',
    line: 'if (dailyCreditCap > 0 && credits > 0) {',
    change: '> → >=',
    reason: 'a key without a cap has reserved on no day, and subtracting 0 changes nothing',
  },
  {
    path: 'apps/entitlement/src/leases/lease-bookings.service.js',
    line: 'const sorted = uses.toSorted((a, b)=>a.accountId < b.accountId ? -1 : 1);',
    change: '1 → 2',
    reason: 'only the sign counts',
  },
  {
    path: 'apps/entitlement/src/leases/leases.repository.js',
    line: "where state = 'closed' and reported > consumed and set_aside_until < clock_timestamp()",
    change: '> → >=',
    reason: 'one that is set aside always has something that is not booked',
  },
  {
    path: 'apps/entitlement/src/leases/leases.repository.js',
    line: 'reported_by = case when $3 > reported then $5 else reported_by end',
    change: '> → >=',
    reason: 'equal totals have equal parts',
  },
  {
    path: 'apps/entitlement/src/leases/leases.repository.js',
    line: "where l.state = 'open' and least(said.total, l.amount) > l.reported",
    change: '> → >=',
    reason: 'it writes the same value again',
  },
  {
    path: 'apps/entitlement/src/leases/leases.repository.js',
    line: 'and (g.available > 0 or g.reserved > 0)',
    change: '> → >=',
    reason: 'it adds grants that add 0',
  },
  {
    path: 'apps/gateway/src/lease/journal-lines.js',
    line: 'const known = use.operations?.[operation] ?? 0;',
    change: '0 → 1',
    reason: 'no operation costs less',
  },
  {
    path: 'apps/gateway/src/lease/lease-journal.js',
    line: 'if (this.sizeBytes > (this.options.compactAtBytes ?? COMPACT_AT_BYTES)) this.compact();',
    change: '> → >=',
    reason: 'the file is only rewritten one byte earlier',
  },
  {
    path: 'apps/entitlement/src/payments/reversal-target.js',
    line: 'if (!time || cuts.length === 0) return {',
    change: '|| → &&',
    reason: 'without cuts the part is 0, whatever the length; without a time there are no cuts',
  },
  {
    path: 'apps/entitlement/src/leases/leases.repository.js',
    line: 'if (leases.length === 0) return;',
    change: 'leases.length === 0 → false',
    reason: 'it writes nothing',
  },
  {
    path: 'apps/entitlement/src/leases/leases.repository.js',
    line: 'if (refused.length === 0) return;',
    change: 'refused.length === 0 → false',
    reason: 'it writes nothing',
  },
  {
    path: 'apps/entitlement/src/payments/reversal-target.js',
    line: 'const whole = wholeMicros < money ? wholeMicros : money;',
    change: '< → <=',
    reason: 'either of two equal numbers is the smaller one',
  },
  {
    path: 'apps/entitlement/src/payments/reversal-target.js',
    line: 'return values.reduce((most, value)=>value > most ? value : most);',
    change: '> → >=',
    reason: 'either of two equal numbers is the greater one',
  },
  {
    path: 'libs/messaging/src/failed-events/discarded-reaper.js',
    line: "where consumer = $1 and state = 'discarded'",
    change: "and state = 'discarded' → nothing",
    reason: 'only a discarded event has a time of discarding',
  },
  {
    path: 'libs/messaging/src/inbox/inbox.repository.js',
    line: 'return new Date(Number.parseInt(eventId.slice(0, 8) + eventId.slice(9, 13), 16));',
    change: '0 → 1',
    reason: 'the first digit of a UUIDv7 is 0 until the year 2527',
  },
  {
    path: 'libs/messaging/src/inbox/inbox.js',
    line: 'if (newest.size > 0) await this.inbox.saveSequences(transaction, newest);',
    change: '> → >=',
    reason: 'it saves nothing',
  },
  {
    path: 'libs/messaging/src/inbox/inbox.js',
    line: 'if (superseded.length === 0) return handled;',
    change: 'superseded.length === 0 → false',
    reason: 'it marks nothing',
  },
  {
    path: 'libs/messaging/src/relay/relay.js',
    line: 'return !this.inFlight.has(bucket) && (this.backOffs.get(bucket)?.until ?? 0) <= nowMs;',
    change: '0 → 1',
    reason: 'a relaying process is older than a millisecond',
  },
  {
    path: 'libs/messaging/src/relay/outbox.repository.js',
    line: 'order by o.bucket, o.position`;',
    change: 'order by o.bucket, o.position → nothing',
    reason: 'PostgreSQL keeps the inner order, which SQL does not guarantee',
  },
  {
    path: 'libs/messaging/src/failed-events/failed-event.repository.js',
    line: 'failed.delayMs ?? null,',
    change: '?? null → nothing',
    reason: IS_NULL,
  },
  {
    path: 'libs/messaging/src/outbox/outbox.js',
    line: 'lock.request.traceparent ?? currentContext()?.traceparent ?? null,',
    change: '?? null → nothing',
    reason: IS_NULL,
  },
];

/** Changes to a comparison that differ only at a single instant. */
const AT_A_LIMIT = new Set(['< → <=', '<= → <', '> → >=', '>= → >']);
/** The real time of processes and the database, for which no test can set the exact microsecond. */
const INSTANT = /\b(nowMs|aheadMs|monotonicMs|clock_timestamp|failed_for_ms)\b/;

/** The condition of a crash point. */
const OF_CRASH = /^if \(.*\) crashPoint\('[^']*'\);$/;

/** The reason why a change has no visible effect; undefined if it has one. */
export function whyEqual(mutation: Omit<EqualMutation, 'reason'>): string | undefined {
  const { path, line, change } = mutation;
  if (OF_CRASH.test(line)) return 'only a crash point, which is never armed in production';
  if (AT_A_LIMIT.has(change) && INSTANT.test(line))
    return 'it differs only at one exact microsecond';
  return EQUAL.find((one) => one.path === path && one.line === line && one.change === change)
    ?.reason;
}
