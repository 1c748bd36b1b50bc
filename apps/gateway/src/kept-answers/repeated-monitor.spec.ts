import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { request } from 'undici';
import { MONITOR_CREATE } from '#libs/contracts';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';
import { LoopbackServer } from '../../../../test/stand-ins/json-server.js';

let created = 0;
const worker = new LoopbackServer((_asked, response) => {
  created += 1;
  response.writeHead(201, { 'content-type': 'application/json' });
  response.end(`{"status":true,"id":"monitor ${created}"}`);
});
let under: GatewayUnderTest;

beforeAll(async () => {
  await worker.start();
  under = await GatewayUnderTest.start({ WORKER_URL: worker.url }, [MONITOR_CREATE]);
});
afterAll(async () => {
  await under?.stop();
  await worker.stop();
});

it('a repeated request with the same Idempotency-Key creates one monitor', async () => {
  const { apiKey } = under.around.account.addKey({ scopes: ['monitors'] });
  const create = async () => {
    const { statusCode, body } = await request(`${under.url}/v2.0/monitors`, {
      method: 'POST',
      headers: {
        'x-api-key': apiKey,
        'content-type': 'application/json',
        'idempotency-key': 'our-shop',
      },
      body: JSON.stringify(MONITOR_CREATE.body!.example),
    });
    return [statusCode, await body.json()];
  };
  const first = await create();
  expect(first).toEqual([201, { status: true, id: 'monitor 1' }]);
  expect(await create()).toEqual(first);
});
