import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DATASETS, ServiceHttp } from '#libs/contracts';
import { CRASH_POINTS, type CrashPoint, ServiceTokens, SystemClock, newId } from '#libs/platform';
import { WebhookReceiver } from '../../worker/webhook-receiver.js';
import type { Customer } from '../environment/customer.js';
import { ask } from '../environment/http.js';
import { eventually } from '../environment/patience.js';
import { crashDuring } from '../environment/restart.js';
import { checkRest } from '../environment/traffic.js';
import { holds } from '../environment/broken.js';
import { type InstallationHarness, type InstallationScenario } from '../scenario.js';
import { addZone, zoneOf } from './zone-files.js';

/** Without `--long`, there is one kill at each point. */
const LONG_KILLS = 10;
const CREDITS = 10;
const UNLIMITED = 1_000_000;
const HOST = 'prove.hooks.example';
const WATCHED = 5;
const NEW_NAMES = 20;
const COLLECTED = 10;
const EVENTS = 8;
/**
 * The number of requests that a process sends at once, and that are repeated if it dies before it knows their results.
 */
const SENT_AT_ONCE = 32;
/**
 * Expires the leases of dead processes, and ends the wait of a day after which the files that they have left are
 * removed.
 */
const HURRY = `
  update worker.work set until = clock_timestamp()
    where state = 'claimed' or (queue = 'unneeded-files' and state = 'waiting');
  update worker.job_lease set lease_until = '-infinity';
  update worker.watched_names set whois_due_at = clock_timestamp()
    where whois_due_at between clock_timestamp() and clock_timestamp() + interval '5 minutes';
  update worker.watched_names set dns_due_at = clock_timestamp()
    where dns_due_at between clock_timestamp() and clock_timestamp() + interval '5 minutes'`;

/** A background duty of the worker, and the check that each of its tasks was done once. */
interface Duty {
  /** The duty's crash points, each with the latest pass that kills. */
  points: Partial<Record<CrashPoint, number>>;
  expectation: string;
  /** @returns a function that gives it work and resolves once a further task is done. */
  open(world: World): Promise<(point: CrashPoint) => Promise<void>>;
}

/** The customers who use the installation in the meantime. */
interface World {
  harness: InstallationHarness;
  customer: Customer;
  receiver: WebhookReceiver;
  /** Calls with the customer's key. @throws unless it is accepted. */
  call(path: string, body?: object): Promise<{ id: string }>;
}

const DUTIES: Duty[] = [
  {
    points: {
      'check.after-claim': 1,
      'check.before-commit': WATCHED,
      'check.after-commit': WATCHED,
      'match.before-commit': 1,
      'match.after-tell': 1,
    },
    expectation: 'each change and each match is one event of its monitor, in one delivery',
    open: openMonitors,
  },
  {
    points: { 'charge.after-hold': 1, 'charge.after-settle': 1, 'charge.after-close': 1 },
    expectation: 'each check beyond the included ones is charged once',
    open: openPaidChecks,
  },
  {
    points: {
      'file.after-rows': 8,
      'file.after-write': 4,
      'file.before-commit': 4,
      'file.after-commit': 4,
    },
    expectation:
      'each dataset has each edition once, the last one is open, and no other file is in the store',
    open: openFiles,
  },
  {
    points: { 'collect.before-commit': 1, 'collect.after-commit': 1, 'collect.after-answers': 2 },
    expectation: 'each new name has one record, and none waits',
    open: openCollector,
  },
  {
    points: {
      'delivery.after-send': EVENTS,
      'delivery.before-commit': EVENTS,
      'delivery.after-commit': EVENTS,
    },
    expectation: 'each event arrives, and repeats have the same id',
    open: openWebhooks,
  },
];

