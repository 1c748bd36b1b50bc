import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

const HERE = 'http://localhost:8081';
/** The headers that a browser on this machine sends. */
const BROWSER = ['Host: localhost:8081', 'Connection: keep-alive'];

describe('the mailbox page', () => {
  let under: DashboardUnderTest;

  beforeAll(async () => {
    under = await DashboardUnderTest.start(undefined, {
      BILLING_URL: HERE,
      DASHBOARD_TRUSTED_PROXIES: '127.0.0.1',
    });
    under.mails = [
      {
        id: '1',
        sentAt: '2026-03-02T09:00:00Z',
        to: 'ada@example.com',
        subject: '<script>alert(1)</script>',
        text: `Go to ${HERE}/sign-up/confirm?token=abc and not to https://elsewhere.example/`,
      },
    ];
  });
  afterAll(() => under?.stop());

  async function answerTo(headers: string[], path = '/mailbox', version = '1.1'): Promise<string> {
    const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (/<\/html>\s*(0\s*)?$|^HTTP\/1.1 (308|4)/.test(text)) socket.end();
    });
    socket.write([`GET ${path} HTTP/${version}`, ...headers, '', ''].join('\r\n'));
    await once(socket, 'close');
    return text;
  }

  it('S66: the text of an e-mail is inert, and only links to the dashboard’s own pages can be clicked', async () => {
    const text = await answerTo(BROWSER);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).toContain(`<a href="${HERE}/sign-up/confirm?token=abc">`);
    expect(text).not.toContain('href="https://elsewhere.example/');
    expect(await answerTo(BROWSER, '/log-in')).toContain('href="/mailbox"');
  });

  it('a request without a browser’s headers, such as curl’s, is told why the page shows nothing', async () => {
    const text = await answerTo(['Host: localhost:8081']);
    expect(text).toMatch(/^HTTP\/1\.1 404 /);
    expect(text).toContain('shown only to a browser on the machine that runs this service');
  });

  it.each([
    ['nginx, with nothing but proxy_pass', ['Host: localhost:8081', 'Connection: close'], '1.0'],
    ['a proxy that uses HTTP/1.1', ['Host: localhost:8081', 'Connection: close'], '1.1'],
    ['a proxy that keeps connections open', ['Host: localhost:8081'], '1.1'],
    ['X-Forwarded-For', [...BROWSER, 'X-Forwarded-For: 127.0.0.1'], '1.1'],
    ['X-Forwarded-Proto', [...BROWSER, 'X-Forwarded-Proto: https'], '1.1'],
    ['X-Real-IP', [...BROWSER, 'X-Real-IP: 192.0.2.1'], '1.1'],
    ['Forwarded', [...BROWSER, 'Forwarded: for=192.0.2.1'], '1.1'],
    ['Via', [...BROWSER, 'Via: 1.1 proxy'], '1.1'],
    ['CF-Connecting-IP', [...BROWSER, 'CF-Connecting-IP: 192.0.2.1'], '1.1'],
    ['another Host', ['Host: mail.example', 'Connection: keep-alive'], '1.1'],
    [
      'a foreign Host header that claims to be local',
      ['Host: mail.example', 'X-Forwarded-Host: localhost:8081', 'Connection: keep-alive'],
      '1.1',
    ],
  ])('S128: a forwarded request does not see the page: %s', async (_, headers, version) => {
    const text = await answerTo(headers, '/mailbox', version);
    expect(text).toMatch(/^HTTP\/1\.1 (404|308|400) /);
    expect(text).not.toContain('token=abc');
    expect(await answerTo(headers, '/log-in', version)).not.toContain('href="/mailbox"');
  });
});
