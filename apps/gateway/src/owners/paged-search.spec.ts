import { Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Operation, type Paging, Pages } from '#libs/contracts';
import {
  Logger,
  type RunningService,
  ServiceModule,
  SystemClock,
  startService,
} from '#libs/platform';
import { waitFor } from '#test/environment';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';
import {
  ArchiveController,
  NOT_LOADED,
  WITHOUT_RECORDS,
} from '../../../../test/new-service/archive-answers.js';
import {
  ARCHIVE_SEARCH,
  type ArchivedRecord,
} from '../../../../test/new-service/archive-operations.js';
import { HARNESS_SECRET } from '../../../../test/stand-ins/harness-secret.js';

/** The service that answers here. It must be one of the product's services. */
const OWNER = 'corpus';
const SEARCH: Operation = {
  ...ARCHIVE_SEARCH,
  owner: { ...ARCHIVE_SEARCH.owner, service: OWNER },
};
const logger = new Logger(OWNER, { write: () => {} });

@Module({
  imports: [
    ServiceModule.register({
      name: OWNER,
      clock: new SystemClock(),
      logger,
      secret: { serviceSecret: HARNESS_SECRET },
    }),
  ],
  controllers: [ArchiveController],
  providers: [Pages],
})
class OwnerModule {}

let owner: RunningService;
let under: GatewayUnderTest;

beforeAll(async () => {
  owner = await startService({ module: OwnerModule, logger, host: '127.0.0.1', port: 0 });
  under = await GatewayUnderTest.start({ CORPUS_URL: owner.url }, [SEARCH]);
});
afterAll(async () => {
  await under?.stop();
  await owner?.stop();
});

interface Found {
  status: number;
  cost: unknown;
  numbers: number[];
  paging: Paging;
  next?: string;
  json: Record<string, unknown>;
}

async function search(apiKey: string, path: string): Promise<Found> {
  const address = path.startsWith('/') ? path : `/v2.0/archive/records?${path}`;
  const { status, headers, json } = await under.ask(address, { 'x-api-key': apiKey });
  return {
    status,
    cost: headers['x-credits-cost'],
    numbers: ((json.records ?? []) as ArchivedRecord[]).map(({ num }) => num),
    paging: json.paging as Paging,
    next: [headers.link]
      .flat()
      .flatMap((link) => /<(\S+)>; rel="next"/.exec(link ?? '')?.[1] ?? [])
      .at(0),
    json,
  };
}

