import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { request } from 'undici';
import { OPERATIONS, type Operation } from '#libs/contracts';
import {
  type Answer,
  GatewayUnderTest,
  expectProblem,
} from '../../../../test/gateway/gateway-under-test.js';

let under: GatewayUnderTest;

beforeAll(async () => {
  under = await GatewayUnderTest.start();
});
afterAll(() => under?.stop());

const OF_LISTS = OPERATIONS.flatMap((row) =>
  row.access.kind === 'key' && row.body?.itemsMax !== undefined ? [[row.name, row] as const] : [],
);

async function send({ routes, access, body }: Operation, domainNames: unknown): Promise<Answer> {
  const scopes = access.kind === 'key' ? [access.scope] : [];
  const { apiKey } = under.around.account.addKey({ scopes });
  const answer = await request(under.url + routes[0].path, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body!.example, domainNames }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text, json: JSON.parse(text) };
}

it.each(OF_LISTS)('413: %s rejects a list with too many items, however many', async (_, row) => {
  const { itemsMax } = row.body!;
  const names = (count: number) => Array(count).fill('a.com');
  for (const count of [itemsMax! + 1, 1_001, 5_001]) {
    expectProblem(await send(row, names(count)), 413, 'payload_too_large');
  }
  expect((await send(row, names(itemsMax!))).status).not.toBe(413);
  expectProblem(await send(row, 'a'.repeat(itemsMax! + 1)), 400, 'invalid_request');
});

it('the operations with a list of names have a maximum number of items', () => {
  expect(OF_LISTS.map(([name]) => name).toSorted()).toEqual([
    'dns.bulk',
    'domain.availability.bulk',
    'domain.typos.scores',
    'jobs.dns',
    'jobs.whois',
    'whois.bulk',
  ]);
});
