import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ArrayMaxSize, ArrayMinSize, IsBoolean, IsString } from 'class-validator';
import { request } from 'undici';
import {
  CHARGED_ITEMS_HEADER,
  MAX_CREDITS,
  PagedAnswer,
  WHOIS_LIVE,
  defineOperation,
  domainName,
  oneOf,
  pagedSearch,
  streamedLine,
  text,
} from '#libs/contracts';
import { SHORT_PIECES_MAX } from '#libs/public-http';
import { waitFor } from '#test/environment';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';

class Names {
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsString({ each: true })
  domainNames: string[];
}

class Answer {
  @IsBoolean()
  status: boolean;
}

class Item extends Answer {
  static readonly codes = [];
  static readonly answer = Answer;
}

/** A name whose price cannot be calculated: the calculation throws. */
const UNCOUNTABLE = 'uncountable.example';

function countOf({ domainNames }: Names): number {
  if (domainNames.includes(UNCOUNTABLE)) throw new TypeError('no count');
  return domainNames.length;
}

const common = {
  parameters: {},
  answers: [{ type: 'application/json', of: Answer }],
  problems: [],
  examples: [{ title: 'One', parameters: {}, answer: { status: true } }],
} as const;

const BULK = defineOperation({
  ...common,
  name: 'whois.bulk',
  summary: 'Several names',
  method: 'POST',
  routes: [{ path: '/v2.0/bulk', version: 2 }],
  access: { kind: 'key', scope: 'whois', class: 'bulk' },
  owner: { service: 'lookup', path: '/internal/bulk' },
  parameters: {
    depth: { kind: oneOf(['full']), about: 'How deep', example: 'full' },
    max_credits: MAX_CREDITS,
  },
  body: {
    of: Names,
    limitBytes: 4_096,
    example: { domainNames: ['registered.test'] },
    subjects: [{ kind: domainName(), of: ({ domainNames }: Names) => domainNames }],
  },
  answers: [
    { type: 'application/json', of: Answer },
    { type: 'application/x-ndjson', of: Item, last: Answer },
  ],
  price: {
    per: 'item',
    item: 'answered name',
    credits: 2,
    items: ({ body }) => countOf(body as Names),
  },
});

const PAGES = pagedSearch({ full: { credits: 5, pageSize: 50 } });
const NO_PAGE = {
  status: true,
  paging: {
    page: 1,
    page_size: 50,
    total_records: 0,
    total_is: 'exact',
    total_pages: 0,
    has_next: false,
    next_cursor: null,
  },
  coverage: { has_data: false, sources: [] },
} satisfies PagedAnswer;

const HISTORY = defineOperation({
  ...common,
  ...PAGES,
  name: 'whois.history',
  summary: 'Older records',
  method: 'GET',
  routes: [{ path: '/v1.0/whois', version: 1, when: { parameter: 'whois', value: 'historical' } }],
  access: { kind: 'key', scope: 'whois', class: 'heavy' },
  owner: { service: 'lookup', path: '/internal/history' },
  parameters: {
    whois: {
      kind: oneOf(['historical']),
      about: 'Chooses',
      example: 'historical',
      isForGateway: true,
    },
    domainName: {
      kind: domainName(),
      about: 'A name',
      example: 'registered.test',
      isRequired: true,
    },
    ...PAGES.parameters,
  },
  subject: 'domainName',
  answers: [{ type: 'application/json', of: PagedAnswer }],
  examples: [{ title: 'One', parameters: { domainName: 'registered.test' }, answer: NO_PAGE }],
  fixtures: [{ value: 'registered.test', answers: 'nothing' }],
});

