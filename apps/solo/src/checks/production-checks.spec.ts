import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, SystemClock } from '#libs/platform';
import { makeOwnCertificate } from '#test/environment';
import { SmtpSink } from '../../../simulators/src/mail/smtp-sink.js';
import { PaymentsSimulator } from '../../../simulators/src/payments/payments-simulator.js';
import { type ProductionFacts, productionChecks } from './production-checks.js';

/**
 * Runs the checks against real counterparts: a server with TLS, a mail server, simulated APIs of the processors, files.
 */
describe('the doctor for a public installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dds-production-'));
  const clock = new SystemClock();
  const simulator = new PaymentsSimulator();
  const sink = new SmtpSink(() => undefined);
  const backup = join(folder, 'domain-data-2026-11-23.tar.gz');
  let server: Server;
  let facts: ProductionFacts;

  beforeAll(async () => {
    const { keyFile, certificateFile, authority } = makeOwnCertificate(folder, 'own', 'localhost');
    const identity = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
    server = createServer(identity, (socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
    const api = await simulator.start();
    simulator.sendCallbacksTo({ url: 'https://pay.example/callbacks/stripe', secret: 's' });
    const secret = 'WH12345678';
    simulator.paypal.callbacks.target = { url: 'https://pay.example/callbacks/paypal', secret };
    writeFileSync(backup, '');
    facts = {
      backups: folder,
      now: () => clock.now(),
      authorities: [authority],
      says: (program) =>
        program === 'nginx'
          ? 'server_name localhost; proxy_buffering off; proxy_request_buffering off;'
          : 'yes\n',
      settings: {
        // An origin that is not on this machine makes the installation public.
        BASE_URL: origin,
        BILLING_URL: 'https://pay.example',
        GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
        DASHBOARD_TRUSTED_PROXIES: '127.0.0.1',
        SMTP_URL: `smtp://127.0.0.1:${await sink.listen(0)}`,
        MAIL_FROM: 'Example <no-reply@example.com>',
        INVOICE_SELLER_NAME: 'Example Ltd',
        INVOICE_SELLER_ADDRESS: '1 Example Street',
        STRIPE_API_KEY: 'rk_test_doctor',
        STRIPE_API_URL: api,
        BILLING_PAYPAL_CLIENT_ID: 'simulator',
        BILLING_PAYPAL_CLIENT_SECRET: 'a secret of PayPal',
        BILLING_PAYPAL_API_URL: `${api}/paypal`,
      },
    };
  });
  afterAll(async () => {
    await Promise.all([simulator.stop(), sink.close()]);
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  const look = async (name: string, changed: Partial<ProductionFacts> = {}) => {
    const check = productionChecks({ ...facts, ...changed }).find((one) => one.name === name);
    return check!.look().then(
      (said) => `✓ ${said}`,
      (error: Error) => `✗ ${error.message}`,
    );
  };
  const withSettings = (settings: Record<string, string | undefined>) => ({
    settings: { ...facts.settings, ...settings },
  });

  it('accepts an installation that follows the documentation', async () => {
    for (const name of ['production', 'DNS localhost', 'TLS localhost', 'proxy', 'SMTP']) {
      // The test's certificate is valid for two days.
      const now = () => new Date(clock.now().getTime() - 30 * DAY_MS);
      expect([name, await look(name, name.startsWith('TLS') ? { now } : {})]).toEqual([
        name,
        expect.stringMatching(/^✓ /),
      ]);
    }
    for (const name of ['Stripe', 'PayPal', 'backups', 'clock']) {
      expect([name, await look(name)]).toEqual([name, expect.stringMatching(/^✓ /)]);
    }
  });

  const nginx = (text: string) => ({ says: () => text });
  const wrong: [name: string, changed: () => Partial<ProductionFacts>, says: RegExp][] = [
    [
      'production',
      () => withSettings({ MAIL_FROM: '', BILLING_URL: 'http://pay.example' }),
      /MAIL_FROM is not set .*BILLING_URL is not an https/,
    ],
    [
      'DNS nowhere.invalid',
      () => withSettings({ BASE_URL: 'https://nowhere.invalid' }),
      /add A and/,
    ],
    ['TLS localhost', () => ({}), /expires on \d{4}-\d\d-\d\d: renew it/],
    [
      'TLS localhost',
      () => ({ authorities: undefined }),
      /self-signed certificate.*Is the proxy running/,
    ],
    ['proxy', () => nginx('server_name elsewhere;'), /is not configured for localhost/],
    ['proxy', () => nginx('server_name localhost;'), /lacks "proxy_buffering off"/],
    ['SMTP', () => withSettings({ SMTP_URL: 'smtp://127.0.0.1:1' }), /cannot be reached \(\w+\)/],
    ['SMTP', () => withSettings({ SMTP_URL: undefined }), /no e-mails are sent/],
    ['Stripe', () => withSettings({ BILLING_URL: 'https://a.example' }), /No webhook points to/],
    ['PayPal', () => withSettings({ BILLING_URL: 'https://a.example' }), /register one/],
    [
      'payments',
      () => withSettings({ STRIPE_API_KEY: undefined, BILLING_PAYPAL_CLIENT_ID: undefined }),
      /no real payments/,
    ],
    ['backups', () => ({ backups: join(folder, 'nothing') }), /enable the timer/],
    ['clock', () => nginx('no\n'), /systemd-timesyncd/],
  ];
  it.each(wrong)('reports the fault and its remedy for %s (%#)', async (name, changed, says) => {
    expect(await look(name, changed())).toMatch(new RegExp(`^✗ .*${says.source}`));
  });

  it('accepts a backup from last night, and rejects an older backup', async () => {
    const hoursAgo = (hours: number) => new Date(clock.now().getTime() - hours * HOUR_MS);
    utimesSync(backup, hoursAgo(25), hoursAgo(25));
    expect(await look('backups')).toBe('✓ the newest is 25 hours old');
    utimesSync(backup, hoursAgo(27), hoursAgo(27));
    expect(await look('backups')).toContain('27 hours old: journalctl');
  });

  it('checks nothing for an installation that only this machine can reach', () => {
    const settings = { BASE_URL: 'http://localhost:8080', BILLING_URL: 'http://127.0.0.1:8081' };
    expect(productionChecks({ ...facts, settings })).toEqual([]);
    expect(productionChecks({ ...facts, settings: {} })).toEqual([]);
  });
});
