import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { connect } from 'node:net';
import { X509Certificate } from 'node:crypto';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MISBEHAVIOURS, misbehaviourOf } from './misbehaviour.js';
import { availabilityOf, registrationOf } from '../registrations/registration.js';
import { RegistrySimulator } from './registry-simulator.js';

interface RdapAnswer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

const simulator = new RegistrySimulator({ dripIntervalMs: 5 });
let ca: string;
let registries: number;
let registrars: number;
let rdapPort: number;

beforeAll(async () => {
  const internet = await simulator.start();
  ca = readFileSync(internet.caFile, 'utf8');
  const port = (host: string) => {
    const entry = internet.upstreamExceptions
      .split(',')
      .find((text) => text.startsWith(`${host}=`));
    return Number(entry?.split(':').at(-1));
  };
  [registries, registrars, rdapPort] = [port('*:43'), port('*.example:43'), port('*:443')];
});

afterAll(() => simulator.stop());

async function whois(question: string, port = registries): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${question}\r\n`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

function rdap(host: string, name: string, kind = 'domain'): Promise<RdapAnswer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: rdapPort,
      servername: host,
      ca,
      agent: false as const,
    };
    get({ ...options, path: `/${kind}/${name}` }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, text }),
      );
    }).on('error', reject);
  });
}

describe('the simulated certificate authority', () => {
  it('a certificate that an ordinary TLS client accepts is issued for any host name', async () => {
    for (const host of [
      'rdap.verisign.com',
      'rdap.registrar-one.example',
      'a.very.long.name.example',
    ]) {
      const socket = connectTls({ host: '127.0.0.1', port: rdapPort, servername: host, ca });
      await once(socket, 'secureConnect');
      expect(socket.authorized).toBe(true);
      expect(new X509Certificate(socket.getPeerCertificate().raw).checkHost(host)).toBe(host);
      socket.destroy();
    }
  });

  it.each([
    ['expired.registrar.example', 'CERT_HAS_EXPIRED'],
    ['untrusted.registrar.example', 'CERT_SIGNATURE_FAILURE'],
  ])('%s gets a certificate that fails with %s', async (host, code) => {
    await expect(rdap(host, 'shop.com')).rejects.toMatchObject({ code });
  });
});

describe('the simulated registries', () => {
  it('the same name always has the same registration, which expires after its creation', () => {
    for (let i = 0; i < 200; i++) {
      const domain = `name-${i}.com`;
      const first = registrationOf(domain);
      expect(registrationOf(domain)).toEqual(first);
      expect(first.created < first.updated && first.updated < first.expires).toBe(true);
    }
  });

  it.each(['com', 'org', 'uk', 'de', 'fr', 'it', 'jp', 'ch'])(
    '.%s has different answers for a registered name, a free name and a refusal',
    async (tld) => {
      const found = await whois(`shop.${tld}`);
      expect(found.toLowerCase()).toContain(`shop.${tld}`);
      expect(found).not.toContain('undefined');
      const free = await whois(`free-shop.${tld}`);
      expect(free).not.toBe(found);
      const throttled = await whois(`throttled-shop.${tld}`);
      expect(throttled).not.toBe(free);
      expect(free.toLowerCase()).toMatch(
        /free|available|no match|not found|no entries|nothing found|no information|do not have an entry/,
      );
    },
  );

  it('.jp shows dates in Japanese time', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `day-${n}.jp`);
    const name = names.find((one) => registrationOf(one).created.getUTCHours() >= 15)!;
    const day = new Intl.DateTimeFormat('ja-JP', { timeZone: 'Asia/Tokyo', dateStyle: 'medium' });
    const created = day.format(registrationOf(name).created);
    expect(await whois(name)).toContain(`[Created on]                    ${created}`);
  });

  it('a query may contain the flags that a registry expects around a name', async () => {
    const plain = await whois('shop.de');
    expect(await whois('-T dn,ace shop.de')).toBe(plain);
    expect(await whois('shop.jp/e')).toBe(await whois('SHOP.JP'));
    expect(await whois('domain shop.com')).toBe(await whois('shop.com'));
  });

  it('a thin registry refers clients to the registrar, on port 43 and over RDAP', async () => {
    const registrar = registrationOf('shop.com').registrar.domain;
    expect(await whois('shop.com')).toContain(`Registrar WHOIS Server: whois.${registrar}\r\n`);
    expect(await whois('shop.com')).not.toContain('Registrant');
    expect(await whois('shop.com', registrars)).toContain('Registrant Country:');
    const thin = JSON.parse((await rdap('rdap.verisign.com', 'shop.com')).text);
    expect(thin.entities).toHaveLength(1);
    expect(thin.links).toContainEqual(
      expect.objectContaining({
        rel: 'related',
        href: `https://rdap.${registrar}/domain/shop.com`,
      }),
    );
    const thick = JSON.parse((await rdap(`rdap.${registrar}`, 'shop.com')).text);
    expect(thick.entities.map((entity: { roles: string[] }) => entity.roles[0])).toEqual([
      'registrar',
      'registrant',
      'administrative',
      'technical',
    ]);
  });

  it('withheld values are marked over RDAP as in RFC 9537', async () => {
    const answer = JSON.parse((await rdap('rdap.registry.org', 'redacted-shop.org')).text);
    expect(answer.redacted[1].name.type).toBe('Registrant Name');
    expect(JSON.stringify(answer)).not.toContain(
      registrationOf('redacted-shop.org').registrant.name,
    );
  });

  it('a free name gets 404 over RDAP', async () => {
    expect(availabilityOf('available-shop.com')).toBe('free');
    expect((await rdap('rdap.verisign.com', 'available-shop.com')).status).toBe(404);
  });
});