const FILE = defineOperation({
  ...common,
  name: 'files.one',
  summary: 'A file',
  method: 'GET',
  routes: [{ path: '/v2.0/files/{dataset}/{date}', version: 2 }],
  access: { kind: 'key', scope: 'whois', class: 'account' },
  owner: { service: 'lookup', path: '/internal/files/{date}/{dataset}' },
  parameters: {
    dataset: { kind: text(20), about: 'Which', example: 'newly', in: 'path' },
    date: { kind: text(10), about: 'When', example: '2026-11-20', in: 'path' },
  },
  examples: [{ title: 'One', parameters: { dataset: 'newly', date: '2026-11-20' }, answer: {} }],
  answers: [{ type: 'file', mediaTypes: ['application/gzip'] }],
  price: { per: 'free' },
});

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];

beforeAll(async () => {
  under = await GatewayUnderTest.start({}, [BULK, WHOIS_LIVE, HISTORY, FILE]);
  around = under.around;
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

async function post(path: string, apiKey: string, body: unknown, headers = {}) {
  const answer = await request(under.url + path, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });
  const read = await answer.body.text();
  const json = read.startsWith('{')
    ? (JSON.parse(read.split('\n')[0]) as Record<string, unknown>)
    : {};
  return { status: answer.statusCode, headers: answer.headers, text: read, json };
}

const fieldsOf = ({ json }: { json: Record<string, unknown> }) =>
  (json.errors as { field: string }[]).map(({ field }) => field).toSorted();

describe('an operation with a body', () => {
  const names = { domainNames: ['a.example', 'b.example', 'c.example'] };

  it('each item that the owner counts is charged, out of the amount reserved for all items', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    let asked: unknown;
    around.lookup.respond = (_request, response, body) => {
      asked = body;
      response.setHeader(CHARGED_ITEMS_HEADER, '2');
      response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live');
      response.end('{"status":true}');
    };
    const answer = await post('/v2.0/bulk?depth=full', apiKey, names);
    expect([answer.status, answer.headers['x-credits-cost']]).toEqual([200, '4']);
    expect(answer.json).toMatchObject({ status: true, meta: { credits_charged: 4 } });
    expect(asked).toEqual(names);
    expect(around.lookup.questions[0].path).toBe('/internal/bulk?version=2&depth=full');
    await waitFor('the settlement', () => around.entitlement.charged(keyRecord.accountId) === 4);
  });

  it('402: a request that could cost more than max_credits is not forwarded', async () => {
    const { apiKey } = around.account.addKey();
    const refused = await post('/v2.0/bulk?max_credits=5', apiKey, names);
    expectProblem(refused, 402, 'price_above_max');
    expect(refused.json).toMatchObject({ credits_required: 6, credits_charged: 0 });
    expect(around.lookup.questions).toEqual([]);
    expect((await post('/v2.0/bulk?max_credits=6', apiKey, names)).status).toBe(200);
  });

  it('the log contains every name that fits in full, even if an earlier one does not', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    const long = `https://a.example/${'x'.repeat(300)}`;
    await post('/v2.0/bulk', apiKey, { domainNames: [long, 'b.example', 'c.example'] });
    const rows = await under.logRows(keyRecord.accountId, 1);
    expect(rows).toMatchObject([{ subject: 'b.example, c.example' }]);
  });

  it('400: an invalid Idempotency-Key is rejected, not ignored', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    for (const key of ['', 'a b', 'x'.repeat(256), 'é']) {
      const refused = await post('/v2.0/bulk', apiKey, names, {
        'idempotency-key': Buffer.from(key).toString('latin1'),
      });
      expectProblem(refused, 400, 'invalid_request');
      expect([key, fieldsOf(refused)]).toEqual([key, ['idempotency-key']]);
    }
    expect(around.lookup.questions).toEqual([]);
    expect(around.entitlement.charged(keyRecord.accountId)).toBe(0);
    const key = { 'idempotency-key': 'a-good-one' };
    expect((await post('/v2.0/bulk', apiKey, names, key)).status).toBe(200);
  });

  it('lines are streamed as they arrive, and the last line contains their cost', async () => {
    const { apiKey } = around.account.addKey();
    around.lookup.respond = (asked, response) => {
      expect(asked.headers.accept).toBe('application/x-ndjson');
      response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live');
      response.write(streamedLine('charged', '{"index":1,"name":"Zürich"}'));
      response.write(streamedLine('free', '{"index":0}'));
      response.end(streamedLine('last', '{"items":2}'));
    };
    const answer = await post('/v2.0/bulk', apiKey, names, { accept: 'application/x-ndjson' });
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    const lines = answer.text.trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual(['{"index":1,"name":"Zürich"}', '{"index":0}']);
    expect(JSON.parse(lines[2])).toMatchObject({
      items: 2,
      meta: { credits_charged: 2, credits_remaining: 998 },
    });
  });

  it('an owner’s failure in the middle of a stream is reported in the last line, and the sent part is charged', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.lookup.respond = (_asked, response) => {
      response.write(streamedLine('charged', '{"index":0}'), () => response.destroy());
    };
    const answer = await post('/v2.0/bulk', apiKey, names, { accept: 'application/x-ndjson' });
    const last = JSON.parse(answer.text.trimEnd().split('\n').at(-1)!) as object;
    expect(last).toMatchObject({ error: 'broken_off', meta: { credits_charged: 2 } });
    await waitFor('the settlement', () => around.entitlement.charged(keyRecord.accountId) === 2);
  });

  it('a client that disconnects pays for the lines that were sent, and the owner’s call is cancelled', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    let isLetGo = false;
    around.lookup.respond = (_asked, response) => {
      response.on('close', () => (isLetGo = true));
      response.write(streamedLine('charged', '{"index":0}'));
    };
    const body = JSON.stringify(names);
    const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write(
      `POST /v2.0/bulk HTTP/1.1\r\nHost: a\r\nAccept: application/x-ndjson\r\nX-API-Key: ${apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await waitFor('the first line', () => received.includes('"index":0'));
    socket.destroy();
    await waitFor('the settlement', () => around.entitlement.charged(keyRecord.accountId) === 2);
    await waitFor('the call to the owner to be cancelled', () => isLetGo);
    const [row] = await under.logRows(keyRecord.accountId, 1);
    expect(row).toMatchObject({ status: 499, credits: 2, operation: 'whois.bulk' });
  });

  it('400: every fault of query and body is named, and nothing is forwarded', async () => {
    const { apiKey } = around.account.addKey();
    const faulty = { domainNames: ['a.example', 7], colour: 'red' };
    const answer = await post('/v2.0/bulk?depth=none&extra=1', apiKey, faulty);
    expectProblem(answer, 400, 'invalid_request');
    expect(fieldsOf(answer)).toEqual(['colour', 'depth', 'domainNames', 'extra']);
    for (const body of ['', '{', '[]', 'null', '"a"', '{"domainNames":["\xff"]}', '{}']) {
      const { apiKey: next } = around.account.addKey();
      const bytes = Buffer.from(body, 'latin1');
      expectProblem(await post('/v2.0/bulk', next, bytes), 400, 'invalid_request');
    }
    const hidden = '{"domainNames":["a.example"],"__proto__":{"a":1}}';
    expectProblem(await post('/v2.0/bulk', apiKey, hidden), 400, 'invalid_request');
    expect(around.lookup.questions).toEqual([]);
  });

  it('S94: a body that is too large is rejected before it is read, with or without a Content-Length', async () => {
    const { apiKey } = around.account.addKey();
    const large = { domainNames: ['a'.repeat(8_000)] };
    expectProblem(await post('/v2.0/bulk', apiKey, large), 413, 'payload_too_large');
    const headers = `POST /v2.0/bulk HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\n`;
    const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
    let received = '';
    let isClosed = false;
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('close', () => (isClosed = true)).on('error', () => {});
    socket.write(`${headers}Transfer-Encoding: chunked\r\n\r\n2000\r\n${'x'.repeat(0x2000)}\r\n`);
    await waitFor('the end of the connection', () => isClosed);
    expect(received).toContain('HTTP/1.1 413');
    expect(received).toContain('Connection: close');
    const other = await post('/v2.0/bulk', apiKey, '{}', { 'content-type': 'text/plain' });
    expectProblem(other, 415, 'unsupported_media_type');
  });

  it('a body that arrives in thousands of short chunks is rejected, because each costs far more than its bytes', async () => {
    const { apiKey } = around.account.addKey();
    const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
    let received = '';
    let isClosed = false;
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('close', () => (isClosed = true)).on('error', () => {});
    socket.write(
      `POST /v2.0/bulk HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const shortChunks = '1\r\n \r\n'.repeat(SHORT_PIECES_MAX + 20);
    socket.write(shortChunks);
    await waitFor('the end of the connection', () => isClosed);
    expect(received).toContain('HTTP/1.1 400');
    expect(received).toContain('too many short chunks');
  });

  it('an exception in a step causes an internal error for that request only, and the next request is answered', async () => {
    const { apiKey } = around.account.addKey();
    const thrown = await post('/v2.0/bulk', apiKey, { domainNames: [UNCOUNTABLE] });
    expect([thrown.status, thrown.json.code]).toEqual([500, 'internal_error']);
    expect((await post('/v2.0/bulk', apiKey, { domainNames: ['a.example'] })).status).toBe(200);
  });

  it('a test key may request only fixtures, and a live key none', async () => {
    const { apiKey } = around.account.addKey({ environment: 'test', rank: 0 });
    const mixed = { domainNames: ['registered.test', 'a.example'] };
    expectProblem(await post('/v2.0/bulk', apiKey, mixed), 422, 'test_key_fixture_only');
    const { apiKey: live } = around.account.addKey();
    expectProblem(await post('/v2.0/bulk', live, mixed), 422, 'fixture_needs_test_key');
    expect(around.lookup.questions).toEqual([]);
  });

  it('other methods are rejected, and the answer names the allowed one', async () => {
    const answer = await under.ask('/v2.0/bulk');
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe('POST, OPTIONS');
  });
});

