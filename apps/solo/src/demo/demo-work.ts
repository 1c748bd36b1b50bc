import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Allowance,
  CreateMonitorRequest,
  JobsAnswer,
  MonitorsAnswer,
  WebhookAnswer,
  WebhooksAnswer,
} from '#libs/contracts';

const POLL_MS = 100;
const POLLS_MAX = 300;

/** Names that are reserved for examples: they have data, and no third party's name is queried. */
const NAMES = ['example.com', 'example.net', 'example.org'];
const MONITORS: readonly CreateMonitorRequest[] = [
  { kind: 'domain', name: 'Our domain', domainName: 'example.com' },
  { kind: 'brand', name: 'Names like ours', keyword: 'example' },
  { kind: 'registrant', name: 'Our company', company: 'Demo Ltd' },
];
const WEBHOOK = {
  url: 'https://hooks.example.com/domain-data',
  events: ['job.completed', 'monitor.triggered'],
};

export type AskWorker = (
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
) => Promise<unknown>;

/**
 * Creates two jobs, a monitor of each kind and a webhook, as the pages would, unless an earlier start has created them.
 * @param allowance returns the account's allowance; a plan that has just been paid for allows its monitors a moment
 *   later.
 */
export async function startDemoWork(
  ask: AskWorker,
  allowance: () => Promise<Allowance>,
): Promise<void> {
  const { jobs } = (await ask('GET', '/jobs')) as JobsAnswer;
  if (!jobs.some(({ kind }) => kind === 'whois')) {
    await ask('POST', '/jobs/whois', { domainNames: NAMES });
  }
  if (!jobs.some(({ kind }) => kind === 'dns')) {
    await ask('POST', '/jobs/dns', { domainNames: NAMES });
  }
  const { monitors } = (await ask('GET', '/monitors')) as MonitorsAnswer;
  for (const monitor of MONITORS) {
    if (monitors.some(({ kind }) => kind === monitor.kind)) continue;
    await isAllowed(monitor, allowance);
    await ask('POST', '/monitors', monitor);
  }
  const { webhooks } = (await ask('GET', '/webhooks')) as WebhooksAnswer;
  if (webhooks.length > 0) return;
  const { id } = (await ask('POST', '/webhooks', WEBHOOK)) as WebhookAnswer;
  // No server answers at this URL.
  await ask('PATCH', `/webhooks/${id}`, { state: 'paused' });
}

async function isAllowed(
  { kind }: CreateMonitorRequest,
  allowance: () => Promise<Allowance>,
): Promise<void> {
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    if ((await allowance()).monitors[kind] > 0) return;
    await sleep(POLL_MS);
  }
  throw new Error(`the plan of the demo account allows no ${kind} monitor`);
}
