import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { TestClock } from '#test/environment';
import { BillingConfig } from '../billing.config.js';
import { PlanChangesService } from './plan-changes.service.js';

it.each([
  [2, 1],
  [4, 2],
  [10, 3],
])('of %i database connections, changes hold at most %i', async (poolSize, most) => {
  const config = Object.assign(new BillingConfig(), { poolSize });
  const running = new Set<string>();
  const together: number[] = [];
  const own = {
    async alone(accountId: string) {
      running.add(accountId);
      together.push(running.size);
      await nextTurn();
      running.delete(accountId);
    },
  };
  const nothing = {} as never;
  const changes = new PlanChangesService(
    own as never,
    nothing,
    nothing,
    nothing,
    new TestClock(),
    config,
  );
  await Promise.all(['a', 'b', 'c', 'd'].map((accountId) => changes.drop(accountId, 'plan')));
  expect(Math.max(...together)).toBe(most);
});
