import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { waitFor } from '#test/environment';
import {
  GatewayUnderTest,
  expectProblem,
  live,
} from '../../../../test/gateway/gateway-under-test.js';

const SCOPES: ('whois' | 'bulk')[] = ['whois', 'bulk'];
/** Bulk requests under way at most. */
const BULK_MAX = 200;
const LIVE = 100;

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];

beforeAll(async () => {
  under = await GatewayUnderTest.start();
  around = under.around;
  around.entitlement.bulkLimit = 1_000;
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

async function bulk(apiKey: string, url = under.url) {
  const answer = await request(`${url}/v2.0/bulkwhois/live`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: '{"domainNames":["a.example"]}',
  });
  const json = (await answer.body.json()) as Record<string, unknown>;
  return { status: answer.statusCode, headers: answer.headers, json, text: '' };
}

describe('requests that keep their owner busy for long', () => {
  it('S102: are so many at a time, and every live request beside them is served', async () => {
    const { apiKey } = around.account.addKey({ scopes: SCOPES });
    const held: ServerResponse[] = [];
    around.lookup.respond = (asked, response) => {
      if (asked.url!.includes('/whois/bulk')) held.push(response);
      else
        response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live').end('{}');
    };
    const slow = Array.from({ length: BULK_MAX }, () => bulk(apiKey));
    await waitFor('all of them to be asked', () => held.length === BULK_MAX);
    expectProblem(await bulk(apiKey), 503, 'class_busy');
    const names = Array.from({ length: LIVE }, (_, at) => `&domainName=name${at}.example`);
    const served = await Promise.all(names.map((name) => under.ask(live(apiKey, name))));
    expect(new Set(served.map(({ status }) => status))).toEqual(new Set([200]));
    expect(held).toHaveLength(BULK_MAX);
    for (const response of held) {
      response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live').end('{}');
    }
    const ended = await Promise.all(slow);
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set([200]));
    around.lookup.respond = undefined;
    expect((await bulk(apiKey)).status).toBe(200);
  });

  it('S102: end in 504 when their owner does not answer in time, and make room', async () => {
    const { apiKey } = around.account.addKey({ scopes: SCOPES });
    around.lookup.respond = () => {};
    const { apiUrl } = await around.startGateway({
      GATEWAY_LOOKUP_TIMEOUT_MS: '300',
      GATEWAY_JOURNAL: `${around.folder}/impatient`,
    });
    const ended = await Promise.all(
      Array.from({ length: BULK_MAX + 1 }, () => bulk(apiKey, apiUrl)),
    );
    const codes = ended.map(({ json }) => json.code);
    expect(codes.filter((code) => code === 'answer_timeout').length).toBeGreaterThanOrEqual(
      BULK_MAX,
    );
    around.lookup.respond = undefined;
    expect((await bulk(apiKey, apiUrl)).status).toBe(200);
  });
});
