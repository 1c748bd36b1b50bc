import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { override } from './connections.js';
import { type Answer, Customer } from './customer.js';
import { type Deployment, openSolo } from './deployment.js';

const NAME = 'published-history.com';
const SEARCHES_A_MINUTE = 1_000;

describe('in one process: lookups become history', () => {
  let deployment: Deployment;
  let customer: Customer;

  beforeAll(async () => {
    deployment = await openSolo();
    customer = new Customer(deployment, 'searches@example.com');
    await customer.joinWithCredits();
    await override(deployment, customer, { name: 'heavy', value: SEARCHES_A_MINUTE });
    await waitFor('the limit', async () => {
      const { headers } = await search('/v2.0/subdomains', { domainName: 'nothing.com' });
      return headers.get('ratelimit-policy')?.includes(`q=${SEARCHES_A_MINUTE}`);
    });
  });
  afterAll(() => deployment?.stop());

  /** Searches again as long as a busy machine refuses the search. */
  async function search(path: string, parameters: Record<string, string>): Promise<Answer> {
    const query = new URLSearchParams({ ...parameters, apiKey: customer.key });
    return waitFor(`an answer to ${path}`, async () => {
      const answer = await customer.get(`${path}?${query}`);
      return answer.status === 503 ? undefined : answer;
    });
  }
  const cost = ({ headers }: Answer) => headers.get('x-credits-cost');

  it('an earlier lookup is in the history, at 5 credits per page; an empty page is free', async () => {
    const empty = await search('/v2.0/whois/history', { domainName: NAME });
    expect([empty.status, cost(empty)]).toEqual([200, '0']);
    expect(empty.body).toMatchObject({ records: [], coverage: { sources: expect.any(Array) } });
    const live = await customer.lookUp(NAME);
    expect(live.body).toMatchObject({ domain_registered: 'yes' });
    const found = await waitFor('the history', async () => {
      const answer = await search('/v2.0/whois/history', { domainName: NAME, view: 'records' });
      return answer.body.records.length > 0 ? answer : undefined;
    });
    expect(cost(found)).toBe('5');
    expect(found.body.records).toMatchObject([
      { num: 1, is_complete: true, source: 'lookups', create_date: live.body.create_date },
    ]);
    expect(found.body).toMatchObject({
      coverage: { has_data: true, sources: [{ source: 'lookups' }] },
      meta: { credits_charged: 5 },
    });
    const old = await search('/v1.0/whois', { whois: 'historical', domainName: NAME });
    expect(old.body).toMatchObject({ whois: 'historical', total_records: '1' });
    expect(old.headers.get('link')).toContain('/v2.0/whois/history');
  });

  it('names are found by their holder, and counting them first is free', async () => {
    const { body } = await search('/v2.0/whois/history', { domainName: NAME });
    const { name } = body.records[0].registrant_contact;
    const preview = await search('/v2.0/whois/reverse', { owner: name, mode: 'preview' });
    expect([preview.status, cost(preview)]).toEqual([200, '0']);
    expect(preview.body).toMatchObject({ paging: { total_records: 1 }, domains: [] });
    const found = await search('/v2.0/whois/reverse', { owner: name, mode: 'mini' });
    expect([found.status, cost(found)]).toEqual([200, '3']);
    expect(found.body.domains).toMatchObject([{ domain_name: NAME, name }]);
    const dear = await search('/v2.0/whois/reverse', { owner: name, max_credits: '2' });
    expect([dear.status, dear.body.code]).toEqual([402, 'price_above_max']);
  });

  it('queried DNS records are found by name and by name server, but host names are not stored', async () => {
    const name = 'history-of-dns.com';
    const { body } = await search('/v2.0/dns/live', { domainName: name, type: 'A,NS,MX' });
    const { target } = body.dns_records.find(({ type }: { type: string }) => type === 'NS');
    await search('/v2.0/dns/live', { domainName: `secret.${name}`, type: 'A' });
    const history = await waitFor('the history', async () => {
      const answer = await search('/v2.0/dns/historical', { domainName: name, view: 'timeline' });
      return answer.body.timeline.length > 0 ? answer : undefined;
    });
    expect(cost(history)).toBe('2');
    const found = await search('/v2.0/dns/reverse', { value: target, type: 'ns' });
    expect(cost(found)).toBe('5');
    expect(found.body.domains.map((one: { domain_name: string }) => one.domain_name)).toContain(
      name,
    );
    const hosts = await search('/v2.0/subdomains', { domainName: name });
    expect([cost(hosts), hosts.body.subdomains]).toEqual(['0', []]);
  });
});
