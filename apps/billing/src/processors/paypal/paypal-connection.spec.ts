import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HOUR_MS, newId } from '#libs/platform';
import { TestClock } from '#test/environment';
import { CallRate } from '../call-rate.js';
import { PaypalProcessor } from './paypal-processor.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const DISPUTE = {
  dispute_id: 'PP-D-1',
  status: 'OPEN',
  dispute_amount: { currency_code: 'USD', value: '54.00' },
  disputed_transactions: [{ seller_transaction_id: 'CAPTURE1' }],
};

describe('PayPal connection', () => {
  let clock: TestClock;
  let server: Server;
  let processor: PaypalProcessor;
  let seen: IncomingMessage[];
  let tokens: number;
  let api: Handler;
  const json =
    (status: number, body: unknown): Handler =>
    (_, response) =>
      void response.writeHead(status).end(JSON.stringify(body));

  beforeEach(async () => {
    clock = new TestClock();
    seen = [];
    tokens = 0;
    api = json(200, DISPUTE);
    server = createServer((request, response) => {
      if (request.url === '/v1/oauth2/token') {
        tokens += 1;
        json(200, { access_token: `token-${tokens}`, expires_in: 32_400 })(request, response);
        return;
      }
      seen.push(request);
      request.resume().on('end', () => api(request, response));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    processor = new PaypalProcessor({
      rate: new CallRate(1_000),
      apiUrl: `http://localhost:${(server.address() as AddressInfo).port}`,
      clientId: 'a client',
      clientSecret: () => 'a test secret',
      webhookIds: ['5GP028458E2496506'],
      returnUrl: 'http://localhost:1/subscriptions',
      clock,
    });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const fetchOne = () => processor.fetch({ kind: 'dispute', id: 'PP-D-1' });
  const outcome = async () => (await fetchOne()).outcome;

  it('one token is fetched, even for simultaneous calls, and renewed before it expires', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, outcome));
    expect(new Set(outcomes)).toEqual(new Set(['done']));
    expect(tokens).toBe(1);
    clock.advance(9 * HOUR_MS - 60_001);
    await outcome();
    expect(tokens).toBe(1);
    clock.advance(1);
    await outcome();
    expect(tokens).toBe(2);
    expect(seen.at(-1)!.headers.authorization).toBe('Bearer token-2');
  });

  it('a rejected token is replaced once, and the call is repeated once', async () => {
    api = (request, response) =>
      request.headers.authorization === 'Bearer token-2'
        ? json(200, DISPUTE)(request, response)
        : json(401, { name: 'AUTHENTICATION_FAILURE' })(request, response);
    expect(await outcome()).toBe('done');
    api = json(401, { name: 'AUTHENTICATION_FAILURE' });
    expect(await fetchOne()).toMatchObject({ outcome: 'unknown' });
    expect([tokens, seen.length]).toEqual([3, 4]);
  });

  it('a repeat of a call has the same key, and another call has another key', async () => {
    api = json(500, {});
    const refundId = newId();
    const asked = { refundId, paymentId: 'CAPTURE1', amountMicros: 10_000n };
    const money = { currency_code: 'USD', value: '54.00' };
    api = (request, response) =>
      request.method === 'GET'
        ? json(200, { id: 'CAPTURE1', status: 'COMPLETED', amount: money })(request, response)
        : json(500, {})(request, response);
    for (const one of [asked, asked, { ...asked, refundId: newId() }]) {
      expect((await processor.refund(one)).outcome).toBe('unknown');
    }
    const posts = seen.filter(({ method }) => method === 'POST');
    const [first, second, third] = posts.map(({ headers }) => headers['paypal-request-id']);
    expect(first).toBe(`refund:${refundId}`);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('an answer that leaves the outcome open counts as unknown, and a definite rejection as a refusal', async () => {
    const text =
      (status: number, body: string): Handler =>
      (_, response) =>
        void response.writeHead(status).end(body);
    const elsewhere: Handler = (_, response) =>
      void response.writeHead(302, { location: 'http://localhost:1/' }).end();
    const issue = (name: string) => ({ name: 'UNPROCESSABLE_ENTITY', details: [{ issue: name }] });
    for (const [what, handler, expected] of [
      ['500', json(500, {}), 'unknown'],
      ['503 without JSON', text(503, '<html>'), 'unknown'],
      ['429', json(429, { name: 'RATE_LIMIT_REACHED' }), 'unknown'],
      ['409', json(409, {}), 'unknown'],
      ['still running', json(422, issue('PREVIOUS_REQUEST_IN_PROGRESS')), 'unknown'],
      ['no JSON', text(200, 'ok'), 'unknown'],
      ['null', text(200, 'null'), 'unknown'],
      ['cut off', (_, response) => void response.destroy(), 'unknown'],
      ['a redirect', elsewhere, 'unknown'],
      ['2 MiB', text(200, JSON.stringify({ a: 'x'.repeat(2 * 1024 * 1024) })), 'unknown'],
      ['404', json(404, { name: 'RESOURCE_NOT_FOUND' }), 'refused'],
      ['422', json(422, issue('INSTRUMENT_DECLINED')), 'refused'],
      ['403 without JSON', text(403, 'no'), 'refused'],
    ] as [string, Handler, string][]) {
      api = handler;
      expect([what, await outcome()]).toEqual([what, expected]);
    }
  });

  it('an answer with invalid contents is rejected', async () => {
    for (const change of [
      { dispute_id: undefined },
      { dispute_id: '../orders/1' },
      { dispute_amount: { currency_code: 'USD', value: '-54.00' } },
      { dispute_amount: { currency_code: 'USD', value: '1e3' } },
      { dispute_amount: { currency_code: 'USD', value: '54.001' } },
      { dispute_amount: { currency_code: 'usd', value: '54.00' } },
      { dispute_amount: null },
      { disputed_transactions: [] },
    ]) {
      api = json(200, { ...DISPUTE, ...change });
      expect([change, await fetchOne()]).toMatchObject([change, { code: 'unfit_object' }]);
    }
  });

  it('an untrusted id becomes one segment of the path, whatever it contains', async () => {
    await processor.fetch({ kind: 'dispute', id: '../../v2/checkout/orders/1?x=' });
    expect(seen[0].url).toBe('/v1/customer/disputes/..%2F..%2Fv2%2Fcheckout%2Forders%2F1%3Fx%3D');
  });
});
