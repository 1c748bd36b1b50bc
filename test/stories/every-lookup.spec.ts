import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATIONS } from '#libs/contracts';
import { Customer } from './customer.js';
import { type Deployment, openSolo } from './deployment.js';

const TRIAL_CREDITS = 500;

describe('in one process: every lookup', () => {
  let deployment: Deployment;
  let customer: Customer;

  beforeAll(async () => {
    deployment = await openSolo();
    customer = await newCustomer();
  });
  afterAll(() => deployment?.stop());

  let customers = 0;
  async function newCustomer(): Promise<Customer> {
    const one = new Customer(deployment, `lookups-${++customers}@example.com`);
    await one.joinWithCredits();
    return one;
  }

  /**
   * Customers who take turns, because a trial allows two requests per minute of class `bulk`, and two of class
   * `heavy`.
   */
  const trials: Customer[] = [];
  const asked: Record<string, number> = {};
  async function askerOf(rateClass: string): Promise<Customer> {
    if (rateClass === 'live') return customer;
    asked[rateClass] = (asked[rateClass] ?? 0) + 1;
    const place = Math.ceil(asked[rateClass] / 2) - 1;
    return (trials[place] ??= await newCustomer());
  }

  async function ask(path: string, key: string, body?: object, accept = 'application/json') {
    const answer = await fetch(`${deployment.apiUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        'x-api-key': key,
        accept,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  const lookups = OPERATIONS.filter(
    ({ access, owner }) => access.kind === 'key' && ['lookup', 'corpus'].includes(owner.service),
  );

  const examples = lookups.flatMap((operation) =>
    operation.examples.map((example) => ({ name: operation.name, operation, example })),
  );

  it.each(examples)(
    '$name: a test key gets the answer in its example, free of charge',
    async ({ operation, example: { parameters, body, answer: shown } }) => {
      const { access, price } = operation;
      const asker = access.kind === 'key' ? await askerOf(access.class) : customer;
      const [{ path }] = operation.routes;
      const query = new URLSearchParams(parameters).toString();
      const answer = await ask(`${path}?${query}`, asker.testKey, body);
      expect([answer.status, answer.headers.get('x-credits-cost')]).toEqual([200, '0']);
      expect(JSON.parse(answer.text, comparable)).toMatchObject({
        ...(JSON.parse(JSON.stringify(shown), comparable) as object),
        // Answers of operations that are always free do not mention credits.
        ...(price.per !== 'free' && { meta: { credits_charged: 0 } }),
      });
    },
  );

  it.each([
    ['/v2.0/whois/live?domainName=shop.com', { domain_registered: 'yes' }],
    ['/v2.0/ip-whois?ip=8.8.8.8', { ip_address: '8.8.8.8', inet_nums: [{ start_ip: '8.8.0.0' }] }],
    ['/v2.0/ip-whois?ip=2600:1f18::/33', { inet_nums: [{ start_ip: '2600:1f18::' }] }],
    ['/v2.0/asn-whois?asn=AS15169', { as_number: 'AS15169' }],
    ['/v2.0/dns/live?domainName=shop.com&type=A', { rcode: 'noerror' }],
    ['/v2.0/domain/availability?domain=shop.com', { availability: 'registered' }],
  ])(
    'a live key gets an answer about %s from the simulated internet, for one credit',
    async (path, facts) => {
      const answer = await ask(path, customer.key);
      expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)]);
      expect(JSON.parse(answer.text)).toMatchObject({ ...facts, meta: { credits_charged: 1 } });
    },
  );

  it('the requested number of suggestions is returned, and each suggestion is a free name', async () => {
    const path = '/v2.0/domain/availability?domain=shop.com&sug=true&count=5';
    const answer = await ask(path, customer.key);
    const { suggestions } = JSON.parse(answer.text) as { suggestions: object[] };
    expect(suggestions).toHaveLength(5);
    for (const suggestion of suggestions) {
      expect(suggestion).toMatchObject({ availability: 'available' });
    }
  });

  it('bulk WHOIS with a live key streams its answers, and only answers are charged', async () => {
    const customer = await newCustomer();
    const names = { domainNames: ['published-one.com', 'free-two.com', 'nobody.invalidtld'] };
    const path = '/v2.0/bulkwhois/live';
    const answer = await ask(path, customer.key, names, 'application/x-ndjson');
    expect(answer.status).toBe(200);
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const byIndex = lines.slice(0, -1).toSorted((a, b) => a.index - b.index);
    expect(byIndex).toMatchObject([
      { domain_name: 'published-one.com', domain_registered: 'yes' },
      { domain_name: 'free-two.com', domain_registered: 'no' },
      { domain_name: 'nobody.invalidtld', status: false, code: 'tld_unsupported' },
    ]);
    expect(lines.at(-1)).toMatchObject({
      summary: { delivered: 2, failed: 1 },
      meta: { credits_charged: 2, credits_remaining: TRIAL_CREDITS - 2 },
    });
  });

  it('a reserved address is rejected and costs nothing', async () => {
    const answer = await ask('/v2.0/ip-whois?ip=10.0.0.1', customer.key);
    expect([answer.status, answer.headers.get('x-credits-cost')]).toEqual([422, '0']);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'bogon_address', credits_charged: 0 });
  });

  it('an operation that needs no key is answered without one', async () => {
    for (const path of ['/v2.0/tlds/com', '/v2.0/pricing', '/openapi.json', '/docs']) {
      const { status } = await fetch(`${deployment.apiUrl}${path}`);
      expect([path, status]).toEqual([path, 200]);
    }
  });
});

/** Removes the sources of an answer and replaces its times, because they differ from those in an example. */
function comparable(member: string, value: unknown): unknown {
  if (member === 'served_from' || member === 'sources') return undefined;
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:/.test(value);
  return isTime ? 'a time' : value;
}

interface Line {
  index: number;
  [member: string]: unknown;
}
