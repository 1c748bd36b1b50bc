import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MINUTE_MS } from '#libs/platform';
import { registrationOf } from '../../apps/simulators/src/registrations/registration.js';
import { HURRIED, RegistryWorld } from './registry-world.js';

describe('a misbehaving upstream', () => {
  let world: RegistryWorld;
  const open = async () => {
    world = new RegistryWorld();
    await world.start();
  };

  // Each of these makes lookup avoid a registry for a while, or ends all registries.
  describe('that is not queried again', () => {
    beforeEach(open);
    afterEach(() => world.stop());

    it.each([
      'throttled-shop.jp',
      'throttled-shop.pl',
      'throttled-shop.com',
      'throttled-without-hint.org',
    ])(
      'throttling %s means 503 with Retry-After, never "not registered", and the upstream is not queried again',
      async (domain) => {
        const first = await world.ask(domain);
        expect([first.status, first.body.code, first.header('x-outcome')]).toEqual([
          503,
          'upstream_throttled',
          'throttled',
        ]);
        expect(first.body).not.toHaveProperty('domain_registered');
        expect(Number(first.header('retry-after'))).toBeGreaterThan(0);
        const asked = world.asked(domain);
        expect((await world.ask(domain)).status).toBe(503);
        expect(world.asked(domain)).toBe(asked);
      },
    );

    it('if RDAP is throttled, the lookup is answered from port 43', async () => {
      const { status, body } = await world.ask('rdap-throttled-shop.org');
      expect([status, body.domain_registered]).toEqual([200, 'yes']);
      expect(body.provenance?.sources.map(({ protocol, outcome }) => [protocol, outcome])).toEqual(
        expect.arrayContaining([
          ['rdap', 'throttled'],
          ['whois43', 'delivered'],
        ]),
      );
    });

    it('is replaced with a stale answer, marked as stale, only if the request accepts one', async () => {
      expect((await world.ask('shop.de')).status).toBe(200);
      await world.silence();
      world.clock.advance(MINUTE_MS);
      expect([503, 504]).toContain((await world.ask('shop.de')).status);
      const stale = await world.ask('shop.de', { allow_stale: 'true' });
      expect([stale.status, stale.header('x-served-from'), stale.header('age')]).toEqual([
        200,
        'stale_cache',
        '60',
      ]);
      expect(stale.body.provenance).toMatchObject({ served_from: 'stale_cache', age_s: 60 });
    });
  });

  // A start takes longer than most of these, and each of them is about other names.
  describe('whose registry is queried again', () => {
    beforeAll(open);
    afterAll(() => world.stop());

    it('a registrar that denies a registered name is overruled', async () => {
      const { status, body } = await world.ask('lying-registrar-shop.com');
      expect([status, body.domain_registered]).toEqual([200, 'yes']);
      expect(body.provenance?.sources.map(({ role, outcome }) => [role, outcome])).toContainEqual([
        'registrar',
        'not_registered',
      ]);
      expect(body.provenance?.conflicts).toEqual([
        { path: 'domain_registered', chosen: 's1', values: { s1: 'yes', s2: 'no' } },
      ]);
    });

    it('a registrar that states a different expiry is overruled, and both values are shown', async () => {
      const domain = 'disagreeing-registrar-shop.com';
      const { body } = await world.ask(domain);
      expect(body.expiry_date).toBe(registrationOf(domain).expires.toISOString().slice(0, 10));
      expect(body.provenance?.conflicts.map(({ path }) => path)).toEqual(['expiry_date']);
    });

    it.each(['silent-shop.de', 'drip-shop.jp', 'silent-shop.com'])(
      'S63: %s ends within the time limit with 504',
      async (domain) => {
        const hurried = new RegistryWorld(HURRIED);
        await hurried.start();
        const { status, body, header } = await hurried.ask(domain);
        await hurried.stop();
        expect([status, body.code]).toEqual([504, 'upstream_timeout']);
        expect(Number(header('retry-after'))).toBeGreaterThan(0);
      },
    );

    it.each(['garbage-shop.de', 'html-shop.pl', 'garbage-shop.com', 'huge-shop.de'])(
      '%s cannot be read: 503, never "not registered"',
      async (domain) => {
        const { status, body } = await world.ask(domain);
        expect([status, body.code]).toEqual([503, 'upstream_unreadable']);
      },
    );

    it.each(['reset-shop.de', 'refused-shop.de', 'empty-shop.it', 'refused-shop.com'])(
      '%s gives no answer: 503 or 504',
      async (domain) => {
        const { status, body } = await world.ask(domain);
        expect([503, 504]).toContain(status);
        expect(body.code).toMatch(/^upstream_/);
      },
    );

    it.each([
      'refers-to-loopback.com',
      'refers-to-private.com',
      'refers-to-port.com',
      'refers-to-closed-port.com',
    ])(
      'S57, S58: the registry’s answer about %s is returned, and the referral is not followed',
      async (domain) => {
        const { status, body } = await world.ask(domain);
        expect([status, body.domain_registered]).toEqual([200, 'yes']);
        expect(body.name_servers).toEqual(registrationOf(domain).nameServers);
        expect(world.exchanges(domain).filter(({ role }) => role === 'registrar')).toEqual([]);
      },
    );

    it.each(['refers-to-itself.com', 'refers-endlessly.com', 'whois-refers-endlessly.com'])(
      'S58: %s causes only a limited number of queries',
      async (domain) => {
        expect((await world.ask(domain)).body.domain_registered).toBe('yes');
        expect(world.asked(domain)).toBeLessThanOrEqual(5);
      },
    );

    it.each(['loop', 'to-http', 'to-private'])(
      'S59: an invalid RDAP redirect (%s) causes at most four queries, and port 43 answers instead',
      async (kind) => {
        const domain = `rdap-redirect-${kind}-shop.org`;
        const { status, body } = await world.ask(domain);
        expect([status, body.domain_registered]).toEqual([200, 'yes']);
        const rdap = world.exchanges(domain).filter(({ protocol }) => protocol === 'rdap');
        expect(rdap.filter(({ role }) => role === 'registry').length).toBeLessThanOrEqual(4);
      },
    );

    it.each(['refused', 'reset', 'empty', 'garbage', 'html', 'huge', 'deep-json', 'unavailable'])(
      'if RDAP fails (%s), the lookup is answered from port 43',
      async (kind) => {
        const { status, body } = await world.ask(`rdap-${kind}-shop.org`);
        expect([status, body.domain_registered]).toEqual([200, 'yes']);
        expect(body.name_servers).toEqual(registrationOf(`rdap-${kind}-shop.org`).nameServers);
        const [first] = body.provenance?.sources ?? [];
        expect(first).toMatchObject({ protocol: 'rdap', role: 'registry' });
        expect(first?.outcome).not.toBe('delivered');
      },
    );

    it.each(['expired', 'untrusted'])(
      'S59: a registrar with an %s certificate is not used',
      async (kind) => {
        const domain = `refers-to-${kind}-certificate-published-shop.com`;
        const { body } = await world.ask(domain);
        expect(body.domain_registered).toBe('yes');
        expect(body).not.toHaveProperty('registrant_contact');
        const asked = world.exchanges(domain);
        expect(asked.filter(({ role }) => role === 'registrar')).toEqual([]);
      },
    );

    it('S67: an answer in Latin-1 instead of UTF-8 is read correctly', async () => {
      const { body } = await world.ask('latin-1-published-shop.it');
      expect(JSON.stringify(body)).toContain('Société Exemple');
    });
  });
});
