import {
  type LoggedRequest,
  OPERATIONS,
  type Operation,
  subjectsOf,
  type ApiCall,
  apiCallOf,
  problemsOf,
} from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { callsMarkup } from '../calls/calls-markup.js';
import { type PageContext, page } from '../pages/layout.js';
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
    ['Subject', subject],
    ['Key', key],
    ['Answer', status >= 400 && row ? refusal(apiUrl, answer, codeOf(row, outcome)) : answer],
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

/** Returns the answer with a link to the page of its error code, if it is known. The page is on the API's origin. */
function refusal(apiUrl: string, answer: string, code?: string): Markup | string {
  if (code === undefined) return answer;
  return html`${answer} · <a href="${apiUrl}/errors/${code}">what it means</a>`;
}

/** Returns the error code of a rejection. The log has the outcome of a failed lookup in place of its code. */
function codeOf(row: Operation, outcome: string): string | undefined {
  const failure = outcome === 'parse_failed' ? 'unreadable' : outcome;
  const codes = [outcome, ...['upstream', 'resolver', 'tld'].map((cause) => `${cause}_${failure}`)];
  return problemsOf(row).find((code) => codes.includes(code));
}

function again(call: ApiCall): Markup {
  return html`<section>
    <h2>The same request again</h2>
    ${callsMarkup(call)}
    <p class="quiet">
      The log keeps only the subject of a request, up to 255 characters of names. All other
      parameters have their defaults here.
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
  const body = subject === '' ? undefined : bodyOf(row, subject.split(', '));
  return body && apiCallOf(apiUrl, row, { values, body });
}

/** Returns a body with the logged names, each in the list that accepts it; undefined for a body without names. */
function bodyOf(row: Operation, names: readonly string[]): object | undefined {
  const { subjects } = row.body!;
  if (!subjects) return undefined;
  const lists = membersOf(row).filter((member) => isList(row, member));
  const singles = membersOf(row).filter((member) => !isList(row, member));
  const listOf = (name: string) =>
    lists.findLast((_, place) => subjects[place].kind.fault(name) === undefined) ?? lists[0];
  const listed = Map.groupBy(names.slice(singles.length), listOf);
  const single = singles.map((member, place) => [member, names[place]] as const);
  return Object.fromEntries([...single, ...listed]);
}
