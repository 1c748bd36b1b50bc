import { type Markup, html } from '#libs/public-http';
import type { Item, Search } from './search.js';
import { memberWords } from '../pages/shown-text.js';
import { type OriginOf, isItem, itemMarkup, tableMarkup, valueMarkup } from './value-markup.js';

const ELSEWHERE: ReadonlySet<string> = new Set([
  'status',
  'paging',
  'coverage',
  'preview',
  'meta',
  'view',
  'query',
]);

/** Shows an answer: first its facts, then its lists, each under its name, and its objects, which unfold on a click. */
export function answerMarkup({ tables }: Pick<Search, 'tables'>, answer: Item): Markup {
  const members = Object.entries(answer).filter(
    ([name, value]) => !ELSEWHERE.has(name) && value !== undefined,
  );
  const originOf = originsOf(answer.provenance);
  const isPart = (name: string, value: unknown) =>
    isItem(value) || (Array.isArray(value) && (Object.hasOwn(tables, name) || value.some(isItem)));
  const facts = members.filter(([name, value]) => !isPart(name, value));
  const parts = members.filter(([name, value]) => isPart(name, value));
  return html`${facts.length > 0 ? itemMarkup(Object.fromEntries(facts), originOf) : undefined}
  ${parts.map(([name, value]) => {
    const columns = Object.hasOwn(tables, name) ? tables[name] : undefined;
    const shown = part(columns, value, originOf, name);
    return isItem(value)
      ? html`<details class="part">
          <summary>${memberWords(name)}</summary>
          ${shown}
        </details>`
      : html`<h3>${memberWords(name)}</h3>
          ${shown}`;
  })}`;
}

function part(
  columns: Search['tables'][string] | undefined,
  value: unknown,
  originOf: OriginOf,
  name: string,
): Markup {
  if (!columns || !Array.isArray(value)) return valueMarkup(value, originOf, name);
  const records = value.filter(isItem);
  return records.length === 0 ? html`<p>None.</p>` : tableMarkup(records, columns);
}

/** Returns a function that finds the role, server or id of a member's source, if the answer names the source. */
function originsOf(provenance: unknown): OriginOf {
  const { fields, sources } = isItem(provenance) ? provenance : {};
  const known = Array.isArray(sources) ? sources.filter(isItem) : [];
  const named = new Map(known.map(({ id, role, server }) => [id, role ?? server]));
  return (path) => {
    const id = isItem(fields) && Object.hasOwn(fields, path) ? fields[path] : undefined;
    const name = named.get(id) ?? id;
    return typeof name === 'string' ? name : undefined;
  };
}
