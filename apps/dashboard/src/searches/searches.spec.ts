import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { onePage } from '#libs/contracts';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { statusWords } from '../pages/shown-text.js';
import { LIVE_LOOKUPS, SEARCHES } from './searches.js';

const ASK = 'POST /internal/questions';
const PAGE_BYTES_MAX = 40 * 1024;
const COVERAGE = {
  has_data: true,
  sources: [
    {
      source: 'zone:com',
      since: '2020-01-01T00:00:00Z',
      updated_at: '2026-11-20T00:00:00Z',
      records: 1234,
    },
  ],
};
const PARTY = { name: 'Alex Sample', company: 'Example Holdings', country_code: 'NO' };
const RECORD = {
  num: 1,
  domain_name: 'example.com',
  first_seen: '2025-05-10T11:00:00.000Z',
  last_seen: '2026-11-20T11:42:03.000Z',
  is_complete: true,
  source: 'lookups',
  expiry_date: '2031-05-09',
  domain_registrar: { registrar_name: 'Example Registrar' },
  registrant_contact: PARTY,
  name_servers: ['ns1.example.com', 'ns2.example.com'],
};
const META = { request_id: 'r', credits_charged: 5, credits_remaining: 1_495 };

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

async function open(path: string): Promise<string> {
  const { status, body } = await under.send('GET', path, { cookie: under.cookie });
  expect([path, status]).toEqual([path, 200]);
  return body.toString();
}

/** Sends a form. @param answer the API's answer. @returns the page. */
async function found(operation: string, fields: Record<string, string>, answer: object) {
  under.answers.set(ASK, answer);
  const headers = { ...under.ours, 'content-type': 'application/x-www-form-urlencoded' };
  const form = new URLSearchParams(fields).toString();
  const { status, body } = await under.send('POST', `/search/${operation}`, headers, form);
  expect([operation, status]).toEqual([operation, 200]);
  return body.toString();
}

const asked = () =>
  under.arrived
    .filter(({ line }) => line === ASK)
    .map(({ body }) => JSON.parse(body.toString()) as object);

const history = (records: object[], more: object = {}) => ({
  status: true,
  domain_name: 'example.com',
  view: 'records',
  paging: onePage(records.length, 50),
  records,
  coverage: COVERAGE,
  meta: META,
  ...more,
});

