import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { AccountClient, ServiceHttp } from '#libs/contracts';
import { Logger, ServiceTokens, SystemClock, newId } from '#libs/platform';
import { HARNESS_SECRET } from '../../../../test/stand-ins/harness-secret.js';
import { KeyUseJob } from './key-use.job.js';

it('S15: keys of a failed report are included in the next report, so that no used key looks unused', async () => {
  const told: string[][] = [];
  let isAway = true;
  const account = createServer((request, response) => {
    void json(request).then((body) => {
      if (!isAway) told.push((body as { keyIds: string[] }).keyIds.toSorted());
      response.writeHead(isAway ? 503 : 201).end('{}');
    });
  });
  account.listen(0, '127.0.0.1');
  await once(account, 'listening');
  const url = `http://127.0.0.1:${(account.address() as AddressInfo).port}`;
  const tokens = new ServiceTokens(HARNESS_SECRET, new SystemClock());
  const http = new ServiceHttp({
    url,
    caller: 'gateway',
    audience: 'account',
    tokens,
    timeoutMs: 60_000,
  });
  const job = new KeyUseJob(new AccountClient(http), new Logger('gateway', { write: () => {} }));
  const [first, second] = [newId(), newId()];
  job.note(first);
  await job.runOnce();
  isAway = false;
  job.note(second);
  await job.runOnce();
  await job.runOnce();
  expect(told).toEqual([[first, second].toSorted()]);
  await http.close();
  account.close();
});
