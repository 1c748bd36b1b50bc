import {
  OPERATIONS,
  REQUEST_DAYS_MAX,
  REQUESTS_KEPT_DAYS,
  type RequestsAnswer,
} from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { type Notice, type PageContext, field, page } from '../pages/layout.js';
import { selectField } from '../pages/select-field.js';
import { type KeyNames, type RequestRow, requestRow } from './request-row.js';

/** The filters of the list. Only the day is required. */
export interface RequestFilter {
  /** The last day (UTC), as `YYYY-MM-DD`. */
  day: string;
  /** The first day, if there are several. */
  from?: string;
  operation?: string;
  key_id?: string;
  /** A status such as `429`, or a class such as `4xx`. */
  status?: string;
  subject?: string;
  request_id?: string;
  /** `true` for requests that cost credits, `false` for those that did not. */
  charged?: string;
}

export interface RequestsFacts {
  filter: RequestFilter;
  answer: RequestsAnswer;
  keys: KeyNames;
  /** Whether the list begins with the newest requests. The script adds those of the next day as well. */
  isFirst: boolean;
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

/** Returns the URL of the page with filters, or of the same list in another format. */
export function requestsPath(
  filter: RequestFilter,
  { cursor, path = '/requests' }: { cursor?: string | null; path?: string } = {},
): string {
  const given = Object.entries({ ...filter, cursor }).filter(([, text]) => text);
  return `${path}?${new URLSearchParams(given as [string, string][]).toString()}`;
}

export const requestPath = ({ id, at }: Pick<RequestRow, 'id' | 'at'>) =>
  `/requests/${encodeURIComponent(id)}?day=${at.slice(0, 10)}`;

export function requestsPage(context: PageContext, facts: RequestsFacts, notice?: Notice): Markup {
  const { filter, answer, keys, isFirst } = facts;
  const { day, from = day, operation } = filter;
  const { next_cursor: cursor } = answer.paging;
  const days = from === day ? day : `${from} to ${day}`;
  const rows = answer.requests.map((request) => requestRow(request, keys));
  return page(context, {
    title: 'Requests',
    notice,
    scripts: ['/assets/requests.js'],
    body: html`<section>
        <h2>Which requests</h2>
        ${filterForm(filter, keys)}
      </section>
      <section
        ${isFirst ? html`data-tail="${requestsPath({ ...filter, day: '' }, { path: '/requests/tail' })}"` : undefined}
      >
        <h2>${operation || 'All operations'}, ${days}</h2>
        ${rows.length === 0 ? nothingFound(filter, days) : requestTable(rows, from !== day)}
        <p class="actions">
          ${cursor ? html`<a class="button small" href="${requestsPath(filter, { cursor })}">Earlier requests</a>` : undefined}
          <a href="${requestsPath(filter, { path: '/requests.csv' })}">Download as CSV</a>
        </p>
        <p class="quiet">
          Newest first, times in UTC. Requests are kept for ${REQUESTS_KEPT_DAYS} days. A list
          covers up to ${REQUEST_DAYS_MAX} days, and a download has up to 5,000 requests. The ledger
          records a request up to two minutes later, so it may count a request made just before
          midnight on the next day.
        </p>
      </section>`,
  });
}

function filterForm(filter: RequestFilter, keys: KeyNames): Markup {
  const { day, from, operation, key_id, status, subject, request_id, charged } = filter;
  const keyOptions = keys.all.map(
    ({ id, name, masked }) => [id, masked ? `${name} (${masked})` : name] as const,
  );
  return html`<form method="get" action="/requests" class="filters">
    ${field({ name: 'from', label: 'First day (UTC)', type: 'date', value: from ?? day, isOptional: true })}
    ${field({ name: 'day', label: 'Last day (UTC)', type: 'date', value: day })}
    ${selectField('key_id', { label: 'Key', all: 'All keys', options: keyOptions, chosen: key_id })}
    ${selectField('operation', {
      label: 'Operation',
      all: 'All operations',
      options: OPERATION_NAMES.map((name) => [name, name] as const),
      chosen: operation,
    })}
    ${selectField('status', { label: 'Answer', all: 'All answers', options: STATUS_WORDS, chosen: status })}
    ${field({ name: 'subject', label: 'Subject', value: subject, isOptional: true })}
    ${field({ name: 'request_id', label: 'Request id', value: request_id, isOptional: true })}
    ${selectField('charged', { label: 'Cost', all: 'With and without', options: COST_WORDS, chosen: charged })}
    <button>Show</button>
  </form>`;
}

function nothingFound({ day, from, ...others }: RequestFilter, days: string): Markup {
  if (Object.values(others).some(Boolean)) {
    return html`<p>
      No request of ${days} matches.
      <a href="${requestsPath({ day, from })}">Show all requests of these days</a>.
    </p>`;
  }
  return html`<p>
    No request was made on ${days}. <a href="/usage">Usage</a> shows the days with requests. To make
    one, you need <a href="/keys">an API key</a>. A request is listed here within a second of its
    answer.
  </p>`;
}

function requestTable(rows: readonly RequestRow[], isLong: boolean): Markup {
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>Time</th>
        <th>Operation</th>
        <th>Subject and request id</th>
        <th>Key</th>
        <th>Answer</th>
        <th class="number">Credits</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            <td data-label="Time">
              <time datetime="${row.at}"
                >${row.at.slice(isLong ? 0 : 11, 19).replace('T', ' ')}</time
              >
            </td>
            <td data-label="Operation">${row.operation}</td>
            <td data-label="Subject">
              <div>
                ${row.subject}<br /><a href="${requestPath(row)}"
                  ><code class="quiet">${row.id}</code></a
                >
              </div>
            </td>
            <td data-label="Key">${row.key}</td>
            <td data-label="Answer">${row.answer}</td>
            <td data-label="Credits" class="number">${row.credits}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
