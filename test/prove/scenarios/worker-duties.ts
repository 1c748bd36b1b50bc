import { deepStrictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DATASETS, type JobAnswer } from '#libs/contracts';
import { type CrashPoint, newId } from '#libs/platform';
import type { WebhookReceiver } from '../../worker/webhook-receiver.js';
import { eventually, holds } from '../environment/patience.js';
import type { Customer } from '../environment/customer.js';
import type { Installation } from '../environment/installation.js';

export interface WorkerDuty {
  points: CrashPoint[];
  /** @returns a function that starts another task, and resolves once it has been done exactly once. */
  open(world: World): Promise<(point: CrashPoint) => Promise<void>>;
}

interface World {
  installation: Installation;
  customer: Customer;
  receiver: WebhookReceiver;
  /** Sends a POST request with the customer's key, and repeats it until it is accepted. */
  call(path: string, body?: object): Promise<{ id: string }>;
}

export const WORKER_DUTIES: WorkerDuty[] = [
  {
    points: [
      'job.after-hold',
      'chunk.after-claim',
      'chunk.after-answers',
      'chunk.after-write',
      'chunk.after-commit',
      'chunk.after-settle',
      'job.after-release',
      'job.after-join',
      'job.before-commit',
      'job.after-commit',
    ],
    open: openJobs,
  },
  {
    points: [
      'check.after-claim',
      'check.before-commit',
      'check.after-commit',
      'match.before-commit',
      'match.after-tell',
      'delivery.after-send',
      'delivery.before-commit',
      'delivery.after-commit',
    ],
    open: openMonitors,
  },
  {
    points: ['charge.after-hold', 'charge.after-settle', 'charge.after-close'],
    open: openPaidChecks,
  },
  {
    points: ['file.after-rows', 'file.after-write', 'file.before-commit', 'file.after-commit'],
    open: openFiles,
  },
  {
    points: ['collect.before-commit', 'collect.after-commit', 'collect.after-answers'],
    open: openCollector,
  },
];

const HOST = 'prove.hooks.example';
const WATCHED = 5;
const NEW_NAMES = 20;
const COLLECTED = 10;
/** Suffixes with different registries, so that their names are in different chunks. */
const TLDS = ['com', 'de', 'org'];
const NAMES_OF_EACH = 5;
const ownWord = (start: string) => `${start}${newId().replaceAll(/[^a-f]/g, '')}`;

/** Each name is in one file and charged once, the other credits are returned, and one e-mail is sent. */
async function openJobs({ installation, customer, call }: World) {
  const { accountId, email } = customer;
  const before = await customer.spendable();
  let [jobs, charged] = [0, 0];
  return async () => {
    const names = TLDS.flatMap((tld) =>
      Array.from({ length: NAMES_OF_EACH }, (_, n) => `${newId()}-${n}.${tld}`),
    );
    const { id } = await call('/v2.0/jobs/whois', { domainNames: names });
    const read = (path: string) => customer.api('GET', `/v2.0/jobs/${id}${path}`);
    const job = await eventually(`the end of job ${id}`, async () => {
      const found = (await read('')).json() as JobAnswer;
      return typeof found.finished_at === 'string' && found;
    });
    const { delivered, failed, unique } = job.counts;
    const isEach = delivered + failed === unique && job.credits.charged === delivered;
    holds(isEach, `the job ended with ${JSON.stringify(job)}`);
    const bytes = await eventually('the results', async () => {
      const { status, bytes: found } = await read('/results');
      return status === 200 && found;
    });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    holds(sha256 === job.artifacts[0].sha256, 'the file differs from the one that was announced');
    const rows = gunzipSync(bytes).toString().trimEnd().split('\r\n').slice(1);
    const listed = rows.map((row) => row.split(',')[1]).toSorted();
    holds(
      String(listed) === String(names.toSorted()),
      `of ${names} names, the file contains ${listed}`,
    );
    jobs += 1;
    charged += delivered;
    installation.book.answered(accountId, delivered);
    await eventually('the rest of the credits', async () => {
      const spent = before - (await customer.spendable());
      holds(spent === charged, `${charged} names were answered, but ${spent} credits were spent`);
      const open = `select from entitlement.holds where account_id = $1 and state <> 'closed'`;
      return (await installation.sql(open, [accountId])).length === 0;
    });
    await eventually('an e-mail for each job', async () => {
      const mails = await installation.cluster.mailbox.newest(1_000);
      const told = mails.filter(
        ({ to, subject }) => to === email && subject.includes('bulk WHOIS'),
      );
      holds(told.length === jobs, `${told.length} e-mails say that ${jobs} jobs are done`);
      return true;
    });
  };
}

