import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BillingClient, ServiceHttp } from '#libs/contracts';
import { ServiceTokens, ServiceUnavailable, SystemClock } from '#libs/platform';
import { ServicePool } from './connections/service-connect.js';

const LIMIT_MS = 50;
const ANSWER_MS = 500;
const tokens = new ServiceTokens('one-secret-of-the-whole-installation', new SystemClock());

describe('the time limit of a call', () => {
  let service: Server;
  let http: ServiceHttp;

  beforeAll(async () => {
    service = createServer((_request, response) => {
      void sleep(ANSWER_MS).then(() => response.end('{}'));
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    http = new ServiceHttp({
      url,
      caller: 'cli',
      audience: 'billing',
      tokens,
      timeoutMs: LIMIT_MS,
    });
  });
  afterAll(async () => {
    await http.close();
    service.close();
  });

  it('a comparison of all payments may take longer than other calls', async () => {
    const billing = new BillingClient(http);
    await expect(billing.setAside()).rejects.toThrow(ServiceUnavailable);
    expect(await billing.reconcile()).toEqual({});
  });

  it('no other limit ends a call: undici would end it after five minutes', async () => {
    const request = jest.spyOn(ServicePool.prototype, 'request');
    await http.call('GET', '/', { timeoutMs: 60_000 });
    const limits = expect.objectContaining({ headersTimeout: 0, bodyTimeout: 0 });
    expect(request).toHaveBeenCalledWith(limits);
    request.mockRestore();
  });
});
