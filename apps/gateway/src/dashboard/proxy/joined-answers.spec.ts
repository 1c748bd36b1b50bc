import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { AccountExports } from '#libs/database';
import { ServiceTokens, SystemClock, newId } from '#libs/platform';
import { TooManyExports } from '../dashboard.errors.js';
import { JoinedAnswersService } from './joined-answers.service.js';
import { ServiceProxies } from './service-proxies.js';

const OWNERS = [{ service: 'gateway', path: '/' }] as const;
const VISITOR = { clientAddress: '192.0.2.1', requestId: 'req_1' };
const NO_TABLES = { tables: [], withheld: {} };

it('S102: one account reads one export at a time, so that it keeps nobody else from theirs', async () => {
  const tokens = new ServiceTokens('s'.repeat(43), new SystemClock());
  const exports = new AccountExports(undefined as never, NO_TABLES);
  const service = new JoinedAnswersService(new ServiceProxies({}, tokens), exports);
  const join = (accountId: string) =>
    service.join(OWNERS, { method: 'GET', path: '/', visitor: VISITOR, accountId });
  const [greedy, other] = [newId(), newId()];
  const first = await join(greedy);
  await expect(join(greedy)).rejects.toThrow(TooManyExports);
  expect(await text(await join(other))).toContain(other);
  expect(await text(first)).toContain(greedy);
  // Whoever has read it, or has gone, may ask again.
  const again = await join(greedy);
  await new Promise((resolve) => again.once('close', resolve).destroy());
  expect(await text(await join(greedy))).toContain(greedy);
});
