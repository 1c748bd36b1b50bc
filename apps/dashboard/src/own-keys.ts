import type { KeyAnswer, KeysAnswer } from '#libs/contracts';
import { type PageVisit, isRefused } from './pages/page-visit.js';

/** The maximum number of pages of keys that are read for their names. */
const PAGES_MAX = 20;
/** At most so many missing keys are read one by one, because they may be the oldest of many. */
const SINGLES_MAX = 4;

/**
 * Reads the visitor's keys page by page, newest first, until those with the given ids are among them. Once only a few
 * are missing, these are read one by one.
 * @returns all keys that were read; after a rejection of a page, those of the pages before.
 */
export async function ownKeys(visit: PageVisit, ids: Iterable<string>): Promise<KeyAnswer[]> {
  // The account's own id stands for the dashboard.
  const unknown = new Set([...ids].filter((id) => id !== visit.session.accountId));
  const found: KeyAnswer[] = [];
  let query = '';
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const answer = await visit.account({ method: 'GET', path: `/keys${query}` });
    if (isRefused(answer)) break;
    const { keys = [], paging } = answer.body as Partial<KeysAnswer>;
    found.push(...keys);
    for (const { id } of keys) unknown.delete(id);
    if (unknown.size === 0 || !paging?.next_cursor) break;
    if (unknown.size <= SINGLES_MAX) return [...found, ...(await singles(visit, unknown))];
    query = `?cursor=${encodeURIComponent(paging.next_cursor)}`;
  }
  return found;
}

async function singles(visit: PageVisit, ids: Iterable<string>): Promise<KeyAnswer[]> {
  const answers = await Promise.all(
    Array.from(ids, (id) =>
      visit.account({ method: 'GET', path: `/keys/${encodeURIComponent(id)}` }),
    ),
  );
  return answers.flatMap((one) => (isRefused(one) ? [] : [one.body as KeyAnswer]));
}
