import { type Operation, newestVersion } from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html, markdownLine } from '#libs/public-http';
import { callsMarkup } from '../calls/calls-markup.js';
import { type PageContext, page } from '../pages/layout.js';
import { memberWords } from '../pages/shown-text.js';
import { answerMarkup } from '../searches/answer-markup.js';
import { type Item, type Typed, playgroundPath, priceWords } from '../searches/search.js';
import { parameterField } from '../searches/search-form.js';
import { searchOf } from '../searches/searches.js';
import { BODY, PLAYED, type Prepared, playedParameters } from './playground.js';

export interface PlayShown {
  typed: Typed;
  prepared: Prepared;
  answer: { body: Item; words: string };
  /** The credits to spend; undefined if entitlement is unavailable. */
  credits?: number;
}

/** Headings of groups whose names are not suitable as headings. */
const GROUPS: Readonly<Record<string, string>> = {
  ip: 'IP addresses',
  asn: 'AS numbers',
  domain: 'Domain names',
  tlds: 'Top-level domains',
};

export function playgroundList(context: PageContext): Markup {
  const groups = Map.groupBy(PLAYED, ({ name }) => name.split('.', 1)[0]);
  return page(context, {
    title: 'Playground',
    body: html`<p class="lead">
        Try each operation of the API: fill in its form, see its answer, and copy the call for your
        program.
      </p>
      ${[...groups].map(
        ([group, rows]) =>
          html`<section>
            <h2>${GROUPS[group] ?? memberWords(group)}</h2>
            <ul class="rows">
              ${rows.map(
                (row) =>
                  html`<li>
                    <div>
                      <a href="${playgroundPath(row)}"
                        ><strong>${markdownLine(row.summary)}</strong></a
                      >
                      <p class="quiet"><code>${row.name}</code> ${priceWords(row)}</p>
                    </div>
                  </li>`,
              )}
            </ul>
          </section>`,
      )}`,
  });
}

/**
 * Returns a page with a form, the call that it describes, and an answer. The page's script sends the call, with a key
 * pasted there.
 */
export function playgroundPage(context: PageContext, row: Operation, shown: PlayShown): Markup {
  const { typed, prepared, answer, credits } = shown;
  const { tables = {} } = searchOf(row.name) ?? {};
  return page(context, {
    title: row.summary.replaceAll('`', ''),
    scripts: ['/assets/playground.js'],
    body: html`<section>
        <h2>
          <code
            >${row.method}
            ${row.routes.find(({ version }) => version === newestVersion(row))!.path}</code
          >
        </h2>
        ${callForm(row, typed)}
        <p class="quiet" role="status" data-said>${saidOf(prepared)}</p>
        ${credits === undefined ? undefined : html`<p class="quiet" data-credits>You have ${counted(credits, 'credit')}.</p>`}
        ${fixtures(row)}
      </section>
      <section data-answer>
        <h2>${answer.words}</h2>
        ${answerMarkup({ tables }, answer.body)}
      </section>
      <section>
        <h2>The same in a program</h2>
        ${callsMarkup(prepared.call)}
        <p class="quiet">
          The call reads <a href="/keys">your key</a> from the environment variable KEY.
        </p>
      </section>
      <p><a href="/playground">All operations</a></p>`,
  });
}

/** Returns the price of a call, or why the call would be rejected. */
export function saidOf({ cost, faults }: Prepared): string {
  if (faults.length === 0) return cost;
  return faults.map(({ field, message }) => `${field} ${message}.`).join(' ');
}

/**
 * Returns the form of a call. The form is sent by GET to its own page, which then shows the call. Only the script sends
 * the call to the API.
 */
function callForm(row: Operation, typed: Typed): Markup {
  const fields = playedParameters(row).map((name) => {
    const { isRequired, in: place } = row.parameters[name];
    const isOptional = isRequired !== true && place !== 'path';
    return [isOptional, parameterField(row, name, typed, { isOptional, label: name })] as const;
  });
  const [first, further] = [false, true].map((wanted) =>
    fields.filter(([isOptional]) => isOptional === wanted).map(([, field]) => field),
  );
  const path = playgroundPath(row);
  const { needsKey } = { needsKey: row.access.kind === 'key' };
  return html`<form
    method="get"
    action="${path}"
    data-calls="${path}/calls"
    data-key="${needsKey ? 'needed' : 'none'}"
  >
    ${first}
    ${
      further.length > 0
        ? html`<details ${first.length === 0 && !row.body ? html`open` : undefined}>
            <summary>More parameters</summary>
            ${further}
          </details>`
        : undefined
    }
    ${row.body && bodyField(typed[BODY])} ${row.upload && fileField(row)}
    <p class="actions"><button class="plain">Show the call</button></p>
  </form>`;
}

function bodyField(value = ''): Markup {
  return html`<div class="field">
    <label for="${BODY}">${BODY}</label>
    <textarea id="${BODY}" name="${BODY}" rows="8" spellcheck="false" required>${value}</textarea>
  </div>`;
}

/**
 * Returns the field for a file, which the script shows if it is needed; undefined for an upload
 * that takes no file. The field has no name, so the form never sends the file here; only the script
 * sends it, to the API.
 */
function fileField({ upload }: Operation): Markup | undefined {
  if (upload?.types.length === 0) return undefined;
  return html`<div class="field" data-file hidden>
    <label for="file">file</label>
    <input id="file" type="file" />
  </div>`;
}

/**
 * Returns links that fill in the operation's fixtures, if it has any; their answers are the same everywhere and free.
 */
function fixtures(row: Operation): Markup | undefined {
  const [name] = [row.subject ?? []].flat();
  if (!row.fixtures || name === undefined) return undefined;
  return html`<details>
    <summary>Free sample names for test keys</summary>
    <ul>
      ${row.fixtures.map(
        ({ value, answers }) =>
          html`<li>
            <a href="${playgroundPath(row, { [name]: value })}">${value}</a>:
            ${answers.replaceAll('`', '')}
          </li>`,
      )}
    </ul>
  </details>`;
}
