import type { KeyAnswer, LoggedRequest } from '#libs/contracts';
import { grouped } from '../amounts.js';
import { shownText } from '../pages/shown-text.js';
import { outcomeWords } from './outcome-words.js';

type NamedKey = Pick<KeyAnswer, 'id' | 'name'> & Partial<Pick<KeyAnswer, 'masked'>>;

/** The names of keys by id. Requests from the dashboard's pages are listed under a name of their own. */
export class KeyNames {
  readonly all: readonly NamedKey[];
  private readonly names: ReadonlyMap<string, string>;

  constructor(keys: readonly KeyAnswer[], accountId: string) {
    this.all = [...keys, { id: accountId, name: 'Dashboard' }];
    this.names = new Map(this.all.map(({ id, name }) => [id, name]));
  }

  of(id: string): string {
    return this.names.get(id) ?? 'another key';
  }
}

/** A request as a table row, for the page and for its script. Invisible characters are escaped. */
export interface RequestRow {
  id: string;
  at: string;
  operation: string;
  subject: string;
  key: string;
  answer: string;
  credits: string;
}

export function requestRow(request: LoggedRequest, keys: KeyNames): RequestRow {
  const { request_id: id, at, operation, subject, key_id, status, outcome } = request;
  const times = request.requests > 1 ? ` (${grouped(request.requests)} times)` : '';
  return {
    id,
    at,
    operation,
    subject: shownText(subject) || '–',
    key: shownText(keys.of(key_id)),
    answer: `${status} ${outcomeWords(outcome)}${times}`,
    credits: grouped(request.credits),
  };
}
