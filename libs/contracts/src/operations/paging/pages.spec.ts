import { describe, expect, it } from '@jest/globals';
import {
  type Operation,
  Pages,
  PagedAnswer,
  WHOIS_LIVE,
  checkOperations,
  creditsEach,
  defineOperation,
  domainName,
  oneOf,
  pageHeaders,
  pagedSearch,
  InputReader,
} from '#libs/contracts';
import { InvalidRequest, type ServiceName, ServiceTokens } from '#libs/platform';
import { TestClock } from '#test/environment';

const SECRET = 'a-secret-of-the-tests-that-is-long-enough';
const PAGES = pagedSearch({
  default: { credits: { parameter: 'type', by: { a: 5, ptr: 1 } }, pageSize: 3 },
  mini: { credits: 3, pageSize: 5 },
});
const SEARCH = defineOperation({
  ...PAGES,
  name: 'names.search',
  summary: 'Names',
  method: 'GET',
  routes: [{ path: '/v2.0/names', version: 2 }],
  access: { kind: 'key', scope: 'whois', class: 'heavy' },
  owner: { service: 'corpus', path: '/internal/names' },
  subject: 'domainName',
  parameters: {
    domainName: { kind: domainName(), about: 'A name', example: 'registered.test' },
    type: { kind: oneOf(['a', 'ptr']), about: 'A type', example: 'a', default: 'ptr' as const },
    ...PAGES.parameters,
  },
  answers: [{ type: 'application/json', of: PagedAnswer }],
  problems: [],
  examples: [
    {
      title: 'None',
      parameters: { domainName: 'registered.test' },
      answer: {
        status: true,
        paging: {
          page: 1,
          page_size: 3,
          total_records: 0,
          total_is: 'exact',
          total_pages: 0,
          has_next: false,
          next_cursor: null,
        },
        coverage: { has_data: false, sources: [] },
      } satisfies PagedAnswer,
    },
  ],
  fixtures: [{ value: 'registered.test', answers: 'nothing' }],
});

const pagesOf = (name: ServiceName, secret = SECRET) =>
  new Pages(new ServiceTokens(secret, new TestClock()), { name });
const pages = pagesOf('corpus');
const ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

function read(question: Record<string, unknown>, total?: { records: number; is: 'at_least' }) {
  const asked = pages.asked(SEARCH, question);
  const from = asked.after ? ROWS.indexOf(asked.after[0]) + 1 : asked.offset;
  return asked.cut(ROWS.slice(from, from + asked.limit), (row) => [row], total);
}