/** Each change and each match causes one event of its monitor, in one delivery. */
async function openMonitors({ installation, customer, receiver, call }: World) {
  const { accountId } = customer;
  await installation.pay(accountId);
  await call('/v2.0/webhooks', { url: `https://${HOST}/in`, events: ['monitor.triggered'] });
  const [word, brand] = [ownWord('watched'), ownWord('brand')];
  for (let n = 0; n < WATCHED; n++) {
    await call('/v2.0/monitors', { kind: 'domain', name: 'ours', domainName: `${word}-${n}.com` });
  }
  await call('/v2.0/monitors', { kind: 'brand', name: 'ours', keyword: brand, with_typos: false });
  const count = async (text: string) => (await installation.sql(`select from ${text}`)).length;
  const seen = `worker.watched_names where name like '${word}%' and whois is not null`;
  await eventually('the first checks', async () => (await count(seen)) === WATCHED);
  const cursors = `worker.feed_cursors where reader = 'monitors'`;
  await eventually('the first poll of the feed', async () => (await count(cursors)) === 1);
  let due = 0;
  return async (point: CrashPoint) => {
    if (!point.startsWith('match')) {
      due += WATCHED;
      await installation.sql(CHANGED, [`${word}%`]);
    } else {
      due += NEW_NAMES;
      await addZone(installation, { zone: `matched${due}`, word: brand, count: NEW_NAMES });
    }
    await eventually('the events', async () => {
      const events = await count(`worker.monitor_events where account_id = '${accountId}'`);
      holds(events === due, `${events} events, expected ${due}`);
      return true;
    });
    const bodies = await allArrive(installation, accountId, receiver);
    const ids = bodies.flatMap((body) =>
      (JSON.parse(body) as { data: { events: { id: string }[] } }).data.events.map(({ id }) => id),
    );
    const isEach = ids.length === due && new Set(ids).size === due;
    holds(
      isEach,
      `${ids.length} events were sent, ${new Set(ids).size} of them different; ${due} were due`,
    );
  };
}

/** Changes the stored state as if each name had had a different registrar and one check had already failed. */
const CHANGED = `
  update worker.watched_names set whois_due_at = clock_timestamp(), restless = '{}',
    whois = whois || '{"domain_registrar.registrar_name": ["Another"]}',
    whois_pending = jsonb_build_object('domain_registrar.registrar_name',
      whois -> 'domain_registrar.registrar_name')
  where name like $1`;

/** Each check beyond the included checks is charged once. */
async function openPaidChecks({ installation, customer, call }: World) {
  const { accountId } = customer;
  await installation.pay(accountId);
  const word = ownWord('paid');
  for (let n = 0; n < WATCHED; n++) {
    const domainName = `${word}-${n}.com`;
    await call('/v2.0/monitors', { kind: 'domain', domainName, interval_minutes: 350 });
  }
  const areChecked = async () => (await installation.sql(UNCHECKED, [accountId])).length === 0;
  await eventually('the first checks', areChecked);
  const before = await customer.spendable();
  let due = 0;
  return async () => {
    due += WATCHED;
    await installation.sql(OVERDUE, [accountId]);
    await installation.sql(LOOK_NOW, [`${word}%`]);
    await eventually('a further check of each name', areChecked);
    await eventually('the charge', async () => {
      await installation.sql(CHARGE_NOW, [accountId]);
      await installation.sql(HURRY_CHARGES, [accountId]);
      const spent = before - (await customer.spendable());
      const left = 'select from worker.paid_checks where account_id = $1';
      holds(spent === due, `${spent} credits were spent on ${due} checks`);
      return (await installation.sql(left, [accountId])).length === 0;
    });
    installation.book.answered(accountId, WATCHED);
  };
}

const UNCHECKED = `select from worker.monitors
  where account_id = $1 and (checked_at is null or checked_at < '2001-01-01')`;
/** Changes the stored state as if the last checks had been made long ago and no included checks were left. */
const OVERDUE = `update worker.monitors set checked_at = '2000-01-01', included_at = clock_timestamp()
  where account_id = $1`;
const LOOK_NOW = `update worker.watched_names set dns_due_at = clock_timestamp() where name like $1`;
/** Charges checks at once, without waiting for the end of the minute in which they are collected. */
const CHARGE_NOW = `update worker.paid_checks set opened_at = '2000-01-01' where account_id = $1`;
const HURRY_CHARGES = `update worker.work set until = clock_timestamp()
  where queue = 'paid-checks' and name = $1 and state = 'waiting'`;

