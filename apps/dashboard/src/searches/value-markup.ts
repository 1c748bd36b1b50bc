import { type Markup, html } from '#libs/public-http';
import type { Column, Item } from './search.js';
import { memberWords, shownText, shownTime, statusWords } from '../pages/shown-text.js';

/** Maximum number of columns for records without defined columns. */
const COLUMNS_MAX = 7;

export type OriginOf = (path: string) => string | undefined;

export const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isItems = (value: unknown): value is Item[] =>
  Array.isArray(value) && value.length > 0 && value.every(isItem);

const isFlat = (value: unknown) => !isItem(value) && !isItems(value);

/** Shows any value of an answer, whatever it contains. @param path the value's path in the answer. */
export function valueMarkup(
  value: unknown,
  originOf: OriginOf = () => undefined,
  path = '',
): Markup {
  if (isItem(value)) return itemMarkup(value, originOf, path);
  if (isItems(value)) return tableMarkup(value);
  if (Array.isArray(value)) return linesMarkup(isStatus(path) ? value.map(statusOf) : value);
  return scalarMarkup(value);
}

export function itemMarkup(item: Item, originOf: OriginOf = () => undefined, path = ''): Markup {
  const members = Object.entries(item).filter(([, value]) => value !== undefined);
  if (members.length === 0) return html`–`;
  return html`<dl class="facts">
    ${members.map(([name, value]) => {
      const at = path === '' ? name : `${path}.${name}`;
      const origin = originOf(at);
      return html`<div>
        <dt>${memberWords(name)}</dt>
        <dd>
          ${valueMarkup(value, originOf, at)}
          ${origin === undefined ? undefined : html`<small>${shownText(origin)}</small>`}
        </dd>
      </div>`;
    })}
  </dl>`;
}

/** Shows records as a table. @param columns by default, the first members that are not objects. */
export function tableMarkup(
  records: readonly Item[],
  columns: readonly Column[] = columnsOf(records),
): Markup {
  const hasMore = records.some((record) => hasMembersBeside(record, columns));
  return html`<table class="stacked">
    <thead>
      <tr>
        ${columns.map(([heading]) => html`<th>${heading}</th>`)}
        ${hasMore ? html`<th>More</th>` : undefined}
      </tr>
    </thead>
    <tbody>
      ${records.map(
        (record, place) =>
          html`<tr>
            ${columns.map((column) => cell(record, column))}
            ${hasMore ? wholeRecord(record, place) : undefined}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function cell(record: Item, [heading, value]: Column): Markup {
  const found = typeof value === 'string' ? memberAt(record, value) : value(record);
  const isNumber = typeof found === 'number';
  return html`<td data-label="${heading}" ${isNumber ? html`class="number"` : undefined}>
    <div>${valueMarkup(found)}</div>
  </td>`;
}

function wholeRecord(record: Item, place: number): Markup {
  return html`<td data-label="More">
    <details>
      <summary>Record ${place + 1}</summary>
      ${itemMarkup(record)}
    </details>
  </td>`;
}

/** Whether a record may have members that no column shows, such as objects. */
const hasMembersBeside = (record: Item, columns: readonly Column[]) =>
  Object.values(record).some((value) => !isFlat(value)) ||
  Object.keys(record).length > columns.length + 2;

function columnsOf(records: readonly Item[]): Column[] {
  const names = new Set(
    records.flatMap((record) => Object.keys(record).filter((name) => isFlat(record[name]))),
  );
  return [...names].slice(0, COLUMNS_MAX).map((name) => [memberWords(name), name] as const);
}

/**
 * Returns the value at a dot path; undefined if there is none. Only the record's own members count,
 * not properties that all objects inherit.
 */
function memberAt(record: Item, path: string): unknown {
  let found: unknown = record;
  for (const name of path.split('.')) {
    found = isItem(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

const isStatus = (path: string) => path.endsWith('domain_status');
const statusOf = (value: unknown) => (typeof value === 'string' ? statusWords(value) : value);

function linesMarkup(values: readonly unknown[]): Markup {
  if (values.length === 0) return html`–`;
  return html`${values.map((value, place) => html`${place === 0 ? undefined : html`<br />`}${valueMarkup(value)}`)}`;
}

function scalarMarkup(value: unknown): Markup {
  if (value === undefined || value === null || value === '') return html`–`;
  if (typeof value === 'boolean') return html`${value ? 'yes' : 'no'}`;
  if (typeof value === 'number') return html`${String(value)}`;
  const text = shownText(String(value));
  if (!text.includes('\n')) return html`${shownTime(text)}`;
  return html`<details>
    <summary>The text</summary>
    <pre><code>${text}</code></pre>
  </details>`;
}
