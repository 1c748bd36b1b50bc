import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OPERATIONS, PUBLIC_LIMIT, packagePriceMicros } from '#libs/contracts';
import { SITE_FACTOR } from '#libs/platform';
import { problemAnswer } from '../../../../test/stand-ins/lookup-stand-in.js';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];
let ask: GatewayUnderTest['ask'];

beforeAll(async () => {
  under = await GatewayUnderTest.start({ GATEWAY_TRUSTED_PROXIES: '127.0.0.1' });
  around = under.around;
  ask = under.ask.bind(under);
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

const from = (address: string) => ({ 'x-forwarded-for': address });

describe('an operation without a key', () => {
  it('the owner answers, and receives the parameters of the path', async () => {
    around.lookup.answer = () => ({ status: 200, headers: {}, body: '{"status":true}' });
    const answer = await ask('/v2.0/tlds/xn--p1ai', from('192.0.2.1'));
    expect([answer.status, answer.text]).toEqual([200, '{"status":true}']);
    expect(around.lookup.questions[0].path).toBe('/internal/tlds/xn--p1ai?version=2');
    await ask('/v2.0/tlds/%D1%80%D1%84', from('192.0.2.1'));
    expect(around.lookup.questions[1].path).toBe('/internal/tlds/%D1%80%D1%84?version=2');
    expect(answer.headers).toMatchObject({
      'x-credits-cost': '0',
      'ratelimit-policy': '"public";q=60;w=60',
    });
    expect(answer.headers).not.toHaveProperty('x-credits-remaining');
  });

  it('404: the owner’s answer that something does not exist is passed on', async () => {
    around.lookup.answer = () => problemAnswer(404, 'not_found', '');
    expectProblem(await ask('/v2.0/tlds/nosuch', from('192.0.2.1')), 404, 'not_found');
    expectProblem(await ask('/v2.0/tlds/a/b', from('192.0.2.1')), 404, 'not_found');
  });

  it('400: every fault of path and query is named, and nothing is forwarded', async () => {
    const answer = await ask('/v2.0/tlds/%ff?tld=com&colour=red', from('192.0.2.1'));
    expectProblem(answer, 400, 'invalid_request');
    const fields = (answer.json.errors as { field: string }[]).map(({ field }) => field);
    expect(fields.toSorted()).toEqual(['colour', 'tld', 'tld']);
    expect(around.lookup.questions).toEqual([]);
  });

  it('the operation needs no key, and ignores one', async () => {
    const before = around.account.keyQueries;
    const headers = { 'x-api-key': under.strangersKey(), ...from('192.0.2.2') };
    expect((await ask('/v2.0/pricing?apiKey=anything', headers)).status).toBe(200);
    expect(around.account.keyQueries).toBe(before);
  });

  it(`S17: one address or network may send ${PUBLIC_LIMIT} requests a minute, and its neighbour is still served`, async () => {
    const statuses: number[] = [];
    for (let count = 0; count <= PUBLIC_LIMIT; count++) {
      statuses.push((await ask('/v2.0/pricing', from(`2001:db8:1:2::${count}`))).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(PUBLIC_LIMIT);
    const refused = await ask('/v2.0/pricing', from('2001:db8:1:2::ffff'));
    expectProblem(refused, 429, 'rate_limited');
    // No purchase raises the limit of somebody without a key.
    expect(refused.headers).not.toHaveProperty('link');
    expect((await ask('/v2.0/pricing', from('2001:db8:1:3::1'))).status).toBe(200);
  });

  it(`S17: one site, with all of its networks, may send ${PUBLIC_LIMIT * SITE_FACTOR} requests a minute`, async () => {
    const statusFrom = async (address: string) =>
      (await ask('/v2.0/pricing', from(address))).status;
    // The refusals of one network do not count towards the limit of its site.
    const crowded = Array.from({ length: PUBLIC_LIMIT + 20 }, () => '2001:db8:2:1::1');
    const others = Array.from(
      { length: PUBLIC_LIMIT * 3 },
      (_, place) => `2001:db8:2:a${place}::1`,
    );
    const statuses: number[] = [];
    for (const address of [...crowded, ...others]) statuses.push(await statusFrom(address));
    expect(statuses.filter((status) => status === 200)).toHaveLength(PUBLIC_LIMIT * SITE_FACTOR);
    expect(await statusFrom('2001:db8:2:ffff::1')).toBe(429);
    expect(await statusFrom('2001:db8:3:ffff::1')).toBe(200);
  });
});

describe('prices', () => {
  it('the price list contains every operation that needs a key, with its price', async () => {
    const { json } = await ask('/v2.0/pricing', from('192.0.2.3'));
    const names = (json.operations as { operation: string }[]).map(({ operation }) => operation);
    const priced = OPERATIONS.filter(({ access }) => access.kind === 'key');
    expect(names).toEqual(priced.map(({ name }) => name));
    expect(json.operations).toContainEqual({
      operation: 'whois.live',
      per: 'answer',
      credits: 1,
      class: 'live',
    });
    expect(json.operations).toContainEqual({
      operation: 'jobs.whois',
      per: 'free',
      credits: 0,
      class: 'bulk',
      later: '1 credit per answered name, charged as the job runs.',
    });
  });

  it('the price list contains the Domainer plans, with the files that they give access to', async () => {
    const { json } = await ask('/v2.0/pricing', from('192.0.2.5'));
    expect(json.domainer).toHaveLength(5);
    expect(json.domainer).toContainEqual({
      name: 'Domainer WHOIS',
      plan_datasets: ['names', 'whois'],
      monthly_micros: 59_000_000,
      yearly_micros: 587_640_000,
    });
  });

  it('a quote equals the price of an order, and there is none for amounts that are not sold', async () => {
    for (const credits of [5_000, 25_000, 110_000, 3_000_000]) {
      const { json } = await ask(`/v2.0/pricing/quote?credits=${credits}`, from('192.0.2.4'));
      expect(json).toMatchObject({ credits, net_micros: packagePriceMicros(credits) });
    }
    for (const credits of ['5500', '101000', '4000', '-1', '1e4', '3000001', '']) {
      const answer = await ask(`/v2.0/pricing/quote?credits=${credits}`, from('192.0.2.4'));
      expectProblem(answer, 400, 'invalid_request');
      expect(answer.json.errors).toMatchObject([{ field: 'credits' }]);
    }
  });
});
