import { copyIn, withClient } from '#libs/database';
import { type Clock, DAY_MS, HOUR_MS } from '#libs/platform';
import {
  COPY_LINES_SQL,
  type LogEntry,
  LogLines,
} from '../../../gateway/src/request-log/log-line.js';

/** The number of days with requests, including today. */
const DEMO_DAYS = 31;
/**
 * The days between two calls of `roll_partitions`. Each call creates the partitions of the previous
 * day, the day itself and the next two.
 */
const PARTITION_STEP_DAYS = 3;
/**
 * The usual number of requests on one of the first working days. Later days have up to twice as many; days at the
 * weekend have only `WEEKEND_SHARE` of that.
 */
const REQUESTS_A_DAY = 60;
const WEEKEND_SHARE = 0.3;
/** The minimum number of requests today, however early it is. */
const TODAY_MIN = 8;

/** Each kind of request, with its cumulative share in percent and its usual duration. */
const KINDS = [
  { until: 55, operation: 'whois.live', credits: 1, usualMs: 260 },
  { until: 80, operation: 'dns.live', credits: 1, usualMs: 45 },
  { until: 92, operation: 'domain.availability', credits: 1, usualMs: 120 },
  { until: 100, operation: 'ip.whois', credits: 1, usualMs: 310 },
] as const;

export interface DemoKey {
  accountId: string;
  keyId: string;
}

export interface DemoCost {
  /** The day as `YYYY-MM-DD`, UTC. */
  day: string;
  operation: string;
  credits: number;
}

/** The database of the gateway's log, under its own role and under the role that creates partitions. */
export interface LogAddresses {
  gateway: string;
  maintenance: string;
}

/**
 * Writes invented requests of the last 30 days and of today to the log, only for the demo account. Each request id
 * begins with `req_demo`. @returns the costs, oldest first, which the ledger must also contain.
 */
export async function seedDemoUsage(
  { gateway, maintenance }: LogAddresses,
  key: DemoKey,
  clock: Clock,
): Promise<DemoCost[]> {
  const nowMs = clock.now().getTime();
  await withClient(maintenance, async (client) => {
    for (let days = DEMO_DAYS + PARTITION_STEP_DAYS; days > 0; days -= PARTITION_STEP_DAYS) {
      await client.query('select roll_partitions($1)', [new Date(nowMs - days * DAY_MS)]);
    }
  });
  const lines = new LogLines();
  const text = demoRequests(key, nowMs).map((entry) => lines.of(entry));
  return withClient(gateway, async (client) => {
    // If an earlier start ended after this statement, these rows already exist.
    const { rowCount } = await client.query(
      `select from request_log where account_id = $1 and request_id like 'req\\_demo%' limit 1`,
      [key.accountId],
    );
    if (rowCount === 0) await copyIn(client, COPY_LINES_SQL, [Buffer.from(text.join(''))]);
    const { rows } = await client.query<DemoCost>(
      `select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, operation, sum(credits)::int as credits
       from request_log where account_id = $1 and request_id like 'req\\_demo%'
       group by 1, 2 having sum(credits) > 0 order by 1, 2`,
      [key.accountId],
    );
    return rows;
  });
}

/** Generates the requests of the last days: the same for the same time and account, and none in the future. */
export function demoRequests({ accountId, keyId }: DemoKey, nowMs: number): LogEntry[] {
  const draw = drawing(20_261_123);
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const entries: LogEntry[] = [];
  for (let day = DEMO_DAYS - 1; day >= 0; day--) {
    const beginsMs = today - day * DAY_MS;
    const isWeekend = [0, 6].includes(new Date(beginsMs).getUTCDay());
    const growth = 1 + (DEMO_DAYS - day) / DEMO_DAYS;
    const count = REQUESTS_A_DAY * growth * (isWeekend ? WEEKEND_SHARE : 1) * (0.7 + draw() * 0.6);
    const [opensMs, openMs] = day > 0 ? [6 * HOUR_MS, 14 * HOUR_MS] : [0, nowMs - today];
    const length = Math.max(TODAY_MIN, Math.round(count * Math.min(1, openMs / (14 * HOUR_MS))));
    const times = Array.from({ length }, () => opensMs + draw() * openMs);
    for (const time of times.toSorted((a, b) => a - b)) {
      const place = draw() * 100;
      const { operation, credits, usualMs } = KINDS.find(({ until }) => place < until)!;
      const name = `customer-${Math.floor(draw() * 400)}.example`;
      const number = String(entries.length).padStart(12, '0');
      entries.push({
        atMs: Math.floor(beginsMs + time),
        requestId: `req_demo${number}`,
        accountId,
        keyId,
        operation,
        version: 2,
        subject: operation === 'ip.whois' ? `192.0.2.${Math.floor(draw() * 250) + 1}` : name,
        ...endOf(draw(), credits),
        durationMs: Math.round(usualMs * (0.4 + draw() * draw() * 4)),
      });
    }
  }
  return entries;
}

function endOf(drawn: number, credits: number): Pick<LogEntry, 'status' | 'outcome' | 'credits'> {
  if (drawn < 0.88) return { status: 200, outcome: 'delivered', credits };
  if (drawn < 0.95) return { status: 200, outcome: 'not_registered', credits };
  if (drawn < 0.98) return { status: 503, outcome: 'throttled', credits: 0 };
  return { status: 400, outcome: 'invalid_request', credits: 0 };
}

/** Returns a generator of pseudo-random numbers from 0 to 1, which are the same in each run (mulberry32). */
function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
