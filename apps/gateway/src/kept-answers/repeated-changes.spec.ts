import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { request } from 'undici';
import {
  MONITOR_CREATE,
  OPERATIONS,
  type Operation,
  WEBHOOK_CREATE,
  kindOf,
  listenerOf,
} from '#libs/contracts';
import { withClient } from '#libs/database';
import { waitFor } from '#test/environment';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';
import { LoopbackServer } from '../../../../test/stand-ins/json-server.js';

const SERVED = [MONITOR_CREATE, WEBHOOK_CREATE];
const SECRET = 'whsec_bmV2ZXIgc3RvcmVk';
let created = 0;
/** What the worker's answers wait for. */
let gate: Promise<void> | undefined;
const worker = new LoopbackServer(async (asked, response) => {
  created += 1;
  const own = created;
  await gate;
  const isWebhook = asked.url!.startsWith('/internal/webhooks');
  response.writeHead(201, { 'content-type': 'application/json' });
  const answer = {
    status: true,
    id: `one ${own} of Zürich`,
    ...(isWebhook && { secret: SECRET }),
  };
  response.end(JSON.stringify(answer));
});
let under: GatewayUnderTest;

beforeAll(async () => {
  await worker.start();
  under = await GatewayUnderTest.start({ WORKER_URL: worker.url }, SERVED);
});
afterAll(async () => {
  await under?.stop();
  await worker.stop();
});
beforeEach(() => {
  created = 0;
});

function changing({ routes, body }: Operation) {
  const { apiKey } = under.around.account.addKey({ scopes: ['monitors', 'webhooks'] });
  return async (signal?: AbortSignal) => {
    const answer = await request(under.url + routes[0].path, {
      method: 'POST',
      signal,
      headers: {
        'x-api-key': apiKey,
        'idempotency-key': 'our-shop',
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body.example),
    });
    return [answer.statusCode, await answer.body.json()];
  };
}

it('a repeated request with the same Idempotency-Key creates one monitor', async () => {
  const create = changing(MONITOR_CREATE);
  const first = await create();
  expect(first).toEqual([201, { status: true, id: 'one 1 of Zürich' }]);
  expect(await create()).toEqual(first);
});

it('a repeat returns the webhook that was created although the client had disconnected', async () => {
  const create = changing(WEBHOOK_CREATE);
  const { promise, resolve: open } = Promise.withResolvers<void>();
  gate = promise;
  const client = new AbortController();
  const given = create(client.signal).catch((error: Error) => error.name);
  await waitFor('the call', () => created === 1);
  client.abort();
  expect(await given).toBe('AbortError');
  // Once a later request is answered, the gateway has noticed the disconnect.
  await under.ask('/nothing');
  open();
  const again = await waitFor('the answer to be kept', async () => {
    const answer = await create();
    return answer[0] === 409 ? undefined : answer;
  });
  expect([created, again]).toEqual([1, [201, { status: true, id: 'one 1 of Zürich' }]]);
});

it('S5: a repeat returns the webhook without its secret, which is not stored', async () => {
  const create = changing(WEBHOOK_CREATE);
  const shown = { status: true, id: 'one 1 of Zürich' };
  expect(await create()).toEqual([201, { ...shown, secret: SECRET }]);
  expect(await create()).toEqual([201, shown]);
  const kept = await withClient(under.database.url(), async (client) => {
    const { rows } = await client.query<{ text: string }>(
      'select encode(body, $1) as text from gateway.kept_answers',
      ['escape'],
    );
    return rows.map(({ text }) => text).join();
  });
  expect(kept).toContain('one 1 of Z');
  expect(kept).not.toContain('whsec');
});

it('S5: an answer with a secret names the member that is not stored', () => {
  const withSecret = OPERATIONS.filter(
    ({ access, examples }) =>
      access.kind === 'key' && /whsec_|"key":"dds_/.test(JSON.stringify(examples)),
  );
  expect(withSecret.map(({ name, secretMember }) => [name, secretMember])).toEqual([
    ['webhooks.create', 'secret'],
    ['webhooks.rotate', 'secret'],
    ['api-keys.create', 'key'],
    ['api-keys.rotate', 'key'],
  ]);
});

it('every POST and PATCH with a key, except an upload, accepts an Idempotency-Key', () => {
  const without = OPERATIONS.filter(
    (row) =>
      listenerOf(row) === 'api' &&
      ['POST', 'PATCH'].includes(row.method) &&
      kindOf(row) === 'answer' &&
      !row.takesIdempotencyKey,
  );
  expect(without.map(({ name }) => name)).toEqual([]);
});