export const crashDutyRows: InstallationScenario[] = DUTIES.map((duty) => {
  const points = Object.entries(duty.points) as [CrashPoint, number][];
  return {
    name: `crash ${points.map(([point]) => point).join(', ')}`,
    fault: `kill -9 of worker when ${points.map(([point]) => CRASH_POINTS[point]).join('; when ')}`,
    expectation: `up again within 5 s; ${duty.expectation}`,
    isBackground: true,
    run: async (harness) => {
      const receiver = new WebhookReceiver();
      try {
        await receiver.start();
        await crashAtAll(harness, receiver, duty);
      } finally {
        receiver.stop();
      }
    },
  };
});

async function crashAtAll(
  harness: InstallationHarness,
  receiver: WebhookReceiver,
  duty: Duty,
): Promise<void> {
  const { installation } = harness;
  const startedAt = performance.now();
  const customer = await installation.regular(CREDITS);
  await installation.limit(customer.accountId, UNLIMITED, 'account');
  const [origin] = installation.apiOrigins;
  const call = async (path: string, body?: object) =>
    eventually(`an answer to ${path}`, async () => {
      const headers = { 'x-api-key': customer.key, 'idempotency-key': newId() };
      const answer = await ask({ method: 'POST', url: `${origin}${path}`, headers, body });
      return answer.status < 300 && (answer.body as { id: string });
    });
  const oneMore = await duty.open({ harness, customer, receiver, call });
  const points = Object.entries(duty.points) as [CrashPoint, number][];
  const settings = receiver.environment;
  const kills = harness.isLong ? LONG_KILLS : points.length;
  for (let kill = 0; kill < kills; kill++) {
    const [point, passes] = points[kill % points.length];
    const crash = { point, passes, hurry: HURRY, settings };
    await crashDuring(installation.process('worker'), harness, crash, async () => oneMore(point));
  }
  await checkRest(harness, { outageMs: performance.now() - startedAt });
}

async function openMonitors({ harness, customer, receiver, call }: World) {
  const { installation } = harness;
  const { accountId } = customer;
  await installation.pay(accountId);
  await call('/v2.0/webhooks', { url: `https://${HOST}/in`, events: ['monitor.triggered'] });
  const own = newId().replaceAll(/[^a-f]/g, '');
  const [word, brand] = [`watched${own}`, `brand${own}`];
  for (let n = 0; n < WATCHED; n++) {
    await call('/v2.0/monitors', { kind: 'domain', name: 'ours', domainName: `${word}-${n}.com` });
  }
  await call('/v2.0/monitors', { kind: 'brand', name: 'ours', keyword: brand, with_typos: false });
  const counted = async (text: string) =>
    (await installation.sql<{ count: number }>(`select count(*)::int as count from ${text}`))[0];
  const seen = `worker.watched_names where name like '${word}%' and whois is not null`;
  await eventually('the first checks', async () => (await counted(seen)).count === WATCHED);
  await eventually('the first poll of the feed', async () => {
    const { count } = await counted(`worker.feed_cursors where reader = 'monitors'`);
    return count === 1;
  });
  const wanted = { 'domain.changed': 0, 'brand.match': 0 };
  return async (point: CrashPoint) => {
    if (point.startsWith('check')) {
      wanted['domain.changed'] += WATCHED;
      await installation.sql(CHANGED, [`${word}%`]);
    } else {
      const zone = `matched${(wanted['brand.match'] += NEW_NAMES)}`;
      const days = daysOf(zone, [0, NEW_NAMES], brand);
      await addZone(installation, { source: `${zone}-${brand}`, zone, days });
    }
    for (const [type, count] of Object.entries(wanted)) {
      await eventually(`${count} events ${type}`, async () => {
        const events = await counted(`worker.monitor_events where type = '${type}'
          and account_id = '${accountId}'`);
        holds(events.count <= count, `${events.count} events ${type}, expected ${count}`);
        return events.count === count;
      });
    }
    await allArrive(harness, accountId, receiver);
    const told = new Map(receiver.arrivedAt(HOST).map((one) => [one.headers['webhook-id'], one]));
    const ids = [...told.values()].flatMap(({ body }) =>
      (JSON.parse(body) as { data: { events: { id: string }[] } }).data.events.map(({ id }) => id),
    );
    const due = wanted['domain.changed'] + wanted['brand.match'];
    holds(ids.length === due, `${ids.length} events were sent, expected ${due}`);
    holds(new Set(ids).size === due, 'an event is in two deliveries');
  };
}

