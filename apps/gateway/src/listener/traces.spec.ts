import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { waitFor } from '#test/environment';
import { GatewayUnderTest, live } from '../../../../test/gateway/gateway-under-test.js';
import { problemAnswer } from '../../../../test/stand-ins/lookup-stand-in.js';

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];
let ask: GatewayUnderTest['ask'];

beforeAll(async () => {
  under = await GatewayUnderTest.start();
  around = under.around;
  ask = under.ask.bind(under);
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

describe('traces of a request', () => {
  it('S8: the key appears in no log, no call to lookup, no log row and no answer', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    const secret = apiKey.slice(9);
    const answers = [
      await ask(live(apiKey)),
      await ask(live(apiKey, `&domainName=a.example&${apiKey}=1&x=${apiKey}`)),
      await ask(`/${apiKey}?apiKey=${apiKey}`),
      await ask(live(`${apiKey}x`)),
    ];
    around.lookup.answer = () => ({ status: 500, headers: {}, body: '' });
    answers.push(await ask(live(apiKey, '&domainName=b.example')));
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 401, 503]);
    const rows = await under.logRows(keyRecord.accountId, 3);
    expect(around.lookup.questions).toHaveLength(2);
    const sinks = [
      ...answers.map(({ text, headers }) => text + JSON.stringify(headers)),
      JSON.stringify(around.lookup.questions),
      JSON.stringify(rows),
      around.logged,
    ];
    for (const sink of sinks) expect(sink).not.toContain(secret);
  });

  it('the request log lists each call of a known account with its cost', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    const first = await ask(live(apiKey));
    await ask(live(apiKey, '&domainName=ex%09ample'));
    around.lookup.answer = () => ({ ...problemAnswer(503, 'lookup_overloaded', ''), headers: {} });
    await ask(live(apiKey, '&domainName=other.example'));
    const rows = await under.logRows(keyRecord.accountId, 3);
    expect(rows[0]).toMatchObject({
      request_id: first.headers['x-request-id'],
      key_id: keyRecord.keyId,
      operation: 'whois.live',
      version: 2,
      subject: 'example.com',
      status: 200,
      outcome: 'delivered',
      credits: 1,
    });
    expect(rows[1]).toMatchObject({ status: 400, outcome: 'invalid_request', credits: 0 });
    expect(rows[2]).toMatchObject({ status: 503, outcome: 'lookup_overloaded', credits: 0 });
  });

  it('a client that disconnects is not charged, and its lookup is cancelled', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.lookup.answer = () => undefined;
    const abandonedBefore = around.lookup.abandoned;
    const going = new AbortController();
    const asked = request(under.url + live(apiKey), { signal: going.signal });
    await waitFor('the question', () => around.lookup.questions.length === 1);
    going.abort();
    await expect(asked).rejects.toThrow();
    await waitFor(
      'the call to lookup to be cancelled',
      () => around.lookup.abandoned === abandonedBefore + 1,
    );
    const [row] = await under.logRows(keyRecord.accountId, 1);
    expect(row).toMatchObject({ status: 499, credits: 0 });
    expect(around.entitlement.charged(keyRecord.accountId)).toBe(0);
  });
});
