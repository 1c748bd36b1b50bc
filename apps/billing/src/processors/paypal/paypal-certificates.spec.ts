import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MINUTE_MS } from '#libs/platform';
import { CertificateAuthority, type IssuedCertificate } from '#libs/resolvers';
import { TestClock } from '#test/environment';
import { CallRate } from '../call-rate.js';
import { PaypalProcessor } from './paypal-processor.js';

const WEBHOOK_ID = '5GP028458E2496506';
const SUBJECT = 'messageverificationcerts.paypal.com';
const BODY = Buffer.from(
  JSON.stringify({
    id: 'WH-1',
    event_type: 'CHECKOUT.ORDER.APPROVED',
    create_time: '2026-11-20T10:00:00Z',
    resource: { id: 'ORDER1' },
  }),
);

describe('callback certificates', () => {
  const authority = new CertificateAuthority('The authority we trust');
  const genuine = authority.certificateFor([SUBJECT], { keyType: 'rsa' });
  let clock: TestClock;
  let timeouts: jest.SpiedFunction<typeof AbortSignal.timeout>;
  let server: Server;
  let processor: PaypalProcessor;
  let url: string;
  let served: Record<string, string | undefined>;
  let asked: string[];
  let missing: number;

  beforeEach(async () => {
    // A fetch that takes long on a busy machine must not count as failed.
    timeouts = jest.spyOn(AbortSignal, 'timeout');
    timeouts.mockReturnValue(new AbortController().signal);
    clock = new TestClock();
    served = { GENUINE: genuine.certificatePem };
    asked = [];
    missing = 500;
    server = createServer((request, response) => {
      const name = request.url?.split('/').at(-1) ?? '';
      asked.push(name);
      const pem = served[name];
      response.writeHead(pem === undefined ? missing : 200).end(pem);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://localhost:${(server.address() as AddressInfo).port}`;
    processor = new PaypalProcessor({
      rate: new CallRate(1_000),
      apiUrl: url,
      clientId: 'a client',
      clientSecret: () => 'a test secret',
      webhookIds: [WEBHOOK_ID],
      returnUrl: 'http://localhost:1/subscriptions',
      authorities: [authority.certificatePem],
      clock,
    });
  });
  afterEach(async () => {
    timeouts.mockRestore();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function verdictOn(
    name: string,
    { keyPem }: IssuedCertificate = genuine,
    sender = '192.0.2.1',
  ): Promise<string> {
    const time = clock.now().toISOString();
    const text = Buffer.from(`one|${time}|${WEBHOOK_ID}|${crc32(BODY)}`);
    const answer = await processor.verifyCallback(BODY, {
      'x-client-address': sender,
      'paypal-transmission-id': 'one',
      'paypal-transmission-time': time,
      'paypal-transmission-sig': sign('sha256', text, keyPem).toString('base64'),
      'paypal-cert-url': `${url}/v1/notifications/certs/${name}`,
      'paypal-auth-algo': 'SHA256withRSA',
    });
    return answer.verdict === 'rejected' ? answer.reason : answer.verdict;
  }

  it('S45: a certificate is fetched once, even for simultaneous callbacks', async () => {
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => verdictOn('GENUINE')));
    expect(new Set(verdicts)).toEqual(new Set(['accepted']));
    expect(await verdictOn('GENUINE')).toBe('accepted');
    expect(asked).toEqual(['GENUINE']);
  });

  it('S45: a certificate with another authority, subject or key type, or an expired one, is rejected, even if the callback’s signature is valid', async () => {
    const stranger = new CertificateAuthority('The authority we trust');
    const rsa = { keyType: 'rsa' } as const;
    const forged: Record<string, IssuedCertificate> = {
      'other-authority': stranger.certificateFor([SUBJECT], rsa),
      'other-subject': authority.certificateFor(['messageverificationcerts.paypal.com.co'], rsa),
      'longer-subject': authority.certificateFor(['x.messageverificationcerts.paypal.com'], rsa),
      'other-key': authority.certificateFor([SUBJECT]),
      expired: authority.certificateFor([SUBJECT], { ...rsa, expiryYear: 21 }),
    };
    for (const [name, issued] of Object.entries(forged)) {
      clock.advance(MINUTE_MS);
      served[name] = issued.certificatePem;
      expect([name, await verdictOn(name, issued)]).toEqual([name, 'wrong_signature']);
    }
  });

  it('S45: a chain that ends at an unknown authority or is broken is rejected', async () => {
    const stranger = new CertificateAuthority('A stranger');
    const issued = stranger.certificateFor([SUBJECT], { keyType: 'rsa' });
    served.chain = issued.certificatePem + stranger.certificatePem + authority.certificatePem;
    served.text = 'no certificate';
    served.broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    served.many = genuine.certificatePem.repeat(6);
    for (const name of ['chain', 'text', 'broken', 'many']) {
      clock.advance(MINUTE_MS);
      expect([name, await verdictOn(name, issued)]).toEqual([name, 'wrong_signature']);
    }
  });

  it('S45: a URL outside the certificates’ folder is never fetched', async () => {
    for (const name of ['../../../v2/checkout/orders', 'GENUINE?x=1', 'a/b', '%2e%2e', '']) {
      expect([name, await verdictOn(name)]).toEqual([name, 'wrong_signature']);
    }
    expect(asked).toEqual([]);
  });

  it('while a certificate cannot be fetched, the callback is neither accepted nor rejected', async () => {
    served = {};
    expect(await verdictOn('GENUINE')).toBe('undecided');
    served = { GENUINE: genuine.certificatePem };
    expect(await verdictOn('GENUINE')).toBe('accepted');
  });

  it('S46: a sender that keeps naming new certificates causes at most three fetches a minute', async () => {
    expect(await verdictOn('GENUINE')).toBe('accepted');
    for (let i = 0; i < 100; i += 1) await verdictOn(`none-${i}`, genuine, '198.51.100.7');
    for (let i = 0; i < 100; i += 1) await verdictOn(`six-${i}`, genuine, `2001:db8:1:${i}::1`);
    expect(asked).toHaveLength(1 + 3 + 3);
    expect(await verdictOn('GENUINE', genuine, '198.51.100.7')).toBe('accepted');
    clock.advance(MINUTE_MS);
    await verdictOn('none-later', genuine, '198.51.100.7');
    expect(asked).toHaveLength(8);
  });

  it('S46: many senders without a valid signature cannot use up the fetches of a known signer', async () => {
    expect(await verdictOn('GENUINE')).toBe('accepted');
    for (let i = 0; i < 200; i += 1) await verdictOn(`none-${i}`, genuine, `198.51.100.${i}`);
    expect(asked).toHaveLength(30);
    served.next = genuine.certificatePem;
    expect(await verdictOn('next', genuine, '203.0.113.9')).toBe('undecided');
    expect(await verdictOn('next')).toBe('accepted');
    expect(await verdictOn('next', genuine, '203.0.113.9')).toBe('accepted');
  });

  it('S46: a URL without a certificate is fetched once in ten minutes, and does not evict a genuine certificate', async () => {
    missing = 404;
    expect(await verdictOn('GENUINE')).toBe('accepted');
    for (let i = 0; i < 20; i += 1) {
      expect(await verdictOn('nothing', genuine, '198.51.100.7')).toBe('wrong_signature');
    }
    for (let i = 0; i < 40; i += 1) {
      clock.advance(MINUTE_MS);
      await verdictOn(`nothing-${i}`, genuine, '198.51.100.8');
    }
    expect(asked.filter((name) => name === 'nothing')).toHaveLength(1);
    expect(await verdictOn('GENUINE')).toBe('accepted');
    expect(asked.filter((name) => name === 'GENUINE')).toHaveLength(1);
    served.nothing = genuine.certificatePem;
    expect(await verdictOn('nothing')).toBe('accepted');
  });
});
