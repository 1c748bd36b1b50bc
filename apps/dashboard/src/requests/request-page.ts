import {
  type LoggedRequest,
  OPERATIONS,
  type Operation,
  subjectsOf,
  type ApiCall,
  apiCallOf,
} from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { callsMarkup } from '../calls/calls-markup.js';
import { type PageContext, page } from '../pages/layout.js';
import { shownText } from '../pages/shown-text.js';
import { playgroundPath } from '../searches/search.js';
import { PLAYED } from '../playground/playground.js';
import { isList, membersOf } from '../searches/search.js';
import { type KeyNames, requestRow } from './request-row.js';
import { requestsPath } from './requests-page.js';

export function requestPage(
  context: PageContext,
  request: LoggedRequest,
  { keys, apiUrl }: { keys: KeyNames; apiUrl: string },
): Markup {
  const { key, answer, subject } = requestRow(request, keys);
  const { at, operation, status, outcome, credits, duration_ms: ms } = request;
  const row = OPERATIONS.find(({ name }) => name === operation);
  const isPlayed = row !== undefined && PLAYED.includes(row);
  const call = isPlayed ? callOf(apiUrl, row, request.subject) : undefined;
  const facts: (readonly [string, Markup | string])[] = [
    ['When', html`<time datetime="${at}">${at.slice(0, 23).replace('T', ' ')} UTC</time>`],
    ['Operation', isPlayed ? html`<a href="${playgroundPath(row)}">${operation}</a>` : operation],
    ['Subject', shownText(subject)],
    ['Key', shownText(key)],
    ['Answer', status >= 400 ? refusal(apiUrl, answer, outcome) : answer],
    ['Cost', credits === 0 ? 'nothing' : counted(credits, 'credit')],
    ['Took', `${ms} ms`],
    ['Request id', html`<code>${request.request_id}</code>`],
  ];
  return page(context, {
    title: 'One request',
    body: html`<section>
        <dl class="facts">
          ${facts.map(
            ([name, fact]) =>
              html`<div>
                <dt>${name}</dt>
                <dd>${fact}</dd>
              </div>`,
          )}
        </dl>
      </section>
      ${call && again(call)}
      <p><a href="${requestsPath({ day: at.slice(0, 10) })}">All requests of this day</a></p>`,
  });
}

/** Returns the answer with a link to the page of its error code, which is on the API's origin. */
function refusal(apiUrl: string, answer: string, code: string): Markup {
  return html`${answer} · <a href="${apiUrl}/errors/${encodeURIComponent(code)}">what it means</a>`;
}

function again(call: ApiCall): Markup {
  return html`<section>
    <h2>The same request again</h2>
    ${callsMarkup(call)}
    <p class="quiet">
      The log keeps only the subject of a request. All other parameters have their defaults here.
    </p>
  </section>`;
}

/** Returns the call; undefined if the logged data is not enough to repeat the request. */
function callOf(apiUrl: string, row: Operation, subject: string): ApiCall | undefined {
  const needed = Object.entries(row.parameters).filter(
    ([, { in: place, isRequired }]) => place === 'path' || isRequired,
  );
  const names = subjectsOf(row);
  const asked = names.find((name) => row.parameters[name].kind.fault(subject) === undefined);
  if (needed.some(([name]) => name !== asked)) return undefined;
  if (names.length > 0 && asked === undefined) return undefined;
  const values = asked === undefined || subject === '' ? {} : { [asked]: subject };
  if (!row.body) return apiCallOf(apiUrl, row, { values });
  const list = membersOf(row).find((member) => isList(row, member));
  if (list === undefined || subject === '') return undefined;
  return apiCallOf(apiUrl, row, {
    values,
    body: { ...row.body.example, [list]: subject.split(', ') },
  });
}
