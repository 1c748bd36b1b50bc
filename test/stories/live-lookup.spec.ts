import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { MINUTE_MS } from '#libs/platform';
import { waitFor, withEnoughTime } from '#test/environment';
import { registrationOf } from '../../apps/simulators/src/registrations/registration.js';
import { HURRIED, RegistryWorld } from './registry-world.js';

describe('a lookup service and its registries', () => {
  let world: RegistryWorld;
  beforeAll(async () => {
    world = new RegistryWorld();
    await world.start();
  });
  afterAll(() => world.stop());

  describe('a live lookup', () => {
    it.each([
      'com',
      'net',
      'org',
      'dev',
      'uk',
      'de',
      'fr',
      'it',
      'eu',
      'nl',
      'jp',
      'se',
      'pl',
      'br',
      'au',
      'ch',
      'be',
      'at',
      'dk',
      'ru',
    ])('returns the registry’s data about a registered .%s name', async (tld) => {
      const domain = `published-shop.${tld}`;
      const known = registrationOf(domain);
      const { status, header, body } = await world.ask(domain);
      expect([status, header('x-served-from')]).toEqual([200, 'live']);
      expect(['delivered', 'partial']).toContain(header('x-outcome'));
      expect(body.domain_registered).toBe('yes');
      expect(body.name_servers).toEqual(known.nameServers);
      const days = { create_date: known.created, expiry_date: known.expires };
      for (const [member, date] of Object.entries(days)) {
        if (body[member] !== undefined) expect(body[member]).toBe(date.toISOString().slice(0, 10));
      }
      if (!SILENT_ABOUT_DATES.has(tld))
        expect(Object.keys(body)).toEqual(expect.arrayContaining(Object.keys(days)));
    });

    it.each(['com', 'org', 'uk', 'de', 'fr', 'it', 'eu', 'nl', 'jp', 'se', 'pl', 'br', 'au', 'ch'])(
      'says that a free .%s name is free',
      async (tld) => {
        const { status, header, body } = await world.ask(`free-shop.${tld}`);
        expect([status, header('x-outcome'), body.domain_registered]).toEqual([
          200,
          'not_registered',
          'no',
        ]);
      },
    );

    it('takes the contacts of a name in a thin registry from the registrar, and names the registrar as the source', async () => {
      const { body } = await world.ask('published-books.com');
      expect(body.registrant_contact?.company).toBe(
        registrationOf('published-books.com').registrant.organization,
      );
      expect(body.provenance?.sources.map(({ protocol, role }) => `${protocol} ${role}`)).toEqual([
        'rdap registry',
        'rdap registrar',
      ]);
      expect(body.provenance?.sources.every(({ outcome }) => outcome === 'delivered')).toBe(true);
    });

    it('omits the redacted values of a name, and says that they are redacted', async () => {
      const { body } = await world.ask('redacted-shop.org');
      const { registrant } = registrationOf('redacted-shop.org');
      for (const value of [
        registrant.name,
        registrant.organization,
        registrant.email,
        registrant.phone,
      ]) {
        expect(JSON.stringify(body)).not.toContain(value);
      }
      expect(body.redaction).toContainEqual(
        expect.objectContaining({ path: 'registrant_contact.name', state: 'redacted' }),
      );
    });

    it('says that a reserved name cannot be registered', async () => {
      const { status, body } = await world.ask('reserved-shop.us');
      expect([status, body.domain_registered, body.restriction]).toEqual([
        200,
        'restricted',
        'reserved',
      ]);
    });

    it('returns the same data in version 1, without provenance', async () => {
      const first = await world.ask('published-shoes.com', { version: '1' });
      const second = await world.ask('published-shoes.com', { version: '2' });
      expect(first.body).not.toHaveProperty('provenance');
      for (const member of [
        'domain_name',
        'create_date',
        'expiry_date',
        'name_servers',
        'domain_status',
      ]) {
        expect(first.body[member]).toEqual(second.body[member]);
      }
    });
  });

  describe('caching', () => {
    it('sends one query for simultaneous callers', async () => {
      const askAtOnce = async (budgetMs: number) => {
        const hurried = new RegistryWorld({ budgetMs });
        await hurried.start();
        // The registry does not answer, so that the first query is still open when the last caller arrives.
        const ask = () => hurried.ask('silent-popular.de');
        const answers = await Promise.all(Array.from({ length: 40 }, ask));
        await hurried.stop();
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([504]));
        return hurried.asked('silent-popular.de');
      };
      expect(await withEnoughTime(1_500, askAtOnce, (asked) => asked > 1)).toBe(1);
    });

    it('sends a new query for every live request, except for repeats within a minute and requests that accept an older answer', async () => {
      const from = async (query = {}, headers = {}) =>
        (await world.ask('again.de', query, headers)).header('x-served-from');
      expect(await from()).toBe('live');
      expect(await from()).toBe('live');
      expect(world.asked('again.de')).toBe(2);
      expect(await from({}, { 'x-repeat': '1' })).toBe('repeat');
      world.clock.advance(MINUTE_MS);
      expect(await from({ max_age: '60' })).toBe('cache');
      expect(await from({ max_age: '59' })).toBe('live');
      expect(await from({ fresh: 'true', max_age: '3600' }, { 'x-repeat': '1' })).toBe('live');
      expect(world.asked('again.de')).toBe(4);
    });
  });

  it('during a shutdown, the service waits only for the answer in progress', async () => {
    const world = new RegistryWorld(HURRIED);
    await world.start();
    const pool = new Pool('http://lookup', { socketPath: world.socketPath });
    const path = '/internal/whois/live?domainName=silent-shop.jp';
    const { authorization } = world;
    const answer = pool.request({ method: 'GET', path, headers: { authorization } });
    await waitFor('the registry to be queried', () => world.asked('silent-shop.jp') === 1);
    const stopped = world.stop();
    expect((await answer).statusCode).toBe(504);
    await (await answer).body.dump();
    await stopped;
    await pool.close();
  });

  it('S61: only a name and the flags of its registry are ever sent to port 43', async () => {
    const world = new RegistryWorld();
    await world.start();
    for (const input of [
      'Bücher.DE',
      'shop.jp',
      'https://shop.com./x',
      'sho\r\np.com',
      'a b.de',
      'shop.de QUIT',
    ])
      await world.ask(input);
    const lines = world.exchanges().filter(({ protocol }) => protocol === 'whois43');
    expect(lines.length).toBeGreaterThan(0);
    for (const { question } of lines)
      expect(question).toMatch(/^(?:-T dn,ace |domain |=)?[a-z0-9.-]{1,253}(?:\/e)?\r\n$/);
    await world.stop();
  });
});

const SILENT_ABOUT_DATES = new Set(['de', 'eu', 'au', 'ch', 'nl', 'be', 'at']);