/** Changes the stored state as if each name had had a different registrar, and one check had already failed. */
const CHANGED = `
  update worker.watched_names set whois_due_at = clock_timestamp(), restless = '{}',
    whois = whois || '{"domain_registrar.registrar_name": ["Another"]}',
    whois_pending = jsonb_build_object('domain_registrar.registrar_name',
      whois -> 'domain_registrar.registrar_name')
  where name like $1`;

async function openPaidChecks({ harness, customer, call }: World) {
  const { installation } = harness;
  const { accountId } = customer;
  await installation.pay(accountId);
  const word = `paid${newId().replaceAll(/[^a-f]/g, '')}`;
  for (let n = 0; n < WATCHED; n++) {
    const domainName = `${word}-${n}.com`;
    await call('/v2.0/monitors', { kind: 'domain', domainName, interval_minutes: 350 });
  }
  const areChecked = (what: string) =>
    eventually(what, async () => {
      const rows = await installation.sql(UNCHECKED, [accountId]);
      return rows.length === 0;
    });
  await areChecked('the first checks');
  const before = await customer.spendable();
  let due = 0;
  return async () => {
    due += WATCHED;
    await installation.sql(OVERDUE, [accountId]);
    await installation.sql(LOOK_NOW, [`${word}%`]);
    await areChecked('a further check of each name');
    await eventually('the charge', async () => {
      await installation.sql(CHARGE_NOW, [accountId]);
      await installation.sql(HURRY_CHARGES, [accountId]);
      const spent = before - (await customer.spendable());
      holds(spent <= due, `${spent} credits were spent on ${due} checks`);
      const left = await installation.sql('select from worker.paid_checks where account_id = $1', [
        accountId,
      ]);
      return spent === due && left.length === 0;
    });
    installation.book.answered(accountId, WATCHED);
  };
}

const UNCHECKED = `select from worker.monitors
  where account_id = $1 and (checked_at is null or checked_at < '2001-01-01')`;
/** Changes the stored state as if the last checks were long ago, and no included checks were left. */
const OVERDUE = `update worker.monitors set checked_at = '2000-01-01', included_at = clock_timestamp()
  where account_id = $1`;
const LOOK_NOW = `update worker.watched_names set dns_due_at = clock_timestamp() where name like $1`;
/** Charges checks at once, without waiting for the minute in which they are collected. */
const CHARGE_NOW = `update worker.paid_checks set opened_at = '2000-01-01' where account_id = $1`;
const HURRY_CHARGES = `update worker.work set until = clock_timestamp()
  where queue = 'paid-checks' and name = $1 and state = 'waiting'`;

async function openFiles({ harness }: World) {
  const { installation } = harness;
  const { WORKER_URL, SERVICE_SECRET } = installation.cluster.settings.operator();
  const tokens = new ServiceTokens(SERVICE_SECRET as string, new SystemClock());
  const url = WORKER_URL as string;
  const names = { '20260105': zoneOf('filed', 1, [0, 500]) };
  await addZone(installation, { source: 'filed', zone: 'filed', days: names });
  const store = join(installation.folder, 'files', 'worker', 'files');
  return async () => {
    await eventually('the files to be due', async () => {
      const http = new ServiceHttp({ url, caller: 'cli', audience: 'worker', tokens });
      await http.call('POST', '/internal/files/runs').finally(() => http.close());
      return true;
    });
    await eventually('the files', async () => {
      const [left] = await installation.sql<{ builds: number; removals: number }>(LEFT);
      // This is checked only now, because the files of a build are marked for removal until it is published.
      if (left.builds === 0 && left.removals > 0) await installation.sql(HURRY);
      return left.builds + left.removals === 0;
    });
    const editions = await installation.sql<Editions>(EDITIONS);
    holds(editions.length >= DATASETS.length, `${editions.length} files exist`);
    for (const { name, open, last, count } of editions) {
      holds(count === last, `${name}: ${count} editions, the last is ${last}`);
      holds(open.length === 1, `${name}: ${open.length} editions are open`);
    }
    const stored = readdirSync(store, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath }) => parentPath.slice(parentPath.indexOf('/files/worker/') + 14));
    const folders = editions.flatMap(({ open }) => open).map((folder) => folder.slice(0, -1));
    const further = stored.filter((folder) => !folders.includes(folder));
    holds(
      further.length === 0,
      `files that belong to no edition are left in ${further.join(', ')}`,
    );
    holds(new Set(stored).size === folders.length, 'an edition has no files');
  };
}

