import {
  type Coverage,
  type Paging,
  type PreviewedMode,
  type CallInput,
  apiCallOf,
} from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { grouped } from '../amounts.js';
import { type Notice, type PageContext, form, hidden, page } from '../pages/layout.js';
import { callsMarkup } from '../calls/calls-markup.js';
import { playgroundPath } from './search.js';
import { answerMarkup } from './answer-markup.js';
import { coverageMarkup } from './coverage-markup.js';
import { type Item, type Search, type Typed, askedOf, priceWords, searchPath } from './search.js';
import { searchForm } from './search-form.js';
import { LIVE_LOOKUPS, SEARCHES } from './searches.js';
import { shownText } from '../pages/shown-text.js';

export interface Remedy {
  href: string;
  text: string;
}

export interface SearchShown {
  typed: Typed;
  answer?: Item;
  /** The credits to spend; undefined if entitlement is unavailable. */
  credits?: number;
  apiUrl: string;
  remedy?: Remedy;
}

export function searchesPage(context: PageContext): Markup {
  return page(context, {
    title: 'Search',
    body: html`${searchList('In the index', SEARCHES)} ${searchList('Live', LIVE_LOOKUPS)}`,
  });
}

function searchList(heading: string, searches: readonly Search[]): Markup {
  return html`<section>
    <h2>${heading}</h2>
    <ul class="rows">
      ${searches.map(
        (search) =>
          html`<li>
            <div>
              <a href="${searchPath(search)}"><strong>${search.title}</strong></a>
              <p>${search.row.summary}.</p>
              <p class="quiet">${priceWords(search.row)}</p>
            </div>
          </li>`,
      )}
    </ul>
  </section>`;
}

export function searchPage(
  context: PageContext,
  search: Search,
  shown: SearchShown,
  notice?: Notice,
): Markup {
  const { typed, answer, credits, apiUrl, remedy } = shown;
  return page(context, {
    title: search.title,
    notice,
    body: html`${remedy && html`<p><a class="button" href="${remedy.href}">${remedy.text}</a></p>`}
      <section>
        <h2>Search for</h2>
        ${searchForm(context, search, typed)}
        ${credits === undefined ? undefined : html`<p class="quiet">You have ${counted(credits, 'credit')}.</p>`}
        ${samples(search)}
      </section>
      ${answer && result(context, search, typed, answer)}
      <section>
        <h2>The same call through the API</h2>
        ${callsMarkup(apiCallOf(apiUrl, search.row, inputOf(search, typed)))}
        <p class="quiet">
          Replace $KEY with one of <a href="/keys">your keys</a>.
          <a href="${playgroundPath(search.row)}">Playground</a>
          · <a href="${apiUrl}/docs">API reference</a>
        </p>
      </section>
      <p><a href="/search">All searches</a></p>`,
  });
}

/** Returns the request to the API or, before any input, the row's example. */
function inputOf(search: Search, typed: Typed): CallInput {
  const { row } = search;
  const [example] = row.examples;
  if (Object.keys(typed).length === 0) {
    return { values: example.parameters, body: row.body && (example.body ?? row.body.example) };
  }
  const { query, body } = askedOf(search, typed);
  return { values: Object.fromEntries(new URLSearchParams(query)), body };
}

function samples(search: Search): Markup | undefined {
  const { fixtures = [], subject } = search.row;
  const [name] = [subject ?? []].flat();
  if (fixtures.length === 0 || name === undefined) return undefined;
  const links = fixtures.map(
    ({ value }, place) =>
      html`${place === 0 ? '' : ', '}<a href="${searchPath(search, { [name]: value })}"
          >${value}</a
        >`,
  );
  return html`<p class="quiet">Free samples: ${links}</p>`;
}

function result(context: PageContext, search: Search, typed: Typed, answer: Item): Markup {
  const { coverage, paging, preview } = answer as Partial<{
    coverage: Coverage;
    paging: Paging;
    preview: PreviewedMode[];
  }>;
  return html`<section>
    <h2>${search.row.paged ? 'Found' : 'Answer'}</h2>
    ${paging && found(paging)}
    <p class="quiet">${costWords(answer.meta)}</p>
    ${preview ? previewTable(preview) : answerMarkup(search, answer)}
    ${coverage && coverageMarkup(coverage, paging?.total_records === 0)}
    ${paging && nextPage(context, search, typed, paging)}
  </section>`;
}

const TOTAL_WORDS = { exact: '', at_least: 'at least ', estimate: 'about ' } as const;

function found({ page: number, total_records, total_is, total_pages }: Paging): Markup {
  const total = `${TOTAL_WORDS[total_is]}${counted(total_records, 'record')}`;
  if (total_records === 0) return html`<p>Nothing was found.</p>`;
  return html`<p>Page ${number} of ${grouped(total_pages)}, ${total}.</p>`;
}

function costWords(meta: unknown): string {
  const { credits_charged, credits_remaining, repeat } = (meta ?? {}) as Partial<
    Record<'credits_charged' | 'credits_remaining', number> & { repeat: boolean }
  >;
  if (repeat === true) return 'Free: a repeat of the same request within one minute.';
  if (!credits_charged) return 'Free of charge.';
  const left = credits_remaining === undefined ? '' : `, ${grouped(credits_remaining)} left`;
  return `Cost ${counted(credits_charged, 'credit')}${left}.`;
}

function previewTable(modes: readonly PreviewedMode[]): Markup {
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>Mode</th>
        <th class="number">Records per page</th>
        <th class="number">Pages</th>
        <th class="number">Credits per page</th>
        <th class="number">Credits for all</th>
      </tr>
    </thead>
    <tbody>
      ${modes.map(
        ({ mode, page_size, total_pages, credits_per_page, credits_total }) =>
          html`<tr>
            <td data-label="Mode">${shownText(mode)}</td>
            <td data-label="A page" class="number">${grouped(page_size)}</td>
            <td data-label="Pages" class="number">${grouped(total_pages)}</td>
            <td data-label="Credits" class="number">${grouped(credits_per_page)}</td>
            <td data-label="For all" class="number">${grouped(credits_total)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/**
 * Returns a button for the next page, if there is one. It is not a link, because that page costs as much as this one.
 */
function nextPage(
  context: PageContext,
  search: Search,
  typed: Typed,
  { next_cursor: cursor }: Paging,
): Markup | undefined {
  const { paged } = search.row;
  if (!cursor || !paged) return undefined;
  const [first] = Object.values(paged.modes);
  const { credits } = paged.modes[typed.mode] ?? first;
  const given = Object.entries({ ...typed, cursor }).map(([name, text]) => hidden(name, text));
  const fields = html`${given} <button>Next page, ${counted(credits as number, 'credit')}</button>`;
  return form(context, searchPath(search), fields);
}