describe('several operations at one path', () => {
  it('a parameter, in upper or lower case, selects the operation, which determines class, scope, price and owner', async () => {
    const { apiKey } = around.account.addKey();
    const ask = (rest: string) => under.ask(`/v1.0/whois?apiKey=${apiKey}${rest}`);
    const live = await ask('&whois=live&domainName=a.example');
    const older = await ask('&whois=historical&domainName=a.example&mode=full');
    const preview = await ask('&domainName=b.example&mode=Preview&whois=HISTORICAL');
    expect([live, older, preview].map(({ headers }) => headers['x-credits-cost'])).toEqual([
      '1',
      '5',
      '0',
    ]);
    expect(older.headers['ratelimit-policy']).toMatch(/^"heavy"/);
    expect(around.lookup.questions.map(({ path }) => path.split('?')[0])).toEqual([
      '/internal/whois/live',
      '/internal/history',
      '/internal/history',
    ]);
    const unknown = await ask('&whois=reverse&domainName=a.example');
    expectProblem(unknown, 400, 'invalid_request');
    expect(unknown.json.errors).toEqual([
      { field: 'whois', message: 'must be one of live, historical' },
    ]);
  });
});

describe('an operation that answers with a redirect', () => {
  it('the answer redirects to the owner’s address, but not to one with another scheme', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    const path = '/v2.0/files/newly/2026-11-20';
    let location = 'https://files.example/x?token=1';
    const accounts: unknown[] = [];
    around.lookup.respond = (asked, response) => {
      accounts.push(asked.headers['x-account-id']);
      response.writeHead(302, { location }).end();
    };
    const answer = await under.ask(path, { 'x-api-key': apiKey });
    expect([answer.status, answer.headers.location]).toEqual([302, location]);
    expect(around.lookup.questions[0].path).toBe('/internal/files/2026-11-20/newly?version=2');
    expect(accounts).toEqual([keyRecord.accountId]);
    location = 'javascript:alert(1)';
    const refused = await under.ask(path, { 'x-api-key': apiKey });
    expectProblem(refused, 503, 'service_unavailable');
  });
});