const LEFT = `
  select (count(*) filter (where queue in ('file-builds', 'file-news')))::int as builds,
    (count(*) filter (where queue = 'unneeded-files'))::int as removals
  from worker.work`;

interface Editions {
  name: string;
  count: number;
  last: number;
  /** Folders of open editions. */
  open: string[];
}
const EDITIONS = `
  select dataset || ' ' || day as name, count(*)::int as count, max(edition) as last,
    coalesce(array_agg(folder) filter (where removed_at is null), '{}') as open
  from worker.file_editions group by dataset, day`;

async function openCollector({ harness }: World) {
  const { installation } = harness;
  return async () => {
    const word = `collected${newId().replaceAll(/[^a-f]/g, '')}`;
    const days = daysOf('com', [0, COLLECTED], word);
    await addZone(installation, { source: `com-${word}`, zone: 'com', days, isLookedUp: true });
    const found = await eventually('the records of new names', async () => {
      const [row] = await installation.sql<{ waiting: number; names: number; records: number }>(
        `select (select count(*)::int from worker.collected_names where name like $1) as waiting,
           count(distinct d.name)::int as names, count(*)::int as records
         from corpus.domain d join corpus.whois_revision r using (domain_key, name) where d.name like $1`,
        [`${word}%`],
      );
      return row.waiting === 0 && row.names === COLLECTED && row;
    });
    holds(found.records === COLLECTED, `${found.records} records of ${COLLECTED} names`);
  };
}

async function openWebhooks({ harness, customer, receiver, call }: World) {
  const body = { url: `https://${HOST}/in`, events: ['job.completed'] };
  const { id } = await call('/v2.0/webhooks', body);
  let kills = 0;
  return async () => {
    kills += 1;
    await Promise.all(
      Array.from({ length: EVENTS }, async () => call(`/v2.0/webhooks/${id}/test`)),
    );
    const events = await allArrive(harness, customer.accountId, receiver);
    const arrived = receiver.arrivedAt(HOST).length;
    const most = events + kills * SENT_AT_ONCE;
    holds(arrived <= most, `${events} events arrived ${arrived} times`);
  };
}

/** Names in the first list of a source do not count as new. */
const daysOf = (zone: string, numbers: [number, number], word: string) => ({
  '20260105': zoneOf(zone, 1, [0, 1], 'known'),
  '20260106': zoneOf(zone, 2, numbers, word),
});

/**
 * Waits until every delivery is recorded.
 * @returns their number.
 */
async function allArrive(
  { installation }: InstallationHarness,
  accountId: string,
  receiver: WebhookReceiver,
): Promise<number> {
  const rows = await eventually('every delivery', async () => {
    const all = await installation.sql<{ id: string; state: string; body: string }>(
      'select id, state, body from worker.webhook_deliveries where account_id = $1',
      [accountId],
    );
    return all.every(({ state }) => state === 'delivered') && all;
  });
  const bodies = new Map(rows.map(({ id, body }) => [id, body]));
  const arrived = receiver.arrivedAt(HOST);
  const isOf = (one: (typeof arrived)[number]) =>
    bodies.get(one.headers['webhook-id']) === one.body;
  holds(arrived.every(isOf), 'an event arrived under another id');
  const ids = new Set(arrived.map(({ headers }) => headers['webhook-id']));
  holds(
    ids.size === rows.length,
    `${rows.length} deliveries are recorded, but ${ids.size} arrived`,
  );
  return rows.length;
}