/** Each dataset has each edition once, the last one is available, and no other files are stored. */
async function openFiles({ installation }: World) {
  await addZone(installation, { zone: 'filed', word: 'name', count: 500 });
  const store = join(installation.folder, 'files', 'worker');
  return async () => {
    await eventually('the files to be due', async () => {
      const http = installation.connectTo('worker');
      await http.call('POST', '/internal/files/runs').finally(() => http.close());
      return true;
    });
    await eventually('the files', async () => {
      const work = await installation.sql<{ queue: string }>(LEFT);
      // This is checked only at this point, because the files of a build are marked for removal until it is published.
      if (work.every(({ queue }) => queue === 'unneeded-files')) await installation.sql(REMOVE_NOW);
      return work.length === 0;
    });
    const editions = await installation.sql<Editions>(EDITIONS);
    const isWrong = ({ open, last, count }: Editions) => count !== last || open.length !== 1;
    holds(editions.length >= DATASETS.length, `${editions.length} files exist`);
    holds(!editions.some(isWrong), `wrong editions: ${JSON.stringify(editions.filter(isWrong))}`);
    const files = readdirSync(join(store, 'files'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath }) => `${relative(store, parentPath)}/`);
    const open = editions.flatMap((edition) => edition.open);
    deepStrictEqual([...new Set(files)].toSorted(), open.toSorted());
  };
}

const LEFT = `select queue from worker.work
  where queue in ('file-builds', 'file-news', 'unneeded-files')`;
const REMOVE_NOW = `update worker.work set until = clock_timestamp()
  where queue = 'unneeded-files' and state = 'waiting'`;

interface Editions {
  name: string;
  count: number;
  last: number;
  open: string[];
}
const EDITIONS = `
  select dataset || ' ' || day as name, count(*)::int as count, max(edition) as last,
    coalesce(array_agg(folder) filter (where removed_at is null), '{}') as open
  from worker.file_editions group by dataset, day`;

/** Each new name has one record, and no name is waiting. */
async function openCollector({ installation }: World) {
  return async () => {
    const word = ownWord('collected');
    await addZone(installation, { zone: 'com', word, count: COLLECTED, isLookedUp: true });
    await eventually('the records of new names', async () => {
      const [row] = await installation.sql<{ waiting: number; names: number; records: number }>(
        `select (select count(*)::int from worker.collected_names where name like $1) as waiting,
           count(distinct d.name)::int as names, count(*)::int as records
         from corpus.domain d join corpus.whois_revision r using (domain_key, name) where d.name like $1`,
        [`${word}%`],
      );
      const isEach = row.waiting === 0 && row.names === COLLECTED && row.records === COLLECTED;
      holds(isEach, `of ${COLLECTED} names: ${JSON.stringify(row)}`);
      return true;
    });
  };
}

/**
 * Waits until no delivery is pending, and checks that exactly the recorded ones have arrived.
 * @returns their bodies.
 */
async function allArrive(
  installation: Installation,
  accountId: string,
  receiver: WebhookReceiver,
): Promise<string[]> {
  const rows = await eventually('every delivery', async () => {
    const all = await installation.sql<{ id: string; state: string; body: string }>(
      'select id, state, body from worker.webhook_deliveries where account_id = $1',
      [accountId],
    );
    return all.every(({ state }) => state === 'delivered') && all;
  });
  const recorded = rows.map(({ id, body }) => `${id} ${body}`);
  const arrived = receiver.arrivedAt(HOST).map((one) => `${one.headers['webhook-id']} ${one.body}`);
  deepStrictEqual([...new Set(arrived)].toSorted(), recorded.toSorted());
  return rows.map(({ body }) => body);
}

interface ImportedZone {
  zone: string;
  /** A word for the new names, which are `<word>-<number>`. */
  word: string;
  count: number;
  isLookedUp?: boolean;
}

/** Starts the import of a new source with two zone files, because the names in its first file do not count as new. */
async function addZone(
  installation: Installation,
  { zone, word, count, isLookedUp = false }: ImportedZone,
): Promise<void> {
  const source = `${zone}-${word}`;
  const place = join(installation.folder, source);
  mkdirSync(place);
  const found = Array.from({ length: count }, (_, n) => `${word}-${n}`);
  for (const [day, names] of Object.entries({ '20260105': ['known'], '20260106': found })) {
    const lines = [
      `${zone}.\t900\tin\tsoa\tns1.nic.${zone}. host.${zone}. ${day} 1800 900 604800 86400`,
      ...names.map((name) => `${name}.${zone}.\t3600\tin\tns\tns1.example.net.`),
    ];
    writeFileSync(join(place, `${zone}-${day}.zone`), `${lines.join('\n')}\n`);
  }
  await installation.sql(
    `insert into corpus.source (id, name, kind, is_shown, is_sold, is_looked_up, created_at, location, due_at)
     select max(id) + 1, $1, 'zone', true, true, $3, now(), $2, now() from corpus.source`,
    [source, place, isLookedUp],
  );
}