describe('a paged search through the gateway', () => {
  it('Link leads through all pages to the end, and each page has its price', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey();
    const first = await search(apiKey, `apiKey=${apiKey}&domainName=A.example&max_credits=5`);
    const pages = [first];
    while (pages.at(-1)!.next) pages.push(await search(apiKey, pages.at(-1)!.next!));
    expect(pages.map(({ numbers }) => numbers)).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(pages.map(({ cost }) => cost)).toEqual(['5', '5', '5']);
    expect(pages.map(({ paging }) => [paging.page, paging.has_next])).toEqual([
      [1, true],
      [2, true],
      [3, false],
    ]);
    expect(first.paging).toMatchObject({
      page_size: 3,
      total_records: 7,
      total_is: 'exact',
      total_pages: 3,
    });
    expect(first.next).toBe(
      `/v2.0/archive/records?domainName=a.example&max_credits=5&cursor=${first.paging.next_cursor}`,
    );
    expect(JSON.stringify(pages)).not.toContain(apiKey);
    const { entitlement } = under.around;
    await waitFor('the settlement', () => entitlement.charged(keyRecord.accountId) === 15);
  });

  it('a page number returns the same pages; other modes have their own pages and prices', async () => {
    const { apiKey } = under.around.account.addKey();
    const second = await search(apiKey, 'domainName=a.example&page=2&page_size=2');
    expect([second.numbers, second.cost]).toEqual([[3, 4], '5']);
    const mini = await search(apiKey, 'domainName=a.example&mode=mini');
    expect([mini.numbers, mini.cost]).toEqual([[1, 2, 3, 4], '2']);
    expect(new URL(mini.next!, 'http://x').searchParams.get('mode')).toBe('mini');
  });

  it('version 1 has the same pages, including Link', async () => {
    const { apiKey } = under.around.account.addKey();
    const first = await search(apiKey, '/v1.0/archive?domainName=a.example&page=2');
    const [, next] = String(first.next).split('/v1.0/archive?');
    expect(next).toBe(`domainName=a.example&cursor=${first.paging.next_cursor}`);
    expect((await search(apiKey, first.next!)).numbers).toEqual([7]);
  });

  it('a search that finds nothing is free, and says whether there was data to search', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey();
    for (const [name, hasData] of [
      [WITHOUT_RECORDS, true],
      [NOT_LOADED, false],
    ] as const) {
      const { status, cost, numbers, json } = await search(apiKey, `domainName=${name}`);
      expect([status, cost, numbers]).toEqual([200, '0', []]);
      expect(json.coverage).toMatchObject({ has_data: hasData });
    }
    const beyond = await search(apiKey, 'domainName=a.example&page=9');
    expect([beyond.status, beyond.cost]).toEqual([200, '0']);
    expect(under.around.entitlement.charged(keyRecord.accountId)).toBe(0);
  });

  it('a preview is free, and states the cost of each mode', async () => {
    const { apiKey } = under.around.account.addKey();
    const preview = await search(apiKey, 'domainName=a.example&mode=preview&max_credits=0');
    expect([preview.status, preview.cost, preview.numbers]).toEqual([200, '0', []]);
    expect(preview.paging).toMatchObject({ total_records: 7, has_next: false });
    expect(preview.json.preview).toEqual([
      { mode: 'default', page_size: 3, total_pages: 3, credits_per_page: 5, credits_total: 15 },
      { mode: 'mini', page_size: 4, total_pages: 2, credits_per_page: 2, credits_total: 4 },
    ]);
  });

  it('402: a page that could cost more than max_credits is not fetched', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey();
    const path = '/v2.0/archive/records?domainName=a.example&max_credits=4';
    const refused = await under.ask(path, { 'x-api-key': apiKey });
    expectProblem(refused, 402, 'price_above_max');
    expect(refused.json).toMatchObject({ credits_required: 5 });
    expect(under.around.entitlement.charged(keyRecord.accountId)).toBe(0);
  });

  it('the same page within a minute is free', async () => {
    const { apiKey } = under.around.account.addKey();
    const question = 'domainName=again.example&page=2';
    const costs = [];
    for (let i = 0; i < 2; i++) costs.push((await search(apiKey, question)).cost);
    expect(costs).toEqual(['5', '0']);
  });

  it('400: a cursor is rejected if it was changed, belongs to other parameters, or comes with a page number', async () => {
    const { paging } = await search(under.around.account.addKey().apiKey, 'domainName=a.example');
    const cursor = paging.next_cursor!;
    const other = cursor.startsWith('W') ? `V${cursor.slice(1)}` : `W${cursor.slice(1)}`;
    const faultOf = async (query: string) => {
      const { apiKey } = under.around.account.addKey();
      const refused = await under.ask(`/v2.0/archive/records?${query}`, { 'x-api-key': apiKey });
      expectProblem(refused, 400, 'invalid_request');
      return refused.json.errors;
    };
    const isNone = [{ field: 'cursor', message: 'is not a valid cursor' }];
    expect(await faultOf(`domainName=a.example&cursor=${other}`)).toEqual(isNone);
    expect(await faultOf(`domainName=b.example&cursor=${cursor}`)).toEqual(isNone);
    expect(await faultOf(`domainName=a.example&order=oldest&cursor=${cursor}`)).toEqual(isNone);
    expect(await faultOf(`domainName=a.example&page=1&cursor=${cursor}`)).toEqual([
      { field: 'page', message: 'cannot be given together with "cursor"' },
    ]);
    expect(await faultOf('domainName=a.example&page_size=4')).toEqual([
      { field: 'page_size', message: 'must be a whole number, 1 to 3' },
    ]);
  });
});
