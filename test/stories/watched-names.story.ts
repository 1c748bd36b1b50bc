import { beforeAll, expect, it } from '@jest/globals';
import type { LedgerAnswer } from '#libs/contracts';
import { withClient } from '#libs/database';
import { HOUR_MS, MINUTE_MS } from '#libs/platform';
import { waitFor } from '#test/environment';
import { Customer } from './customer.js';
import type { Deployment } from './deployment.js';

const WAIT_MS = 180_000;

/** A monitor of a domain, its checks and their price. Each step builds on the previous ones. */
export function watchedNames(open: () => Deployment): void {
  let customer: Customer;

  beforeAll(async () => {
    customer = new Customer(open(), 'watcher@story.example');
    await customer.joinWithCredits();
  });

  it('a domain monitor checks its name at once and records its expiry', async () => {
    const wish = { kind: 'domain', domainName: 'watched-story-1.com' };
    const { status, body } = await customer.call('POST', '/api/monitors', wish);
    expect(status).toBe(201);
    const checks = await waitFor(
      'both checks',
      async () => {
        const monitor = await customer.call('GET', `/api/monitors/${body.id}`);
        const { dns_checked_at, whois_checked_at } = monitor.body.checks;
        return dns_checked_at !== null && whois_checked_at !== null && monitor.body.checks;
      },
      WAIT_MS,
    );
    expect(checks).toMatchObject({ problem: null, expiry_published: true });
    expect(checks.expiry_date).toMatch(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/);
    const { body: found } = await customer.call('GET', `/api/monitors/${body.id}/events`);
    expect(found.events).toEqual([]);
  });

  it('checks beyond those in the plan are priced in advance, and appear in the ledger once', async () => {
    const { body: listed } = await customer.call('GET', '/api/monitors');
    const { id } = listed.monitors.find(({ kind }: { kind: string }) => kind === 'domain');
    const often = { interval_minutes: 60 };
    const dry = await customer.call('PATCH', `/api/monitors/${id}?dry_run=true`, often);
    const price = { credits_per_check: 1, credits_per_day_max: 20 };
    expect(dry).toMatchObject({ status: 200, body: { price: { ...price, shortfall: 0 } } });
    const changed = await customer.call('PATCH', `/api/monitors/${id}`, often);
    expect(changed.body).toMatchObject({ price });
    const checkedAt = async () =>
      (await customer.call('GET', `/api/monitors/${id}`)).body.checks.dns_checked_at as string;
    const last = await checkedAt();
    open().clock.advance(HOUR_MS);
    await waitFor('a further check', async () => (await checkedAt()) !== last, WAIT_MS);
    // The checks of each minute are charged together.
    open().clock.advance(2 * MINUTE_MS);
    const charges = await waitFor(
      'the charge',
      async () => {
        await withClient(open().superuserUrl, (client) =>
          client.query(
            `update worker.work set until = clock_timestamp() where queue = 'paid-checks' and state = 'waiting'`,
          ),
        );
        const { body } = await customer.call('GET', '/api/ledger');
        const lines = (body as LedgerAnswer).items.filter(
          ({ operation }) => operation === 'monitors.checks',
        );
        return lines.length > 0 && lines;
      },
      WAIT_MS,
    );
    expect(charges).toMatchObject([{ kind: 'use', amount: '-1' }]);
  });

  it('a test key can neither list nor create monitors', async () => {
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { kind: 'brand', keyword: 'acme' } : undefined;
      const answer = await customer.api(method, '/v2.0/monitors', body, customer.testKey);
      const { code } = answer.json();
      expect([method, answer.status, code]).toEqual([method, 403, 'test_key_not_allowed']);
    }
  });
}