describe('pages of a search', () => {
  const asked = { domainName: 'a.example', mode: 'default' };

  it('pages are the same by number and by cursor, and state their position', () => {
    const byNumber = [1, 2, 3].map((page) => read({ ...asked, page }));
    expect(byNumber.map(({ items }) => items.join(''))).toEqual(['abc', 'def', 'g']);
    const byCursor = [read(asked)];
    while (byCursor.at(-1)!.paging.has_next) {
      byCursor.push(read({ ...asked, cursor: byCursor.at(-1)!.paging.next_cursor }));
    }
    expect(byCursor).toEqual(byNumber);
    expect(
      byCursor.map(({ paging }) => [paging.page, paging.total_records, paging.total_is]),
    ).toEqual([
      [1, 4, 'at_least'],
      [2, 7, 'at_least'],
      [3, 7, 'exact'],
    ]);
  });

  it('pages after the end are empty, and state no total', () => {
    expect(read({ ...asked, page: 9 })).toEqual({
      items: [],
      paging: {
        page: 9,
        page_size: 3,
        total_records: 0,
        total_is: 'at_least',
        total_pages: 0,
        has_next: false,
        next_cursor: null,
      },
    });
  });

  it('the owner’s count is kept, unless there are more rows', () => {
    const totals = [2, 1_000].map((records) => read(asked, { records, is: 'at_least' }).paging);
    expect(totals.map(({ total_records, total_pages }) => [total_records, total_pages])).toEqual([
      [4, 2],
      [1_000, 334],
    ]);
  });

  it('a cursor that was changed, or belongs to another search, service or installation, is invalid', () => {
    const cursor = read(asked).paging.next_cursor!;
    const [body, seal] = cursor.split('.');
    const forged = Buffer.from('[2,3,"x"]').toString('base64url');
    const used: [Pages, Operation, object][] = [
      [pages, SEARCH, { ...asked, cursor: `${forged}.${seal}` }],
      [pages, SEARCH, { ...asked, cursor: body }],
      [pages, SEARCH, { ...asked, cursor: `${cursor}.` }],
      [pages, SEARCH, { ...asked, cursor: cursor.slice(0, -1) }],
      [pages, SEARCH, { ...asked, cursor, domainName: 'b.example' }],
      [pages, SEARCH, { ...asked, cursor, mode: 'mini' }],
      [pages, { ...SEARCH, name: 'others.search' }, { ...asked, cursor }],
      [pagesOf('lookup'), SEARCH, { ...asked, cursor }],
      [pagesOf('corpus', `${SECRET}-of-others`), SEARCH, { ...asked, cursor }],
    ];
    for (const [by, row, question] of used) {
      expect(() => by.asked(row, question as Record<string, unknown>)).toThrow(
        new InvalidRequest([{ field: 'cursor', message: 'is not a valid cursor' }]),
      );
    }
    const smaller = read({ ...asked, cursor, page_size: 2 });
    expect(smaller.items).toEqual(['d', 'e']);
  });

  it('a preview shows the price of every mode', () => {
    const question = { ...asked, type: 'a', mode: 'preview' };
    const preview = pages.asked(SEARCH, question);
    expect(preview.isPreview).toBe(true);
    const told = preview.preview({ records: 11, is: 'exact' });
    expect(told.preview.map(({ mode, ...prices }) => [mode, ...Object.values(prices)])).toEqual([
      ['default', 3, 4, 5, 20],
      ['mini', 5, 3, 3, 9],
    ]);
    expect(told.paging).toMatchObject({ total_records: 11, has_next: false, next_cursor: null });
    expect(creditsEach(PAGES.price.credits, { values: question })).toBe(0);
  });

  it('an empty page is marked as empty', () => {
    const outcomes = [1, 9].map((page) => pageHeaders(read({ ...asked, page }))['x-outcome']);
    expect(outcomes).toEqual(['delivered', 'empty']);
  });
});

describe('the row of a paged search', () => {
  it('a row without the parameters, the answer or the method of a paged search is rejected', () => {
    expect(() => checkOperations([SEARCH])).not.toThrow();
    const { cursor: _, ...parameters } = SEARCH.parameters;
    const { paged: __, ...pageless } = SEARCH;
    const [form] = WHOIS_LIVE.answers;
    for (const [row, fault] of [
      [{ ...SEARCH, parameters }, 'no parameter cursor'],
      [{ ...SEARCH, method: 'POST' }, 'only GET'],
      [{ ...SEARCH, answers: [form] }, 'no paging.total_is'],
      [{ ...pageless, parameters: {} }, 'has no pages'],
      [{ ...pageless, answers: [form] }, 'no paging.total_is'],
    ] as [Operation, string][]) {
      expect(() => checkOperations([row])).toThrow(fault);
    }
  });

  it('a paged search accepts a cursor or a page, and no more records than its mode allows', () => {
    const faultsOf = (given: Record<string, string>) =>
      new InputReader(SEARCH)
        .read(['domainName', ...Object.keys(given)], ['a.example', ...Object.values(given)])
        .faults?.map(({ field, message }) => `${field} ${message}`);
    expect(faultsOf({ page: '2', cursor: 'a.b' })).toEqual([
      'page cannot be given together with "cursor"',
    ]);
    expect(faultsOf({ page_size: '4' })).toEqual(['page_size must be a whole number, 1 to 3']);
    expect(faultsOf({ page_size: '4', mode: 'mini' })).toBeUndefined();
    expect(faultsOf({ page_size: '999' })).toHaveLength(1);
    expect(faultsOf({ page: '101' })).toEqual(['page must be a whole number, 1 to 100']);
    expect(faultsOf({ cursor: 'ä' })).toEqual(['cursor is not a valid cursor']);
  });
});
