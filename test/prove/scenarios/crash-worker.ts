import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import type { JobAnswer } from '#libs/contracts';
import { type CrashPoint, newId } from '#libs/platform';
import type { Customer } from '../environment/customer.js';
import { ask } from '../environment/http.js';
import { eventually } from '../environment/patience.js';
import { crashDuring } from '../environment/restart.js';
import { checkRest } from '../environment/traffic.js';
import { holds } from '../environment/broken.js';
import { type InstallationHarness, type InstallationScenario } from '../scenario.js';

/** Every crash point of a job, with the number of its passes. */
const POINTS = {
  'job.after-hold': 1,
  'chunk.after-claim': 3,
  'chunk.after-answers': 3,
  'chunk.after-write': 3,
  'chunk.after-commit': 3,
  'chunk.after-settle': 3,
  'job.after-join': 1,
  'job.after-release': 1,
  'job.before-commit': 1,
  'job.after-commit': 1,
} satisfies Partial<Record<CrashPoint, number>>;

/** Names that are each in a separate chunk, because each has a separate registry. */
const TLDS = ['com', 'de', 'org'];
const NAMES_OF_EACH = 5;
const CREDITS = 10_000;
const UNLIMITED = 1_000_000;
/** Ends the leases of dead processes, and the wait before an interrupted start of a job is undone. */
const HURRY = `update worker.work set until = clock_timestamp()
  where state = 'claimed' or (queue = 'job-starts' and state = 'waiting')`;

export const crashWorkerRow: InstallationScenario = {
  name: `crash ${Object.keys(POINTS).join(', ')}`,
  fault: 'kill -9 of worker at each step of a job, with a separate job for each',
  expectation:
    'up again within 5 s; each job finishes by itself: every name is in one complete file once and charged once, the rest of the ' +
    'credits is returned, and one mail is sent',
  isBackground: true,
  run: async (harness) => {
    const { installation } = harness;
    const startedAt = performance.now();
    const customer = await installation.regular(CREDITS);
    for (const limit of ['bulk', 'account'] as const) {
      await installation.limit(customer.accountId, UNLIMITED, limit);
    }
    const before = await customer.spendable();
    let charged = 0;
    for (const [point, passes] of Object.entries(POINTS) as [CrashPoint, number][]) {
      charged += await crashAt(harness, customer, point, passes);
    }
    installation.book.answered(customer.accountId, charged);
    await eventually('every hold to be closed', async () => {
      const open = await installation.sql(
        `select from entitlement.holds where account_id = $1 and state <> 'closed'`,
        [customer.accountId],
      );
      return open.length === 0;
    });
    const spent = before - (await customer.spendable());
    holds(spent === charged, `${charged} names were answered, but ${spent} credits were spent`);
    await mailsArrive(harness, customer);
    await checkRest(harness, { outageMs: performance.now() - startedAt });
  },
};

/** @returns the number of names that were answered. */
async function crashAt(
  harness: InstallationHarness,
  customer: Customer,
  point: CrashPoint,
  passes: number,
): Promise<number> {
  const { installation } = harness;
  const [origin] = installation.apiOrigins;
  const names = TLDS.flatMap((tld) =>
    Array.from({ length: NAMES_OF_EACH }, (_, n) => `${newId()}-${n}.${tld}`),
  );
  const crash = { point, passes, hurry: HURRY };
  const job = await crashDuring(installation.process('worker'), harness, crash, async () =>
    endOf(origin, customer, await start(origin, customer, names)),
  );
  const { delivered, failed, unique } = job.counts;
  holds(delivered + failed === unique, `${point}: ${unique} names, ${delivered} and ${failed}`);
  holds(job.credits.charged === delivered, `${point}: charged ${job.credits.charged}`);
  await fileIsWhole(origin, customer, { job, names, point });
  return delivered;
}

/**
 * Repeats the request, like a client that got no answer. The credits that an interrupted start has reserved are
 * returned.
 */
async function start(origin: string, { key }: Customer, domainNames: string[]): Promise<string> {
  const headers = { 'x-api-key': key, 'idempotency-key': newId() };
  return eventually('a job to be accepted', async () => {
    const url = `${origin}/v2.0/jobs/whois`;
    const { status, body } = await ask({ method: 'POST', url, headers, body: { domainNames } });
    return status === 202 && (body.id as string);
  });
}

async function endOf(origin: string, { key }: Customer, id: string): Promise<JobAnswer> {
  return eventually(`the end of job ${id}`, async () => {
    const url = `${origin}/v2.0/jobs/${id}`;
    const { status, body } = await ask({ method: 'GET', url, headers: { 'x-api-key': key } });
    const job = body as JobAnswer;
    return status === 200 && job.finished_at !== null && job;
  });
}

async function fileIsWhole(
  origin: string,
  { key }: Customer,
  { job, names, point }: { job: JobAnswer; names: string[]; point: CrashPoint },
): Promise<void> {
  const bytes = await eventually('the results', async () => {
    const headers = { 'x-api-key': key };
    const { statusCode, body } = await request(`${origin}/v2.0/jobs/${job.id}/results`, {
      headers,
    });
    const content = Buffer.from(await body.arrayBuffer());
    return statusCode === 200 && content;
  });
  const [{ sha256 }] = job.artifacts;
  const found = createHash('sha256').update(bytes).digest('hex');
  holds(found === sha256, `${point}: the file differs from the one that was announced`);
  const rows = gunzipSync(bytes).toString().trimEnd().split('\r\n').slice(1);
  const listed = rows.map((row) => row.split(',')[1]).toSorted();
  const isEach = JSON.stringify(listed) === JSON.stringify(names.toSorted());
  holds(isEach, `${point}: ${names.length} names were given, the file has ${listed.length}`);
}

/** Checks that one mail was sent for each finished job. */
async function mailsArrive({ installation, count }: InstallationHarness, customer: Customer) {
  const jobs = Object.keys(POINTS).length;
  const mails = await eventually('a mail for each job', async () => {
    const all = await installation.cluster.mailbox.newest(1_000);
    const told = all.filter(
      ({ to, subject }) => to === customer.email && subject.startsWith('Your bulk WHOIS job'),
    );
    return told.length >= jobs && told.length;
  });
  holds(mails === jobs, `${mails} mails say that ${jobs} jobs are done`);
  count('jobs', jobs);
}