describe('search pages', () => {
  it('every search has a page with its form, its price and the equivalent call', async () => {
    const list = await open('/search');
    for (const search of [...SEARCHES, ...LIVE_LOOKUPS]) {
      const { row, title } = search;
      expect(list).toContain(`<a href="/search/${row.name}"><strong>${title}</strong></a>`);
      const page = await open(`/search/${row.name}`);
      expect(page).toContain(`<form method="post" action="/search/${row.name}">`);
      expect(page).toMatch(/costs \d+( to \d+)? credits?|Free\./);
      expect(page).toContain(`https://api.example${row.routes[0].path}`);
      for (const name of [row.subject ?? Object.keys(row.body!.example)].flat()) {
        expect(page).toContain(` name="${name}"`);
      }
    }
    expect((await under.send('GET', '/search/keys.create', { cookie: under.cookie })).status).toBe(
      404,
    );
  });

  it('S29: opening a page makes no request, whatever the URL contains', async () => {
    const page = await open('/search/whois.history?domainName=example.com&cursor=abc&preview=yes');
    expect(page).toContain('value="example.com"');
    expect(asked()).toEqual([]);
  });

  it('a history is requested for the entered name, and shows records, price and sources', async () => {
    const fields = { domainName: ' example.com ', view: 'records', after: '', before: '' };
    const page = await found('whois.history', fields, history([RECORD]));
    expect(asked()).toEqual([
      { operation: 'whois.history', query: 'domainName=example.com', environment: 'live' },
    ]);
    for (const words of [
      'Page 1 of 1, 1 record.',
      'Cost 5 credits, 1,495 left.',
      '2025-05-10 to 2026-11-20',
      'Example Registrar',
      'Example Holdings',
      'zone:com (from 2020-01-01, to 2026-11-20, 1,234 rows)',
      '/v2.0/whois/history?domainName=example.com',
    ]) {
      expect(page).toContain(words);
    }
  });

  it('further options stay closed until one of them differs from its default', async () => {
    const fields = { domainName: 'example.com', view: 'records' };
    const isOpen = async (more: object) =>
      /<details open>\s*<summary>More options/.test(
        await found('whois.history', { ...fields, ...more }, history([RECORD])),
      );
    expect(await isOpen({})).toBe(false);
    expect(await isOpen({ view: 'changes' })).toBe(true);
  });

  it('the next page is a button with its price, which repeats the query with the cursor', async () => {
    const paging = {
      ...onePage(1, 1),
      total_records: 2,
      total_pages: 2,
      has_next: true,
      next_cursor: 'abc.def',
    };
    const fields = { domainName: 'example.com', view: 'changes' };
    const page = await found('whois.history', fields, history([RECORD], { paging }));
    const [next] = /<form(?:(?!<form)[\s\S])*Next page, 5 credits/.exec(page)!;
    const hidden = [...next.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, ...one]) => one);
    expect(Object.fromEntries(hidden)).toMatchObject({ ...fields, cursor: 'abc.def' });
    await found('whois.history', { ...fields, cursor: 'abc.def' }, history([RECORD]));
    expect(asked().at(-1)).toMatchObject({
      query: 'domainName=example.com&view=changes&cursor=abc.def',
    });
  });

  it('a count is free, and shows the price of the whole search in each mode', async () => {
    const preview = [
      {
        mode: 'default',
        page_size: 50,
        total_pages: 3,
        credits_per_page: 5,
        credits_total: 15,
      },
    ];
    const answer = history([], { preview, paging: { ...onePage(0, 50), total_records: 120 } });
    const page = await found('whois.reverse', { company: 'Example', preview: 'yes' }, answer);
    expect(asked()).toMatchObject([{ query: expect.stringContaining('mode=preview') }]);
    expect(page).toMatch(/data-label="For all" class="number">15</);
  });

  it('an empty answer says whether any data is loaded, and how to load a source', async () => {
    const nothing = await found('subdomains', { domainName: 'a.example' }, history([]));
    expect(nothing).toContain('Nothing was found.');
    expect(nothing).toContain('npm run cli -- source add');
    const coverage = { has_data: false, sources: [] };
    const empty = await found('subdomains', { domainName: 'a.example' }, history([], { coverage }));
    expect(empty).toContain('this result says nothing about the name');
    expect(empty).toContain('npm run cli -- source add');
  });

  it('names are typed one per line, and compared free of charge', async () => {
    const names = {
      domainName: 'example.com',
      domainNames: 'examp1e.com\r\n\r\n exmple.com,e.com',
    };
    const score = { score: 95, reasons: ['looks_the_same'], kind: 'homoglyph' };
    const page = await found('domain.typos.scores', names, {
      status: true,
      domain_name: 'example.com',
      domains: [{ domain_name: 'examp1e.com', domain_unicode: 'examp1e.com', ...score }],
    });
    const body = { domainName: 'example.com', domainNames: ['examp1e.com', 'exmple.com', 'e.com'] };
    expect(asked()).toMatchObject([{ body, query: '' }]);
    expect(page).toContain('Looks the same');
    expect(page).toContain('Homoglyph');
    expect(page).toContain('Free of charge.');
  });

  it('a list with too many names is rejected under the label of its field', async () => {
    const errors = [{ field: 'domainNames', message: 'may have at most 100 items' }];
    const detail = 'The list "domainNames" may have at most 100 items.';
    under.answerWith({ code: 'payload_too_large', status: 413, detail, errors }, 413);
    under.answers.set('GET /internal/dashboard/credits', {});
    const typed = new URLSearchParams({ domainName: 'a.com', domainNames: 'b.com' }).toString();
    const page = await under.post('/search/domain.typos.scores', typed);
    expect(page.status).toBe(413);
    expect(page.text).toContain('Names to compare with it may have at most 100 items.');
    expect(page.text).not.toContain('The list &quot;domainNames');
  });

  it('a lookup names the source of a value by its role, not by its id', async () => {
    const sources = [{ id: 's1', role: 'registry', server: 'https://rdap.example/' }];
    const provenance = { sources, fields: { domain_name: 's1' } };
    const answer = { status: true, domain_name: 'example.com', provenance };
    expect(await found('whois.live', { domainName: 'example.com' }, answer)).toContain(
      '<small>registry</small>',
    );
  });

  it('samples are requested as with a test key', async () => {
    await found('whois.history', { domainName: 'Registered.TEST' }, history([RECORD]));
    await found('ip.whois', { ip: '192.0.2.1' }, { status: true });
    expect(asked()).toMatchObject([{ environment: 'test' }, { environment: 'test' }]);
  });
});

