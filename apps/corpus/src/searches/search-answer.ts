import type { FastifyReply } from 'fastify';
import {
  type AskedPage,
  type Coverage,
  type Page,
  type Paging,
  type Total,
  pageHeaders,
} from '#libs/contracts';
import { type CountedRows, totalOf } from './counted-pages.js';

export interface SearchAnswer {
  paging: Paging;
  /** The records of the page; undefined in a preview. */
  items?: readonly unknown[];
  isFixture: boolean;
  body: object;
  /**
   * Reads the coverage after the records, so that the answer does not deny data that was just found. Undefined for
   * records in the format of version 1.
   */
  coverage?: () => Promise<Coverage>;
}

/** Sends a page, with the headers that the gateway needs to charge for it. */
export async function sendSearch(reply: FastifyReply, answer: SearchAnswer): Promise<void> {
  const { paging, items, isFixture, body } = answer;
  const coverage = await answer.coverage?.();
  const headers = pageHeaders({ paging, items }, isFixture ? 'fixture' : 'live');
  void reply
    .status(200)
    .headers(headers)
    .send({ ...body, ...(coverage && { coverage }) });
}

export type PagePlace = Pick<AskedPage, 'limit' | 'offset' | 'after'>;

export interface SearchRows<Row> {
  total: (page: AskedPage) => Promise<Total>;
  page: (page: AskedPage) => Promise<Page<Row>>;
}

/**
 * Returns rows that are read one page at a time, and counted unless all of them are on the first page. @param placeOf
 * returns the values that determine a row's order.
 */
export function readRows<Row>(
  total: () => Promise<Total>,
  list: (page: PagePlace) => Promise<readonly Row[]>,
  placeOf: (row: Row) => string[],
): SearchRows<Row> {
  return {
    total,
    page: async (page) => {
      const rows = await list(page);
      const isWhole = page.offset === 0 && !page.after && rows.length < page.limit;
      return page.cut(rows, placeOf, isWhole ? totalOf(rows.length) : await total());
    },
  };
}

/** Returns rows of which only a part can be read, so their counted number is stated as a minimum. */
export function partOf<Row>({ total, page }: SearchRows<Row>): SearchRows<Row> {
  const is = 'at_least';
  return {
    total: async (asked) => ({ ...(await total(asked)), is }),
    page: async (asked) => {
      const { items, paging } = await page(asked);
      return { items, paging: { ...paging, total_is: is } };
    },
  };
}

/**
 * Returns rows that one query both counts and reads; above COUNTED_MAX, two queries are needed.
 * @param list reads a page in the order of all rows, however many there are.
 */
export function countedOrListed<Row>(
  find: (page: PagePlace) => Promise<CountedRows<Row>>,
  list: (page: PagePlace) => Promise<readonly Row[]>,
  placeOf: (row: Row) => string[],
): SearchRows<Row> {
  return {
    total: async (page) => (await find(page)).total,
    page: async (page) => {
      const { total, rows } = await find(page);
      return page.cut(rows ?? (await list(page)), placeOf, total);
    },
  };
}

/** Returns rows that are in memory. The cursor of a page is the position of its last row. */
export function allRows<Row>(all: readonly Row[]): SearchRows<Row> {
  const total: Total = { records: all.length, is: 'exact' };
  return {
    total: async () => total,
    page: async (page) => {
      const from = page.after ? Number(page.after[0]) : page.offset;
      const placed = all.slice(from, from + page.limit).map((item, place) => ({
        item,
        end: String(from + place + 1),
      }));
      const { items, paging } = page.cut(placed, ({ end }) => [end], total);
      return { items: items.map(({ item }) => item), paging };
    },
  };
}

export interface Search<Row, Item> {
  isFixture: boolean;
  head: object;
  coverage: () => Promise<Coverage>;
  rows: SearchRows<Row>;
  list: string;
  told: (rows: readonly Row[], paging: Paging) => readonly Item[] | Promise<readonly Item[]>;
  /** Returns additional members of the head, which previews do not have. */
  beside?: (rows: readonly Row[], paging: Paging) => Promise<object>;
  bodyV1?: (items: readonly Item[], paging: Paging) => object;
}

/** Returns the requested page of a search; for a preview, the number of results and their price. */
export async function searchAnswer<Row, Item>(
  asked: AskedPage,
  search: Search<Row, Item>,
): Promise<SearchAnswer> {
  const { isFixture, head, coverage, rows, list, told, beside, bodyV1 } = search;
  if (asked.isPreview) {
    const { paging, preview } = asked.preview(await rows.total(asked));
    if (bodyV1) return { paging, isFixture, body: { ...bodyV1([], paging), preview } };
    return { paging, isFixture, coverage, body: { ...head, paging, [list]: [], preview } };
  }
  const page = await rows.page(asked);
  const { paging } = page;
  const items = await told(page.items, paging);
  if (bodyV1) return { paging, items, isFixture, body: bodyV1(items, paging) };
  const body = { ...head, ...(await beside?.(page.items, paging)), paging, [list]: items };
  return { paging, items, isFixture, coverage, body };
}

/** Returns the number of a page's first record, from 1. */
export function firstNumber({ page, page_size }: Paging): number {
  return (page - 1) * page_size + 1;
}
