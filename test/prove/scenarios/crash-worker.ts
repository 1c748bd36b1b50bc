import { newId } from '#libs/platform';
import { WebhookReceiver } from '../../worker/webhook-receiver.js';
import { ask } from '../environment/customer.js';
import { eventually } from '../environment/patience.js';
import { checkRest } from '../environment/traffic.js';
import { Victim } from '../environment/victim.js';
import type { Harness, Scenario } from '../scenario.js';
import { WORKER_DUTIES, type WorkerDuty } from './worker-duties.js';

/** The number of kills at each crash point with `--long`; otherwise, there is one. */
const LONG_KILLS = 3;
/** Expires the leases of killed processes, and skips the waits until their work is undone or removed. */
const HURRY = `
  update worker.work set until = clock_timestamp()
    where state = 'claimed' or (queue in ('job-starts', 'unneeded-files') and state = 'waiting');
  update worker.job_lease set lease_until = '-infinity';
  update worker.watched_names set whois_due_at = clock_timestamp()
    where whois_due_at between clock_timestamp() and clock_timestamp() + interval '5 minutes';
  update worker.watched_names set dns_due_at = clock_timestamp()
    where dns_due_at between clock_timestamp() and clock_timestamp() + interval '5 minutes'`;

/** The worker is killed at each step of a duty, with a separate task for each step. */
export const crashWorkerRows: Scenario[] = WORKER_DUTIES.map((duty) => ({
  name: `crash ${duty.points.join(', ')}`,
  group: 'background',
  run: async (harness) => {
    const receiver = new WebhookReceiver();
    try {
      await receiver.start();
      await crashAtAll(harness, receiver, duty);
    } finally {
      receiver.stop();
    }
  },
}));

async function crashAtAll(
  harness: Harness,
  receiver: WebhookReceiver,
  { points, open }: WorkerDuty,
): Promise<void> {
  const { installation, isLong } = harness;
  const startedAt = performance.now();
  const customer = await installation.regular();
  for (const limit of ['bulk', 'account'] as const) {
    await installation.limit(customer.accountId, limit);
  }
  const [origin] = installation.apiOrigins;
  const call = async (path: string, body?: object) => {
    const headers = {
      'x-api-key': customer.key,
      'idempotency-key': newId(),
      ...(body && { 'content-type': 'application/json' }),
    };
    const question = { method: 'POST', headers, body: body && JSON.stringify(body) };
    return eventually(`an answer to ${path}`, async () => {
      const answer = await ask(`${origin}${path}`, question);
      return answer.status < 300 && (answer.body as { id: string });
    });
  };
  const oneMore = await open({ installation, customer, receiver, call });
  const rounds = isLong ? LONG_KILLS : 1;
  for (const point of Array.from({ length: rounds }, () => points).flat()) {
    const circumstances = { hurry: HURRY, settings: receiver.environment };
    await new Victim(harness, 'worker', [point], circumstances).during(() => oneMore(point));
  }
  await checkRest(harness, { outageMs: performance.now() - startedAt });
}
