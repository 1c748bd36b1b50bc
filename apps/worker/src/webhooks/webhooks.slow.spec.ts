import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  WEBHOOK_DATA,
  type WebhookAnswer,
  type WebhookDeliveriesAnswer,
  type WebhookDelivery,
  type WebhookSecretAnswer,
} from '#libs/contracts';
import { DAY_MS, HOUR_MS, SECOND_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { type ReceivedEvent, WebhookReceiver } from '../../../../test/worker/webhook-receiver.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { DeliverWebhooksJob } from '../deliveries/deliver-webhooks.job.js';
import { DeliveryQueue } from '../deliveries/delivery-queue.js';
import { signatureOf } from '../deliveries/signature.js';

const under = new WorkerUnderTest();
const { clock, mailbox } = under;
const receiver = new WebhookReceiver();
const { answers, hanging } = receiver;
const arrivedAt = (host: string) => receiver.arrivedAt(host);

beforeAll(async () => under.start(undefined, await receiver.start()));
afterAll(async () => {
  receiver.stop();
  await under.stop();
});

const inside = () => ({
  database: under.database,
  accounts: under.accounts,
  deliveries: under.worker.app.get(DeliveriesService, { strict: false }),
  queue: under.worker.app.get(DeliveryQueue, { strict: false }),
});

async function call<T>(
  accountId: string,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  rest: string,
  body?: object,
) {
  return under.gateway.call<T>(method, `/internal/webhooks${rest}`, { accountId, body });
}

async function create(accountId: string, host: string): Promise<WebhookSecretAnswer> {
  const body = { url: `https://${host}/in?key=1`, events: ['job.completed'] };
  return call(accountId, 'POST', '', body);
}

async function publish(accountId: string, id = newId()): Promise<void> {
  const { database, deliveries } = inside();
  const type = 'job.completed' as const;
  const event = { id, type, data: { ...WEBHOOK_DATA[type].example, id } };
  await database.transaction((transaction) => deliveries.publish(transaction, accountId, event));
}

async function firstOf(accountId: string, webhookId: string): Promise<WebhookDelivery> {
  const path = `/${webhookId}/deliveries`;
  const { deliveries } = await call<WebhookDeliveriesAnswer>(accountId, 'GET', path);
  return deliveries[0];
}

const codeOf = (error: unknown) => (error as { code?: string } | undefined)?.code;

const secretOf = ({ secret = '' }: WebhookSecretAnswer) =>
  Buffer.from(secret.replace('whsec_', ''), 'base64');

function isSignedWith({ headers, body }: ReceivedEvent, secret: Buffer): boolean {
  const id = headers['webhook-id'];
  const timestamp = Number(headers['webhook-timestamp']);
  const wanted = signatureOf({ id, timestamp, body }, [secret]);
  return headers['webhook-signature'].split(' ').includes(wanted);
}

/** Sends what is due, which the worker does only once a second. */
const sendDue = () => under.get(DeliverWebhooksJob).runOnce();

async function untilTries(accountId: string, webhookId: string, tries: number): Promise<void> {
  const { database, queue } = inside();
  await waitFor(`${tries} tries`, async () => {
    const delivery = await firstOf(accountId, webhookId);
    if (delivery.tries >= tries || delivery.state !== 'pending') return true;
    await queue.redrive(database, delivery.id);
    await sendDue();
    return false;
  });
}

describe('webhooks', () => {
  it('signatures follow Standard Webhooks', () => {
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const message = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
      body: '{"test": 2432232314}',
    };
    const wanted = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
    expect(signatureOf(message, [secret])).toBe(wanted);
  });

  it('an event arrives once, signed, and is logged, and no other event or account gets anything', async () => {
    const accountId = newId();
    const webhook = await create(accountId, 'a.hooks.example');
    const id = newId();
    await publish(accountId, id);
    await publish(accountId, id);
    await publish(newId());
    await waitFor('the delivery', async () => {
      const delivery = await firstOf(accountId, webhook.id);
      return delivery?.state === 'delivered';
    });
    const [only, ...more] = arrivedAt('a.hooks.example');
    expect(more).toEqual([]);
    expect(isSignedWith(only, secretOf(webhook))).toBe(true);
    expect(isSignedWith(only, Buffer.alloc(32))).toBe(false);
    expect(JSON.parse(only.body)).toEqual({
      type: 'job.completed',
      timestamp: '2026-11-23T10:00:00.000Z',
      data: { ...WEBHOOK_DATA['job.completed'].example, id },
    });
    expect(await firstOf(accountId, webhook.id)).toMatchObject({ tries: 1, response_status: 204 });
  });

  it('both secrets sign during a rotation, and afterwards only the new one', async () => {
    const accountId = newId();
    const webhook = await create(accountId, 'b.hooks.example');
    const rotated = await call<WebhookSecretAnswer>(accountId, 'POST', `/${webhook.id}/rotate`);
    expect(rotated.secret).not.toBe(webhook.secret);
    await call(accountId, 'POST', `/${webhook.id}/test`);
    await waitFor('the test', () => arrivedAt('b.hooks.example').length === 1);
    const [both] = arrivedAt('b.hooks.example');
    expect([webhook, rotated].map((one) => isSignedWith(both, secretOf(one)))).toEqual([
      true,
      true,
    ]);
    clock.advance(25 * 3_600_000);
    await call(accountId, 'POST', `/${webhook.id}/test`);
    await waitFor('the next', () => arrivedAt('b.hooks.example').length === 2);
    const [, next] = arrivedAt('b.hooks.example');
    expect([webhook, rotated].map((one) => isSignedWith(next, secretOf(one)))).toEqual([
      false,
      true,
    ]);
  });

  it('a delivery that keeps failing is tried ten times, disables the webhook, causes an e-mail, and can be sent again', async () => {
    const accountId = newId();
    const webhook = await create(accountId, 'c.hooks.example');
    answers.set('c.hooks.example', 302);
    await publish(accountId);
    await untilTries(accountId, webhook.id, 10);
    expect(await firstOf(accountId, webhook.id)).toMatchObject({
      state: 'failed',
      tries: 10,
      fault: 'http_302',
    });
    expect(arrivedAt('c.hooks.example')).toHaveLength(10);
    expect(arrivedAt('other.hooks.example')).toEqual([]);
    expect(await call(accountId, 'GET', `/${webhook.id}`)).toMatchObject({ state: 'disabled' });
    const to = `${accountId}@payer.example`;
    const { text } = await waitFor('the mail', async () =>
      (await mailbox.newest(100)).find((mail) => mail.to === to),
    );
    expect(text).toContain('events that occur before you reactivate it are lost');
    const { id } = await firstOf(accountId, webhook.id);
    await publish(accountId);
    expect(await firstOf(accountId, webhook.id)).toMatchObject({ id });
    const replay = `/${webhook.id}/deliveries/${id}/replay`;
    await expect(call(accountId, 'POST', replay)).rejects.toMatchObject({
      code: 'webhook_not_active',
    });
    answers.delete('c.hooks.example');
    await call(accountId, 'PATCH', `/${webhook.id}`, { state: 'active' });
    await call(accountId, 'POST', replay);
    await waitFor(
      'the replay',
      async () => (await firstOf(accountId, webhook.id)).state === 'delivered',
    );
    const ids = arrivedAt('c.hooks.example').map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([id]));
  });

  it('a delivery that is sent again during its last attempt starts over, however that attempt ends', async () => {
    const accountId = newId();
    const webhook = await create(accountId, 'late.hooks.example');
    answers.set('late.hooks.example', 500);
    await publish(accountId);
    await waitFor(
      'the first attempt',
      async () => (await firstOf(accountId, webhook.id)).tries > 0,
    );
    const { id } = await firstOf(accountId, webhook.id);
    await under.database.query('update webhook_deliveries set tries = 9 where id = $1', [id]);
    answers.set('late.hooks.example', -1);
    await waitFor('the last attempt', async () => {
      if (hanging.size === 1) return true;
      // The result of the first attempt may not be stored yet when the next attempt is due.
      await inside().queue.redrive(under.database, id);
      return false;
    });
    const [last] = hanging;
    await call(accountId, 'POST', `/${webhook.id}/deliveries/${id}/replay`);
    answers.delete('late.hooks.example');
    last.writeHead(500).end();
    await waitFor(
      'the delivery',
      async () => (await firstOf(accountId, webhook.id)).state !== 'pending',
    );
    expect(await firstOf(accountId, webhook.id)).toMatchObject({ state: 'delivered', tries: 1 });
    expect(await call(accountId, 'GET', `/${webhook.id}`)).toMatchObject({ state: 'active' });
  });

  it('two concurrent changes to a webhook are both kept', async () => {
    const accountId = newId();
    const { id } = await create(accountId, 'twice.hooks.example');
    const other = ['file.published'];
    for (let round = 0; round < 10; round += 1) {
      await call(accountId, 'PATCH', `/${id}`, { state: 'active', events: ['job.completed'] });
      await Promise.all([
        call(accountId, 'PATCH', `/${id}`, { state: 'paused' }),
        call(accountId, 'PATCH', `/${id}`, { events: other }),
      ]);
      const webhook = await call(accountId, 'GET', `/${id}`);
      expect(webhook).toMatchObject({ state: 'paused', events: other });
    }
  });

  it('S118: deliveries, even of tests, wait while the account is deleted or suspended, and are sent afterwards', async () => {
    const { database, accounts, queue } = inside();
    const accountId = newId();
    const webhook = await create(accountId, 'closed.hooks.example');
    const sent = () => arrivedAt('closed.hooks.example').length;
    const apply = (change: 'remove' | 'restore') =>
      database.transaction((transaction) => accounts[change](transaction, accountId));
    const suspend = (isSuspended: boolean) =>
      database.transaction((transaction) =>
        accounts.changeSuspension(transaction, accountId, isSuspended),
      );
    const putOff = (id: string) =>
      waitFor('the delivery to wait', async () => {
        const sql = `select from work where name = $1 and state = 'waiting' and until > now() + interval '1 minute'`;
        if ((await database.query(sql, [id])).length === 1) return true;
        await queue.redrive(database, id);
        await sendDue();
        return false;
      });
    const arrives = async (id: string, count: number) => {
      await queue.redrive(database, id);
      await sendDue();
      await waitFor('the event', () => sent() === count);
      await waitFor('its entry', async () => {
        const { state } = await firstOf(accountId, webhook.id);
        return state === 'delivered';
      });
    };
    answers.set('closed.hooks.example', 500);
    await publish(accountId);
    await waitFor('a try', async () => (await firstOf(accountId, webhook.id)).tries > 0);
    const { id } = await firstOf(accountId, webhook.id);
    await apply('remove');
    const tried = sent();
    await putOff(id);
    expect(sent()).toBe(tried);
    answers.delete('closed.hooks.example');
    await apply('restore');
    await arrives(id, tried + 1);
    await suspend(true);
    const test = await call<WebhookDelivery>(accountId, 'POST', `/${webhook.id}/test`);
    await putOff(test.id);
    expect(sent()).toBe(tried + 1);
    await suspend(false);
    await arrives(test.id, tried + 2);
  });

  it('429: each webhook can be tested sixty times an hour, even if the tests are simultaneous', async () => {
    const accountId = newId();
    const { id } = await create(accountId, 'tested.hooks.example');
    const test = async () => call<WebhookDelivery>(accountId, 'POST', `/${id}/test`);
    for (let count = 0; count < 30; count += 1) await test();
    clock.advance(HOUR_MS / 2);
    for (let count = 0; count < 28; count += 1) await test();
    const tests = await Promise.all(Array.from({ length: 6 }, () => test().catch(codeOf)));
    expect(tests.filter((one) => one === 'too_many_tests')).toHaveLength(4);
    await expect(test()).rejects.toMatchObject({
      code: 'too_many_tests',
      retryAfterSeconds: HOUR_MS / 2 / SECOND_MS,
    });
    await publish(accountId);
    clock.advance(HOUR_MS / 2);
    await test();
    await waitFor('the events', () => arrivedAt('tested.hooks.example').length === 62);
  });

  it('429: at most 2,000 deliveries a day can be sent again', async () => {
    const accountId = newId();
    const { id } = await create(accountId, 'again.hooks.example');
    await publish(accountId);
    await waitFor('the event', () => arrivedAt('again.hooks.example').length === 1);
    const delivery = await firstOf(accountId, id);
    const replay = () => call(accountId, 'POST', `/${id}/deliveries/${delivery.id}/replay`);
    await replay();
    await under.database.query(
      `update daily_counts set count = count + 1998 where account_id = $1 and subject = 'replays'`,
      [accountId],
    );
    await replay();
    await expect(replay()).rejects.toMatchObject({ code: 'too_many_tests', status: 429 });
    clock.advance(DAY_MS);
    await replay();
  });

  it('409: at most 100 webhooks can be created a day, including removed ones', async () => {
    const accountId = newId();
    const { id } = await create(accountId, 'made.hooks.example');
    await call(accountId, 'DELETE', `/${id}`);
    await under.database.query(
      `update daily_counts set count = count + 98 where account_id = $1 and subject = 'webhooks'`,
      [accountId],
    );
    await create(accountId, 'made.hooks.example');
    await expect(create(accountId, 'made.hooks.example')).rejects.toMatchObject({
      status: 409,
      code: 'too_many_webhooks',
    });
    clock.advance(DAY_MS);
    await create(accountId, 'made.hooks.example');
  });

  it('the answer 410 disables the webhook at once', async () => {
    const accountId = newId();
    const webhook = await create(accountId, 'gone.hooks.example');
    answers.set('gone.hooks.example', 410);
    await publish(accountId);
    await waitFor('the end', async () => {
      const { state } = await call<WebhookAnswer>(accountId, 'GET', `/${webhook.id}`);
      return state === 'disabled';
    });
    expect(arrivedAt('gone.hooks.example')).toHaveLength(1);
  });

  it('webhooks that do not answer do not delay other webhooks', async () => {
    const silent = Array.from({ length: 6 }, () => newId());
    for (const [n, accountId] of silent.entries()) {
      answers.set(`silent-${n}.hooks.example`, -1);
      await create(accountId, `silent-${n}.hooks.example`);
      for (let event = 0; event < 20; event += 1) await publish(accountId);
    }
    await waitFor('their first tries', () => hanging.size >= 12);
    const accountId = newId();
    await create(accountId, 'quick.hooks.example');
    for (let event = 0; event < 10; event += 1) await publish(accountId);
    await waitFor('the others', () => arrivedAt('quick.hooks.example').length === 10);
    expect(hanging.size).toBeLessThanOrEqual(6 * 4);
    for (const [n] of silent.entries()) answers.set(`silent-${n}.hooks.example`, 204);
  });

  it('S57: a URL without https, with another port, with credentials or to an internal host is rejected', async () => {
    const accountId = newId();
    for (const url of [
      'http://a.hooks.example/',
      'https://a.hooks.example:8443/',
      'https://user:word@a.hooks.example/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/latest',
      'https://localhost/',
      'https://localhost./',
      'https://hooks.localhost/',
      'https://hooks.localhost./',
      'https://0x7f.1/',
      'no address',
      // A host that is longer than any name is not converted to A-labels.
      `https://${'é'.repeat(300)}.example/`,
      `https:\t/\t/${'é'.repeat(300)}.example/`,
    ]) {
      const asked = call(accountId, 'POST', '', { url, events: ['job.completed'] });
      await expect(asked).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    }
  });

  it('an account has at most ten webhooks, sees only its own, and leaves none behind when it is erased', async () => {
    const accountId = newId();
    const made = await Promise.allSettled(
      Array.from({ length: 12 }, async () => create(accountId, 'd.hooks.example')),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(made.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'too_many_webhooks' },
    });
    const { webhooks } = await call<{ webhooks: WebhookAnswer[] }>(accountId, 'GET', '');
    const [{ id }] = webhooks;
    expect(JSON.stringify(webhooks)).not.toContain('whsec_');
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
    ] as const) {
      await expect(call(newId(), method, `/${id}${rest}`)).rejects.toMatchObject({ status: 404 });
    }
    const { database, accounts } = inside();
    await database.transaction((transaction) => accounts.erase(transaction, accountId));
    expect(await call(accountId, 'GET', '')).toMatchObject({ webhooks: [] });
  });
});
