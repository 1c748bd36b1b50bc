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

function serviceWith(clients: object): JobCreditsService {
  const credits = new JobCreditsService(clients as ServiceClients);
  credits.pauseMs = 50;
  return credits;
}

it.each([
  ['waits for credits that are still frozen after a restoration', [0, 3], 'held'],
  ['gets credits that are released just after they were missing', [3, 0], 'held'],
  ['does not wait for fewer frozen credits than it costs', [0, 2], 'insufficient_credits'],
])('a job %s', async (_title, [spendable, frozen], expected) => {
  const outcomes = ['insufficient', 'held'];
  const hold = async () => ({ outcome: outcomes.shift(), spendable: 0 });
  const clients = { entitlement: { hold, balance: async () => ({ spendable, frozen }) } };
  const credits = serviceWith(clients);
  const ended = await credits.hold(JOB).then(
    () => 'held',
    ({ code }: { code: string }) => code,
  );
  expect(ended).toBe(expected);
});

it('few starts wait for credits that are held elsewhere, so that connections stay free', async () => {
  let isElsewhere = true;
  const hold = async () => ({ outcome: isElsewhere ? 'elsewhere' : 'held', spendable: 0 });
  const credits = serviceWith({ entitlement: { hold } });
  const ended: string[] = [];
  const start = async (name: string, accountId: string) =>
    credits.hold({ ...JOB, accountId }).then(
      () => ended.push(name),
      ({ code }: { code: string }) => ended.push(`${name} ${code}`),
    );
  const ofAccounts = Array.from({ length: 9 }, () => newId());
  const starts = ofAccounts.flatMap((id, place) =>
    ['a', 'b', 'c'].map((name) => start(`${place}${name}`, id)),
  );
  await new Promise(setImmediate);
  const refused = ['0c', '1c', '2c', '3c', '4c', '5c', '6c', '7c', '8a', '8b', '8c'];
  expect(ended).toEqual(refused.map((name) => `${name} credits_busy`));
  isElsewhere = false;
  await Promise.all(starts);
  isElsewhere = true;
  const later = start('later', ofAccounts[0]);
  await new Promise(setImmediate);
  isElsewhere = false;
  await later;
  expect(ended.at(-1)).toBe('later');
  expect(ended).toHaveLength(27 + 1);
});
