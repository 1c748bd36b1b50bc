import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { CHARGED_ITEMS_HEADER, streamedLine } from '#libs/contracts';
import { withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { TestClock, waitFor } from '#test/environment';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';
import { problemAnswer } from '../../../../test/stand-ins/lookup-stand-in.js';
import { ForgetAnswersJob } from './forget-answers.job.js';
import { KeptAnswersMaintenanceRepository } from './kept-answers-maintenance.repository.js';
import { KEPT_MS } from './kept-answers.js';

const PATH = '/v2.0/bulkwhois/live';
const NAMES = { domainNames: ['a.example', 'b.example', 'c.example'] };
const SCOPES: ('whois' | 'bulk')[] = ['whois', 'bulk'];
const STREAM = { accept: 'application/x-ndjson' };

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];
let keys = 0;

beforeAll(async () => {
  under = await GatewayUnderTest.start();
  around = under.around;
  around.entitlement.bulkLimit = 1_000;
});
afterAll(() => under?.stop());
beforeEach(() => {
  under.forget();
  keys += 1;
  let asked = 0;
  around.lookup.respond = (_request, response) => {
    response.setHeader(CHARGED_ITEMS_HEADER, '2');
    response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live');
    response.end(`{"status":true,"asked":${(asked += 1)},"city":"Zürich"}`);
  };
});

