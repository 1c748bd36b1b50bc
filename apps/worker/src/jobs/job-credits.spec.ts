import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
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
  ['waits for credits that are still frozen after a restoration', 3, 'held'],
  ['does not wait for fewer frozen credits than it costs', 2, 'insufficient_credits'],
])('a job %s', async (_title, frozen, expected) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const outcomes = ['insufficient', 'held'];
  const hold = async () => ({ outcome: outcomes.shift(), spendable: 0 });
  const clients = { entitlement: { hold, balance: async () => ({ frozen }) } };
  const credits = new JobCreditsService(clients as unknown as ServiceClients);
  const ended = credits.hold(JOB).then(
    () => 'held',
    ({ code }: { code: string }) => code,
  );
  await setImmediate();
  mock.timers.tick(1_000);
  mock.timers.reset();
  expect(await ended).toBe(expected);
});
