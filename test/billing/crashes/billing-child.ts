import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Database } from '#libs/database';
import { LocalMailbox } from '#libs/mail';
import { InProcessTransport } from '#libs/messaging';
import { Logger } from '#libs/platform';
import { FileClock } from '#test/environment';
import { BillingConfig } from '../../../apps/billing/src/billing.config.js';
import { JOBS, startBilling } from '../../../apps/billing/src/start.js';
import { type AccountFate, deliverFate } from '../account-fate.js';

/** A task that the parent gives a child process, as the body of a request. */
export type Errand =
  { kind: 'job'; name: string } | { kind: 'fate'; fate: AccountFate; accountId: string };

/** The settings that the parent gives a child process. */
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
const given = Object.assign(new BillingConfig(), config);
const service = await startBilling({
  config: given,
  clock,
  logger,
  transport,
  mail: new LocalMailbox(clock),
  isScheduled: false,
});
const database = await Database.open({ url: given.databaseUrl, applicationName: 'errands' });

const errands = createServer((request, response) => {
  void json(request)
    .then((errand) => run(errand as Errand))
    .then(
      () => response.end(),
      (error: Error) => response.writeHead(500).end(error.stack),
    );
}).listen(0, '127.0.0.1');
await once(errands, 'listening');
const { port } = errands.address() as AddressInfo;
new Logger('billing').info('billing is up', {
  url: service.url,
  errands: `http://127.0.0.1:${port}`,
});

async function run(errand: Errand): Promise<void> {
  if (errand.kind === 'fate') {
    const { fate, accountId } = errand;
    return deliverFate(service, database, { fate, accountId, at: clock.now() });
  }
  const found = JOBS.find(({ job }) => job.name === errand.name);
  if (!found) throw new Error(`no job ${errand.name}`);
  await service.app.get(found.job, { strict: false }).runOnce();
}