describe('misbehaviour', () => {
  it('a fault is read from the name and limited to its scope', () => {
    for (const name of MISBEHAVIOURS) {
      expect(misbehaviourOf(`${name}-shop.com`, { protocol: 'rdap', role: 'registry' })).toBe(name);
      expect(
        misbehaviourOf(`rdap-${name}.com`, { protocol: 'whois43', role: 'registry' }),
      ).toBeUndefined();
      expect(
        misbehaviourOf(`registrar-whois-${name}-a.com`, { protocol: 'whois43', role: 'registrar' }),
      ).toBe(name);
    }
    expect(misbehaviourOf('shop.com', { protocol: 'rdap', role: 'registry' })).toBeUndefined();
    expect(misbehaviourOf('resetting.com', { protocol: 'rdap', role: 'registry' })).toBeUndefined();
  });

  it('a throttled name gets 429, with a time to wait unless the name says otherwise', async () => {
    const hinted = await rdap('rdap.verisign.com', 'throttled-shop.com');
    expect([hinted.status, hinted.headers['retry-after']]).toEqual([429, '30']);
    const bare = await rdap('rdap.verisign.com', 'throttled-without-hint.com');
    expect([bare.status, bare.headers['retry-after']]).toEqual([429, undefined]);
  });

  it('faults can be resets, redirects and answers in HTML', async () => {
    await expect(rdap('rdap.verisign.com', 'reset-shop.com')).rejects.toThrow();
    const away = await rdap('rdap.verisign.com', 'redirect-to-http-shop.com');
    expect([away.status, away.headers.location]).toEqual([
      302,
      'http://rdap.verisign.com/domain/redirect-to-http-shop.com',
    ]);
    const page = await rdap('rdap.verisign.com', 'html-shop.com');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html']);
  });

  it('a registrar can contradict its registry', async () => {
    expect(await whois('lying-registrar-shop.com')).toContain('Registry Expiry Date');
    expect(await whois('lying-registrar-shop.com', registrars)).toContain('No match');
    expect((await rdap('rdap.registrar-one.example', 'lying-registrar-shop.com')).status).toBe(404);
  });

  it('referrals can lead to every kind of place to which a client must not follow them', async () => {
    for (const [name, target] of [
      ['refers-to-loopback.com', '127.0.0.1'],
      ['refers-to-private.com', '10.0.0.1'],
      ['refers-to-port.com', ':6379'],
      ['refers-to-itself.com', 'whois.nic.com'],
      ['refers-endlessly.com', 'whois.hop-1.example'],
    ] as const) {
      expect(await whois(name)).toMatch(
        new RegExp(`Registrar WHOIS Server: .*${target.replaceAll('.', '\\.')}`),
      );
    }
    expect(await whois('refers-endlessly.com', registrars)).toContain('whois.hop-2.example');
    expect(await whois('refers-endlessly.com', registrars)).toContain('whois.hop-3.example');
  });

  it('an endless answer ends when the simulator stops', async () => {
    const other = new RegistrySimulator({ dripIntervalMs: 1 });
    const { upstreamExceptions } = await other.start();
    const socket = connect(
      Number(/\*:43=127\.0\.0\.1:(\d+)/.exec(upstreamExceptions)![1]),
      '127.0.0.1',
    );
    socket.write('drip-shop.com\r\n');
    let bytes = 0;
    await new Promise<void>((enough) => {
      socket.on('data', (chunk: Buffer) => (bytes += chunk.length) >= 20 && enough());
    });
    const closed = once(socket, 'close');
    await other.stop();
    await closed;
    expect(bytes).toBeGreaterThanOrEqual(20);
  });

  it('each query is recorded, so that a test can count the work', async () => {
    await whois('counted.de');
    await rdap('rdap.denic.de', 'counted.de');
    expect(simulator.exchanges.of('counted.de')).toEqual([
      { protocol: 'whois43', role: 'registry', question: 'counted.de\r\n', domain: 'counted.de' },
      {
        protocol: 'rdap',
        role: 'registry',
        question: '/domain/counted.de',
        domain: 'counted.de',
        host: 'rdap.denic.de',
      },
    ]);
    await rdap('rdap.arin.net', '64500', 'autnum');
    expect(simulator.exchanges.of('64500')).toMatchObject([{ question: '/autnum/64500' }]);
  });
});
