import {
  type KeyAnswer,
  type LoggedRequest,
  OPERATIONS,
  REQUESTS_KEPT_DAYS,
  type RequestsAnswer,
} from '#libs/contracts';
import { grouped } from '../amounts.js';
import { type Notice, type PageContext, field, page } from '../pages/layout.js';
import { type Markup, html } from '../pages/markup.js';
import { selectField } from '../pages/select-field.js';
import { outcomeWords } from './outcome-words.js';

/** Which requests the page lists. Empty: all of them. */
export interface RequestFilter {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  operation?: string;
  key_id?: string;
  /** A status as `429`, or a class as `4xx`. */
  status?: string;
  /** What was asked about. */
  subject?: string;
  request_id?: string;
  /** Whether it cost credits: `true` or `false`. */
  charged?: string;
}

/** What `/requests` shows. */
export interface RequestsFacts {
  filter: RequestFilter;
  answer: RequestsAnswer;
  /** Those of the account, as far as they are known. */
  keys: readonly KeyAnswer[];
  /** What was asked here and not with a key is logged under it. */
  accountId: string;
}

const OPERATION_NAMES = OPERATIONS.filter(({ access }) => access.kind === 'key').map(
  ({ name }) => name,
);
const STATUS_WORDS: readonly (readonly [status: string, words: string])[] = [
  ['2xx', 'Answered'],
  ['4xx', 'Refused (4xx)'],
  ['5xx', 'Failed (5xx)'],
  ['400', '400 Invalid request'],
  ['402', '402 Not enough credits'],
  ['403', '403 Not allowed'],
  ['422', '422 Cannot be looked up'],
  ['429', '429 Too many requests'],
  ['503', '503 No source answered'],
  ['504', '504 Sources too slow'],
];

const COST_WORDS = [
  ['true', 'Cost credits'],
  ['false', 'Cost nothing'],
] as const;

/** Address of the page for some requests. */
export function requestsPath(filter: RequestFilter, cursor?: string | null): string {
  const given = Object.entries({ ...filter, cursor }).filter(([, text]) => text);
  return `/requests?${new URLSearchParams(given as [string, string][]).toString()}`;
}

export function requestsPage(context: PageContext, facts: RequestsFacts, notice?: Notice): Markup {
  const { filter, answer } = facts;
  const keys = namedKeys(facts);
  const { next_cursor: cursor } = answer.paging;
  return page(context, {
    title: 'Requests',
    notice,
    body: html`<section>
        <h2>Which requests</h2>
        ${filterForm(filter, keys)}
      </section>
      <section>
        <h2>${filter.operation || 'All operations'}, ${filter.day}</h2>
        ${answer.requests.length === 0 ? nothingFound(filter) : requestTable(answer.requests, keys)}
        ${cursor ? html`<p class="actions"><a class="button small" href="${requestsPath(filter, cursor)}">Earlier requests</a></p>` : undefined}
        <p class="quiet">
          Newest first, times in UTC. Requests are kept for ${REQUESTS_KEPT_DAYS} days. A request is
          booked a minute or two after its answer, so one just before midnight may be part of the
          next day in the ledger.
        </p>
      </section>`,
  });
}

type NamedKey = Pick<KeyAnswer, 'id' | 'name'> & Partial<Pick<KeyAnswer, 'masked'>>;

function namedKeys({ keys, accountId }: RequestsFacts): NamedKey[] {
  return [...keys, { id: accountId, name: 'Dashboard' }];
}

function filterForm(filter: RequestFilter, keys: readonly NamedKey[]): Markup {
  const { day, operation, key_id, status, subject, request_id, charged } = filter;
  const keyOptions = keys.map(
    ({ id, name, masked }) => [id, masked ? `${name} (${masked})` : name] as const,
  );
  return html`<form method="get" action="/requests" class="filters">
    <div class="field">
      <label for="day">Day (UTC)</label>
      <input id="day" name="day" type="date" value="${day}" required />
    </div>
    ${selectField('key_id', { label: 'Key', all: 'All keys', options: keyOptions, chosen: key_id })}
    ${selectField('operation', {
      label: 'Operation',
      all: 'All operations',
      options: OPERATION_NAMES.map((name) => [name, name] as const),
      chosen: operation,
    })}
    ${selectField('status', { label: 'Answer', all: 'All answers', options: STATUS_WORDS, chosen: status })}
    ${field({ name: 'subject', label: 'Asked about', value: subject, isOptional: true })}
    ${field({ name: 'request_id', label: 'Request id', value: request_id, isOptional: true })}
    ${selectField('charged', { label: 'Cost', all: 'With and without', options: COST_WORDS, chosen: charged })}
    <button>Show</button>
  </form>`;
}

function nothingFound({ day, ...others }: RequestFilter): Markup {
  if (Object.values(others).some(Boolean)) {
    return html`<p>
      No request of ${day} fits.
      <a href="${requestsPath({ day })}">Show all requests of this day</a>.
    </p>`;
  }
  return html`<p>
    No request was made on ${day}. <a href="/usage">Usage</a> shows the days with requests. To make
    one, you need <a href="/keys">an API key</a>. A request is listed here within a second of its
    answer.
  </p>`;
}

function requestTable(requests: LoggedRequest[], keys: readonly NamedKey[]): Markup {
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>Time</th>
        <th>Operation</th>
        <th>Asked and request id</th>
        <th>Key</th>
        <th>Answer</th>
        <th class="number">Credits</th>
      </tr>
    </thead>
    <tbody>
      ${requests.map(
        ({
          at,
          operation,
          subject,
          status,
          outcome,
          credits,
          requests: count,
          request_id: id,
          key_id: key,
        }) =>
          html`<tr>
            <td data-label="Time">${at.slice(11, 19)}</td>
            <td data-label="Operation">${operation}</td>
            <td data-label="Asked">
              <div>${subject || '–'}<br /><code class="quiet">${id}</code></div>
            </td>
            <td data-label="Key">${names.get(key) ?? 'another key'}</td>
            <td data-label="Answer">
              ${status}
              ${outcomeWords(outcome)}${count > 1 ? ` (${grouped(count)} times)` : undefined}
            </td>
            <td data-label="Credits" class="number">${grouped(credits)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
