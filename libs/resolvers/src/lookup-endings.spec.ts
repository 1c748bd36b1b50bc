import { describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { withEnoughTime } from '#test/environment';
import {
  LookupHarness,
  found,
  hasNotHeard,
  name,
  registrarUrl,
  said,
  status,
  told,
  wide,
} from './lookup-harness.contract.js';
import { UpstreamLimiter } from './limiter/upstream-limiter.js';

const harness = LookupHarness.forEachTest();

describe('a name without a holder', () => {
  const object = (members: object): RequestListener => {
    const rdapConformance = ['rdap_level_0'];
    const json = { rdapConformance, objectClassName: 'domain', ldhName: 'a.rdaponly', ...members };
    return (_request, response) => void response.end(JSON.stringify(json));
  };
  const says = (line: string) => [{ title: 'Status', description: [line] }];
  const registrar = { roles: ['registrar'], handle: '9999' };

  it.each<[object, string]>([
    [{ status: ['reserved'] }, 'reserved'],
    [{ status: ['registryReserved'], events: [{ eventAction: 'registration' }] }, 'reserved'],
    [{ status: ['premium name'] }, 'premium'],
    [{ status: ['server transfer prohibited', 'blocked'] }, 'blocked'],
    [{ status: 'Registration_Prohibited' }, 'blocked'],
    [{ remarks: says('This name has been reserved by the registry.') }, 'reserved'],
    [{ notices: says('Domain name is reserved') }, 'reserved'],
    [{ errorCode: 404, title: 'Not found', description: ['Reserved by the registry'] }, 'reserved'],
    [{ errorCode: 404, description: ['This is a premium domain name.'] }, 'premium'],
  ])('is restricted for the reason in %j', async (members, restriction) => {
    await harness.internet.rdap('rdap.nic.test', object(members));
    const lookup = await harness.lookups().lookup('a.rdaponly');
    expect(told(lookup)).toEqual(['restricted', 'rdap registry restricted']);
    expect(lookup.record?.restriction).toBe(restriction);
  });

  it.each<[string, object]>([
    ['has a registrar', { status: ['reserved'], entities: [registrar] }],
    ['has a registrant', { status: ['reserved'], entities: [{ roles: ['registrant'] }] }],
    ['is delegated', { status: ['reserved'], nameservers: [{ ldhName: 'ns.a.example' }] }],
    [
      'has an expiry date',
      {
        status: ['reserved'],
        events: [{ eventAction: 'expiration', eventDate: '2030-01-01T00:00:00Z' }],
      },
    ],
    [
      'is only locked against transfer and renewal',
      { status: ['client transfer prohibited', 'renew prohibited'] },
    ],
    [
      'comes with a copyright notice',
      { status: ['active'], notices: says('All rights reserved.') },
    ],
    [
      'comes with terms of use',
      { handle: 'D1', notices: says('Your access is blocked if you flood us') },
    ],
  ])('a name that %s is registered', async (_what, members) => {
    await harness.internet.rdap('rdap.nic.test', object(members));
    const lookup = await harness.lookups().lookup('a.rdaponly');
    expect(lookup.outcome).toBe('delivered');
    expect(lookup.record).not.toHaveProperty('restriction');
  });

  it('is not registered, whatever the notices in the body of the error say', async () => {
    const notices = says('Some names are reserved for the registry');
    const error = JSON.stringify({ errorCode: 404, title: 'Not found', notices });
    await harness.internet.rdap('rdap.nic.test', (_request, response) => void response.end(error));
    expect((await harness.lookups().lookup('a.rdaponly')).outcome).toBe('not_registered');
  });

  it('is registered if the registry says so, even if a registrar calls it reserved', async () => {
    await harness.internet.rdap('rdap.nic.test', found(registrarUrl));
    await harness.internet.rdap(
      'rdap.registrar.test',
      object({ ldhName: name, status: ['reserved'] }),
    );
    const lookup = await harness.lookups().lookup(name);
    expect(lookup.outcome).toBe('delivered');
    expect(lookup.record).not.toHaveProperty('restriction');
  });
});

describe('an incomplete answer', () => {
  const stall = (text: string) => (socket: Socket) => void socket.write(text);
  const answerTo = (text: string) =>
    withEnoughTime(
      400,
      (budgetMs) => harness.lookups().lookup('a.whoisonly', { budgetMs }),
      hasNotHeard(text),
    );

  it('is partial, with the data that had arrived when the time was up', async () => {
    const text = `${said('a.whoisonly')}Name Server: ns1.exam`;
    await harness.internet.whois('whois.nic.test', stall(text));
    const lookup = await answerTo(text);
    expect(told(lookup)).toEqual(['partial', 'whois43 registry cancelled']);
    expect(lookup.record).toMatchObject({ created: { iso: '2001-02-03T04:05:06Z' } });
    expect(lookup.record?.nameServers).toEqual([]);
    expect(lookup.sources[0]).toMatchObject({
      truncated: true,
      raw: expect.stringMatching(/ns1\.exam$/),
    });
  });

  it.each(['% a comment\n', 'No match for domain "A.WHOISONLY".\n', 'Domain Name: a.who'])(
    'is a timeout if only this had arrived when the time was up: %j',
    async (text) => {
      await harness.internet.whois('whois.nic.test', stall(text));
      const lookup = await answerTo(text);
      expect(told(lookup)).toEqual(['timeout', 'whois43 registry cancelled']);
      expect(lookup.retryAfterSeconds).toBeGreaterThan(0);
    },
  );

  it('proves nothing if it is about another name', async () => {
    await harness.internet.whois('whois.nic.test', stall(said('b.test')));
    const lookup = await withEnoughTime(
      300,
      (wholeMs) => harness.lookups({ whois: { wholeMs } }).lookup('a.whoisonly'),
      hasNotHeard(said('b.test')),
    );
    expect(told(lookup)).toEqual(['parse_failed', 'whois43 registry other_name']);
  });
});

it('an answer is read in the layout of the suffix, not of the top-level domain', async () => {
  const text =
    'Domain:\n\texample.ac.uk\n\nRegistered For:\n\tUniversity of Example\n\nEntry created:\n\t5 June 1999\n';
  await harness.internet.whois('whois.nic.ac.uk', text);
  const { record } = await harness.lookups().lookup('example.ac.uk');
  expect(record?.contacts.registrant).toEqual({ organization: 'University of Example' });
});

describe('redirects', () => {
  const to: RequestListener = (_request, response) =>
    void response.writeHead(302, { location: 'https://rdap.other.test/domain/a.rdaponly' }).end();

  it('the target of a redirect gets its own turn, and only the target is paused if it throttles', async () => {
    await harness.internet.rdap('rdap.nic.test', to);
    await harness.internet.rdap('rdap.other.test', status(429, { 'retry-after': '90' }));
    const limiter = new UpstreamLimiter({ defaultLimit: wide });
    const lookup = harness.lookups({ limiter });
    expect(await lookup.lookup('a.rdaponly')).toMatchObject({
      outcome: 'throttled',
      retryAfterSeconds: 90,
    });
    expect(limiter.pausedForMs('rdap.other.test')).toBeGreaterThan(80_000);
    expect(limiter.pausedForMs('rdap.nic.test')).toBe(0);
    const again = await lookup.lookup('a.rdaponly');
    expect(told(again)).toEqual(['throttled', 'rdap registry paused']);
    expect(harness.internet.asked.map((asked) => asked.split(' ')[0])).toEqual([
      'rdap.nic.test',
      'rdap.other.test',
      'rdap.nic.test',
    ]);
  });

  it('the target of a redirect may be waited for as long as the first server', async () => {
    await harness.internet.rdap('rdap.nic.test', to);
    await harness.internet.rdap('rdap.other.test', found());
    const limiter = new UpstreamLimiter({ defaultLimit: wide, waitersMax: 0 });
    const lookup = harness.lookups({ limiter });
    const { sources } = await lookup.lookup('a.rdaponly', { waitMaxMs: 20_000 });
    expect(sources.map(({ error }) => error)).toEqual(['unreadable']);
  });

  it('the target is named by its base URL, even if its URL ends with a slash', async () => {
    await harness.internet.rdap('rdap.nic.test', (_request, response) => {
      const location = 'https://rdap.other.test/v1/domain/a.rdaponly/';
      response.writeHead(302, { location }).end();
    });
    await harness.internet.rdap('rdap.other.test', found());
    const { sources } = await harness.lookups().lookup('a.rdaponly');
    expect(sources.map(({ server }) => server)).toEqual(['https://rdap.other.test/v1/']);
  });

  it('every hop releases its turn', async () => {
    await harness.internet.rdap('rdap.nic.test', to);
    await harness.internet.rdap('rdap.other.test', found());
    const single = { ...wide, connections: 1 };
    const lookup = harness.lookups({ limiter: new UpstreamLimiter({ defaultLimit: single }) });
    for (const label of ['a', 'b', 'c']) {
      const answer = await lookup.lookup(`${label}.rdaponly`);
      expect(answer.sources.map(({ error }) => error)).toEqual(['unreadable']);
    }
    expect(harness.internet.asked).toHaveLength(6);
  });
});

describe('unavailable upstreams', () => {
  it('a text about too many queries counts as a throttle, and the upstream is paused for the time that it names', async () => {
    await harness.internet.whois(
      'whois.nic.test',
      'Query limit exceeded. Try again in 120 seconds.\n',
    );
    const lookup = harness.lookups();
    const first = await lookup.lookup('a.whoisonly');
    expect(first).toMatchObject({ outcome: 'throttled', retryAfterSeconds: 120 });
    const second = await lookup.lookup('b.whoisonly');
    expect(told(second)).toEqual(['throttled', 'whois43 registry paused']);
    expect(second.retryAfterSeconds).toBeGreaterThan(100);
    expect(harness.internet.asked).toHaveLength(1);
  });

  it('the Retry-After of an RDAP service is respected, and passed to the caller', async () => {
    await harness.internet.rdap('rdap.nic.test', status(429, { 'retry-after': '77' }));
    const lookup = harness.lookups();
    expect(await lookup.lookup('a.rdaponly')).toMatchObject({
      outcome: 'throttled',
      retryAfterSeconds: 77,
    });
    expect(told(await lookup.lookup('b.rdaponly'))).toEqual(['throttled', 'rdap registry paused']);
    expect(harness.internet.asked).toHaveLength(1);
  });

  it('the pause of a server that throttled without naming a time is passed to the caller', async () => {
    await harness.internet.rdap('rdap.nic.test', status(429));
    await harness.internet.whois('whois.nic.test', 'Query limit exceeded.\n');
    for (const asked of ['a.rdaponly', 'a.whoisonly']) {
      const { outcome, retryAfterSeconds } = await harness.lookups().lookup(asked);
      expect(outcome).toBe('throttled');
      expect(retryAfterSeconds).toBeGreaterThan(40);
    }
  });

  it.each(['999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'an upstream that answers with Retry-After: %s is paused for only an hour',
    async (retryAfter) => {
      await harness.internet.rdap('rdap.nic.test', (_request, response) => {
        response.writeHead(429, { 'retry-after': retryAfter }).end();
      });
      const { outcome, retryAfterSeconds } = await harness.lookups().lookup('a.rdaponly');
      expect([outcome, retryAfterSeconds]).toEqual(['throttled', 3_600]);
    },
  );

  it('silence is a timeout, an unknown host is not, and both may be retried', async () => {
    await harness.internet.whois('whois.nic.test', () => undefined);
    const silent = await harness.lookups({ whois: { firstByteMs: 50 } }).lookup('a.whoisonly');
    expect(told(silent)).toEqual(['timeout', 'whois43 registry first_byte_timeout']);
    expect(silent.retryAfterSeconds).toBeGreaterThan(0);
    const nobody = await harness.lookups().lookup('a.rdaponly');
    expect(told(nobody)).toEqual(['unreachable', 'rdap registry unresolved']);
    expect(nobody.retryAfterSeconds).toBeGreaterThan(0);
  });

  it('a top-level domain without a service is reported as unsupported, with a reason, and no server is queried', async () => {
    expect(await harness.lookups().lookup('a.silent')).toMatchObject({
      outcome: 'unsupported',
      reason: expect.stringContaining('publishes no machine-readable'),
      sources: [],
    });
    expect(await harness.lookups().lookup('a.nosuch')).toMatchObject({
      outcome: 'unsupported',
      reason: expect.stringContaining('no top-level domain'),
    });
  });
});
