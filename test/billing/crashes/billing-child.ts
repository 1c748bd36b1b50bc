import { json } from 'node:stream/consumers';
import { LocalMailbox } from '#libs/mail';
import { InProcessTransport } from '#libs/messaging';
import { Logger } from '#libs/platform';
import { FileClock } from '#test/environment';
import { BillingConfig } from '../../../apps/billing/src/billing.config.js';
import { JOBS, startBilling } from '../../../apps/billing/src/start.js';
import { LoopbackServer } from '../../stand-ins/json-server.js';
import { type AccountFate, deliverFate } from '../account-fate.js';

export type Errand =
  { kind: 'job'; name: string } | { kind: 'fate'; fate: AccountFate; accountId: string };

export interface ChildSettings {
  config: Partial<BillingConfig>;
  clockFile: string;
}

const { config, clockFile } = JSON.parse(process.env.BILLING_CHILD ?? '{}') as ChildSettings;
const clock = FileClock.follow(clockFile);
const logger = new Logger('billing', { write: (line) => process.stderr.write(line) }, 'error');
const transport = new InProcessTransport({
  logger,
  consumers: { account: ['billing'], billing: [] },
});
const service = await startBilling({
  config: Object.assign(new BillingConfig(), config),
  clock,
  logger,
  transport,
  mail: new LocalMailbox(clock),
  isScheduled: false,
});

const errands = new LoopbackServer(async (request, response) => {
  try {
    await run((await json(request)) as Errand);
    response.end();
  } catch (error) {
    response.writeHead(500).end((error as Error).stack);
  }
});
await errands.start();
new Logger('billing').info('billing is up', { url: service.url, errands: errands.url });

async function run(errand: Errand): Promise<void> {
  if (errand.kind === 'fate') {
    const { fate, accountId } = errand;
    return deliverFate(service, { fate, accountId, at: clock.now() });
  }
  const found = JOBS.find(({ job }) => job.name === errand.name);
  if (!found) throw new Error(`no job ${errand.name}`);
  await service.app.get(found.job, { strict: false }).runOnce();
}
