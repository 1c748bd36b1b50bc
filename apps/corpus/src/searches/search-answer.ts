import type { FastifyReply } from 'fastify';
import {
  type AskedPage,
  type Coverage,
  type Page,
  type Paging,
  type Total,
  pageHeaders,
} from '#libs/contracts';

/** A page that was found, or the count of a preview. */
export interface SearchAnswer {
  paging: Paging;
  /** Records of the page; undefined in a preview. */
  items?: readonly unknown[];
  isFixture: boolean;
  body: object;
  /** Read after the records, so that it never says that there are none; version 1 does without. */
  coverage?: () => Promise<Coverage>;
}

/** Sends a page with the headers by which the gateway charges it. */
export async function sendSearch(reply: FastifyReply, answer: SearchAnswer): Promise<void> {
  const { paging, items, isFixture, body } = answer;
  const coverage = await answer.coverage?.();
  const headers = pageHeaders({ paging, items }, isFixture ? 'fixture' : 'live');
  void reply
    .status(200)
    .headers(headers)
    .send({ ...body, ...(coverage && { coverage }) });
}

/** What every answer of a search begins and ends with. */
export interface SearchHead {
  isFixture: boolean;
  /** Members before the page. */
  head: object;
  coverage: () => Promise<Coverage>;
}

/** The answer to a preview: what would be found and what it would cost. @param list the member with the records. */
export function previewAnswer(
  asked: AskedPage,
  total: Total,
  { isFixture, head, coverage }: SearchHead,
  list?: string,
): SearchAnswer {
  const { paging, preview } = asked.preview(total);
  const body = { ...head, paging, ...(list && { [list]: [] }), preview };
  return { paging, isFixture, body, coverage };
}

/** A page of a list that is all there. Its cursor is the place of the last item. */
export function pageOfAll<T>(page: AskedPage, all: readonly T[]): Page<T> {
  const from = page.after ? Number(page.after[0]) : page.offset;
  const placed = all.slice(from, from + page.limit).map((item, place) => ({
    item,
    end: String(from + place + 1),
  }));
  const total = { records: all.length, is: 'exact' as const };
  const cut = page.cut(placed, ({ end }) => [end], total);
  return { ...cut, items: cut.items.map(({ item }) => item) };
}