describe('an answer with hostile content', () => {
  const HOSTILE = `<script>alert(1)</script>"'&<img src=x onerror=alert(2)>`;

  it('S66: hostile text is shown as text, whether it is a value, a member name or an item of a list', async () => {
    const hostile = {
      ...RECORD,
      domain_name: HOSTILE,
      source: HOSTILE,
      domain_registrar: { registrar_name: HOSTILE },
      registrant_contact: { [HOSTILE]: HOSTILE, street: `1 Quay\n${HOSTILE}` },
      name_servers: [HOSTILE, HOSTILE],
    };
    const coverage = { has_data: true, sources: [{ ...COVERAGE.sources[0], source: HOSTILE }] };
    const pages = [
      await found('whois.history', { domainName: HOSTILE }, history([hostile], { coverage })),
      await found('whois.live', { domainName: HOSTILE }, { ...hostile, [HOSTILE]: [hostile] }),
    ];
    for (const page of pages) {
      expect(page).toContain('&lt;script&gt;alert(1)');
      expect(page.replaceAll('<script src="/assets/dashboard.js" defer></script>', '')).not.toMatch(
        /<script|<img/,
      );
    }
  });

  it('a domain status is shown in words, and an unknown status unchanged', () => {
    expect(statusWords('clienttransferprohibited')).toBe('client transfer prohibited');
    expect(statusWords('serverDeleteProhibited')).toBe('server delete prohibited');
    expect(statusWords('redemption_period')).toBe('redemption period');
    expect([statusWords('ok'), statusWords('active')]).toEqual(['ok', 'active']);
  });

  it('S67: control characters in an answer are shown escaped, so that they cannot hide or reverse text', async () => {
    const name = 'Alex\u202e elpmaxE\u200b\u0007';
    const page = await found(
      'whois.history',
      { domainName: 'example.com' },
      history([{ ...RECORD, registrant_contact: { name } }]),
    );
    expect(page).toContain('Alex\\u{202e} elpmaxE\\u{200b}\\u{7}');
    expect(page).not.toMatch(/\u202e|\u200b/);
  });

  it('S69: members named like built-in properties are ordinary members', async () => {
    const answer = JSON.parse(
      '{"status":true,"__proto__":{"polluted":"yes"},"constructor":"a","provenance":{"fields":{"__proto__":"x"}},"toString":[{"__proto__":1}]}',
    ) as object;
    const page = await found('whois.live', { domainName: 'example.com' }, answer);
    expect(page).toContain('Polluted');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('a full page takes less than 40 kB, compressed', async () => {
    const records = Array.from({ length: 50 }, (_, place) => ({
      ...RECORD,
      num: place,
      registrant_contact: { ...PARTY, street: `${place * 7919} Quay`, phone: `+1.${place}555` },
      administrative_contact: { ...PARTY, email_address: `${place * 104_729}@example.com` },
    }));
    const page = await found('whois.history', { domainName: 'a.example' }, history(records));
    expect(gzipSync(page).length).toBeLessThan(PAGE_BYTES_MAX);
  });
});
