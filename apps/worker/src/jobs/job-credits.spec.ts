import { expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import type { ServiceClients } from '../service-clients.js';
import { JobCreditsService } from './job-credits.service.js';

const JOB = {
  id: newId(),
  accountId: newId(),
  kind: 'whois',
  uniqueNames: 3,
  unsupported: 0,
} as const;

it.each([
  ['waits for credits that are still frozen after a restoration', [0, 3], 'held'],
  ['gets credits that are released just after they were missing', [3, 0], 'held'],
  ['does not wait for fewer frozen credits than it costs', [0, 2], 'insufficient_credits'],
])('a job %s', async (_title, [spendable, frozen], expected) => {
  const outcomes = ['insufficient', 'held'];
  const hold = async () => ({ outcome: outcomes.shift(), spendable: 0 });
  const clients = { entitlement: { hold, balance: async () => ({ spendable, frozen }) } };
  const credits = new JobCreditsService(clients as unknown as ServiceClients);
  const ended = await credits.hold(JOB).then(
    () => 'held',
    ({ code }: { code: string }) => code,
  );
  expect(ended).toBe(expected);
});