async function post(apiKey: string, headers = {}, body: object = NAMES, url = under.url) {
  const answer = await request(url + PATH, {
    method: 'POST',
    headers: {
      'x-api-key': apiKey,
      'content-type': 'application/json',
      'idempotency-key': `order-${keys}`,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await answer.body.text();
  const json = text.startsWith('{')
    ? (JSON.parse(text.trimEnd().split('\n').at(-1)!) as Record<string, unknown>)
    : {};
  return { status: answer.statusCode, headers: answer.headers, text, json };
}

function answerInLines(count: number, isWhole: boolean): { closed: Promise<void> } {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  around.lookup.respond = (_asked, response) => {
    response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live');
    response.on('close', resolve);
    for (let at = 0; at < count; at += 1) {
      response.write(streamedLine(at === 1 ? 'free' : 'charged', `{"index":${at},"at":"Zürich"}`));
    }
    if (isWhole) response.end(streamedLine('last', '{"summary":{"delivered":2,"failed":1}}'));
  };
  return { closed };
}

/** Sends a request and disconnects once this text has arrived and `until` has finished. */
async function goAfter(
  apiKey: string,
  received: string,
  { accept = STREAM.accept, until = async () => {} } = {},
): Promise<void> {
  const body = JSON.stringify(NAMES);
  const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: a\r\nAccept: ${accept}\r\nX-API-Key: ${apiKey}\r\n` +
      `Idempotency-Key: order-${keys}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await waitFor('the question', () => around.lookup.questions.length === 1);
  if (received !== '') await waitFor('the lines', () => text.includes(received));
  await until();
  socket.destroy();
}

const linesOf = (text: string) => text.trimEnd().split('\n').slice(0, -1);

describe('a repeat with the same Idempotency-Key', () => {
  it('a repeat gets the same answer free of charge, even from another gateway', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: SCOPES });
    const first = await post(apiKey);
    expect(first.json).toMatchObject({ asked: 1, city: 'Zürich', meta: { credits_charged: 2 } });
    const other = await around.startGateway({ GATEWAY_JOURNAL: `${around.folder}/other` });
    for (const url of [under.url, other.apiUrl]) {
      const again = await post(apiKey, {}, NAMES, url);
      expect([again.status, again.headers['x-credits-cost']]).toEqual([200, '0']);
      const { meta, ...answer } = first.json;
      expect(again.json).toMatchObject({ ...answer, meta: { credits_charged: 0, repeat: true } });
      expect(again.json.meta).not.toMatchObject({ request_id: (meta as never)['request_id'] });
    }
    expect(around.lookup.questions).toHaveLength(1);
    await waitFor('the charge', () => around.entitlement.charged(keyRecord.accountId) === 2);
  });

  it('422: a repeat that differs in anything that affects the answer is a different request', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: SCOPES });
    await post(apiKey);
    expectProblem(
      await post(apiKey, {}, { domainNames: ['a.example'] }),
      422,
      'idempotency_key_reused',
    );
    expectProblem(await post(apiKey, STREAM), 422, 'idempotency_key_reused');
    expect(around.lookup.questions).toHaveLength(1);
    const stranger = around.account.addKey({ scopes: SCOPES });
    expect((await post(stranger.apiKey)).json).toMatchObject({ asked: 2 });
    await waitFor('the charge', () => around.entitlement.charged(keyRecord.accountId) === 2);
  });

  it('409: a repeat is rejected while the first request is running', async () => {
    const { apiKey } = around.account.addKey({ scopes: SCOPES });
    const respond = around.lookup.respond!;
    let goOn: (() => void) | undefined;
    around.lookup.respond = (...given) => void (goOn = () => respond(...given));
    const first = post(apiKey);
    await waitFor('the first one to run', () => goOn !== undefined);
    const { status, json } = await post(apiKey);
    expect([status, json.code]).toEqual([409, 'idempotency_key_running']);
    goOn!();
    expect((await first).status).toBe(200);
    expect((await post(apiKey)).json).toMatchObject({ asked: 1 });
  });

  it('a repeat runs if the first request was rejected and not charged', async () => {
    const { apiKey } = around.account.addKey({ scopes: SCOPES });
    around.lookup.respond = undefined;
    around.lookup.answer = () => problemAnswer(503, 'lookup_overloaded', 'throttled');
    expect((await post(apiKey)).status).toBe(503);
    const { json } = await waitFor('the key to be free', async () => {
      const answer = await post(apiKey);
      return answer.status === 409 ? undefined : answer;
    });
    expect(json).toMatchObject({ code: 'lookup_overloaded', credits_charged: 0 });
  });

  it('a repeat gets the lines of a stream', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: SCOPES });
    answerInLines(3, true);
    const first = await post(apiKey, STREAM);
    expect(first.json).toMatchObject({ summary: { failed: 1 }, meta: { credits_charged: 2 } });
    const again = await waitFor('the key to be settled', async () => {
      const answer = await post(apiKey, STREAM);
      return answer.status === 409 ? undefined : answer;
    });
    expect(linesOf(again.text)).toEqual(linesOf(first.text));
    expect(again.json).toMatchObject({
      summary: { failed: 1 },
      meta: { credits_charged: 0, repeat: true },
    });
    expect(around.lookup.questions).toHaveLength(1);
    await waitFor('the charge', () => around.entitlement.charged(keyRecord.accountId) === 2);
  });

  it('a repeat gets the lines of a stream even if the database could not store them at once', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: SCOPES });
    answerInLines(3, true);
    const respond = around.lookup.respond!;
    const ask = (command: string) =>
      withClient(under.database.url(), (client) => client.query(command));
    around.lookup.respond = (...given) =>
      void ask('revoke update on gateway.kept_answers from gateway').then(() => respond(...given));
    const first = await post(apiKey, STREAM);
    // A repeat is refused while the gateway cannot write the row.
    expect((await post(apiKey, STREAM)).status).toBe(503);
    await ask('grant update on gateway.kept_answers to gateway');
    const again = await waitFor('the key to be settled', async () => {
      const answer = await post(apiKey, STREAM);
      return answer.status === 409 ? undefined : answer;
    });
    expect(linesOf(again.text)).toEqual(linesOf(first.text));
    expect(linesOf(again.text)).toHaveLength(3);
    expect(around.lookup.questions).toHaveLength(1);
    await waitFor('the charge', () => around.entitlement.charged(keyRecord.accountId) === 2);
  });

  it('a repeat of an interrupted stream gets the lines that were sent and charged', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: SCOPES });
    const { closed } = answerInLines(3, false);
    await goAfter(apiKey, '"index":2');
    await closed;
    const again = await waitFor('the key to be settled', async () => {
      const answer = await post(apiKey, STREAM);
      return answer.status === 409 ? undefined : answer;
    });
    expect(linesOf(again.text)).toHaveLength(3);
    expect(again.json).toMatchObject({ error: 'broken_off', meta: { credits_charged: 0 } });
    expect(around.lookup.questions).toHaveLength(1);
    await waitFor('the charge', () => around.entitlement.charged(keyRecord.accountId) === 2);
  });

  it('a repeat runs if the first client disconnected before anything was sent', async () => {
    const { apiKey } = around.account.addKey({ scopes: SCOPES });
    const { closed } = answerInLines(0, false);
    await goAfter(apiKey, '');
    await closed;
    answerInLines(3, true);
    const again = await waitFor('the key to be free', async () => {
      const answer = await post(apiKey, STREAM);
      return answer.status === 409 ? undefined : answer;
    });
    expect(again.json).toMatchObject({ meta: { credits_charged: 2 } });
  });

  it('if the first client disconnects while its answer is being stored, the answer is charged and a repeat gets it', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: SCOPES });
    const respond = around.lookup.respond!;
    let goOn: (() => void) | undefined;
    around.lookup.respond = (...given) => void (goOn = () => respond(...given));
    await withClient(under.database.url(), async (client) => {
      const until = async () => {
        await client.query('begin');
        await client.query('select from gateway.kept_answers where key = $1 for update', [
          `order-${keys}`,
        ]);
        goOn!();
        await waitFor('the answer to be kept', async () => {
          const { rows } = await client.query(
            'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
          );
          return rows.length === 1;
        });
      };
      await goAfter(apiKey, '', { accept: 'application/json', until });
      // Once a later request is answered, the gateway has noticed the disconnect.
      await under.ask('/health');
      await client.query('commit');
    });
    await waitFor('the charge', () => around.entitlement.charged(keyRecord.accountId) === 2);
    const again = await post(apiKey);
    expect([again.json.asked, again.headers['x-credits-cost']]).toEqual([1, '0']);
  });

  it.each([
    ['to an account’s test keys', 'test', 'registered.test', '1', 'fixture'],
    ['that cost nothing', 'live', 'a.example', '0', 'live'],
  ] as const)(
    'S130: only the newest 100 answers %s are kept, and at most 4 MiB of them',
    async (_, environment, name, items, source) => {
      const accountId = newId();
      const { apiKey } = around.account.addKey({ accountId, scopes: SCOPES, environment });
      const names = { domainNames: [name] };
      let size = 10;
      around.lookup.respond = (_request, response) => {
        response.setHeader(CHARGED_ITEMS_HEADER, items);
        response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', source);
        response.end(JSON.stringify({ text: 'x'.repeat(size) }));
      };
      const kept = () =>
        withClient(under.database.url(), async (client) => {
          const { rows } = await client.query<{ count: number; bytes: number }>(
            `select count(*)::int, coalesce(sum(length(body)), 0)::int as bytes
             from gateway.kept_answers where account_id = $1`,
            [accountId],
          );
          return rows[0];
        });
      const ask = async (place: number) =>
        (await post(apiKey, { 'idempotency-key': `test-${place}` }, names)).status;
      for (let place = 0; place < 130; place += 1) expect(await ask(place)).toBe(200);
      expect((await kept()).count).toBe(100);
      const asked = around.lookup.questions.length;
      expect(await ask(129)).toBe(200);
      expect(around.lookup.questions).toHaveLength(asked);
      expect(await ask(0)).toBe(200);
      expect(around.lookup.questions).toHaveLength(asked + 1);
      size = 300_000;
      for (let place = 200; place < 220; place += 1) expect(await ask(place)).toBe(200);
      const { bytes } = await kept();
      expect(bytes).toBeGreaterThan(3 * 1024 * 1024);
      expect(bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
    },
    60_000,
  );

  it('a request with a used key runs again after 24 hours, once the stored answer has been deleted', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: SCOPES });
    await post(apiKey);
    const tomorrow = new TestClock(new Date(Date.now() + KEPT_MS + 1_000));
    const maintenance = await under.database.maintenance('gateway');
    const answers = new KeptAnswersMaintenanceRepository(maintenance);
    await new ForgetAnswersJob(answers, tomorrow).runOnce();
    expect((await post(apiKey)).json).toMatchObject({ asked: 2 });
    await waitFor('the charge', () => around.entitlement.charged(keyRecord.accountId) === 4);
  });
});
