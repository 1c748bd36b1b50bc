import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { WEBHOOK_DATA, type WebhookSecretAnswer, type WebhooksAnswer } from '#libs/contracts';
import { MINUTE_MS, newId } from '#libs/platform';
import { isBlockedBy, waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';

const under = new WorkerUnderTest();

beforeAll(() => under.start());
afterAll(() => under.stop());

const call = (accountId: string, path: string, body?: object) =>
  under.gateway.call<WebhookSecretAnswer>('POST', `/internal/webhooks${path}`, { accountId, body });

async function publish(accountId: string): Promise<void> {
  const type = 'job.completed' as const;
  const event = { id: newId(), type, data: WEBHOOK_DATA[type].example };
  const deliveries = under.worker.app.get(DeliveriesService, { strict: false });
  await under.database.transaction((transaction) =>
    deliveries.publish(transaction, accountId, event),
  );
}

it.each([
  ['an event', publish, undefined],
  ['a test', (accountId: string, id: string) => call(accountId, `/${id}/test`), 'not_found'],
])('a webhook that is just being removed does not make %s fail', async (_, act, code) => {
  const accountId = newId();
  const body = { url: 'https://hooks.example.com/', events: ['job.completed'] };
  const { id } = await call(accountId, '', body);
  let acting: Promise<unknown> | undefined;
  await under.database.transaction(async (transaction) => {
    await transaction.query('delete from webhooks where id = $1', [id]);
    acting = act(accountId, id).catch((error: unknown) => error);
    await waitFor('it to wait for the removal', () => isBlockedBy(transaction));
  });
  expect(((await acting) as { code?: string } | undefined)?.code).toBe(code);
});

it('a call that is repeated with its Idempotency-Key adds one webhook, and only its first answer has the secret', async () => {
  const accountId = newId();
  const create = async (url: string) => {
    const { status, text } = await under.send('POST', '/internal/webhooks', {
      accountId,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: JSON.stringify({ url, events: ['job.completed'] }),
    });
    return { status, answer: JSON.parse(text) as Partial<WebhookSecretAnswer> & { code?: string } };
  };
  const url = 'https://hooks.example.com/';
  const { answer: first } = await create(url);
  const { secret, ...rest } = first;
  expect(secret).toMatch(/^whsec_/);
  expect(await create(url)).toMatchObject({ answer: rest });
  expect((await create(url)).answer.secret).toBeUndefined();
  expect((await create(`${url}other`)).answer.code).toBe('idempotency_key_reused');
  const path = '/internal/webhooks';
  const { webhooks } = await under.gateway.call<WebhooksAnswer>('GET', path, { accountId });
  expect(webhooks).toHaveLength(1);
});

it('if the form for a new secret is sent twice at once, the secret is rotated once', async () => {
  const accountId = newId();
  const body = { url: 'https://hooks.example.com/', events: ['job.completed'] };
  const { id } = await call(accountId, '', body);
  const send = () => call(accountId, `/${id}/rotate?previous=`);
  const sent = await Promise.allSettled([send(), send()]);
  expect(sent.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const errors = [{ field: 'previous', message: expect.any(String) }];
  const refused = sent.find(({ status }) => status === 'rejected');
  expect(refused).toMatchObject({ reason: { status: 400, errors } });
});

it('of simultaneous rotations by the API, one makes a secret, and the receiver’s secret signs for another day', async () => {
  const accountId = newId();
  const body = { url: 'https://hooks.example.com/', events: ['job.completed'] };
  const { id } = await call(accountId, '', body);
  const rotate = () => call(accountId, `/${id}/rotate`);
  const sent = await Promise.allSettled(Array.from({ length: 20 }, rotate));
  expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const errors = [{ field: 'id', message: expect.stringContaining('less than a minute ago') }];
  await expect(rotate()).rejects.toMatchObject({ status: 400, errors });
  under.clock.advance(MINUTE_MS);
  expect(await rotate()).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
});
