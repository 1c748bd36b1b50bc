import { TRIAL_CREDITS, exampleCall, offeredPlans } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { grouped, money } from '../amounts.js';
import { choice } from '../choice.js';
import { callsMarkup } from '../calls/calls-markup.js';
import { type PageContext, page } from '../pages/layout.js';
import { answerMarkup } from '../searches/answer-markup.js';
import type { Item } from '../searches/search.js';
import { LIVE_LOOKUPS, SEARCHES } from '../searches/searches.js';

const SAMPLES = [...LIVE_LOOKUPS, ...SEARCHES];

const PARTS: readonly (readonly [what: string, about: string])[] = [
  [
    'Live lookups',
    'Look up WHOIS and RDAP, IP addresses, AS numbers, DNS and availability. Every field names its source.',
  ],
  [
    'History and search',
    'Find earlier owners and records, names by owner or address, subdomains, look-alikes and reputations.',
  ],
  [
    'Bulk jobs',
    'Upload up to three million names. You see the price before the job starts, and you pay only for answers.',
  ],
  [
    'Monitors and webhooks',
    'Watch domains, brands and registrants. Signed webhooks and e-mails tell you what changed.',
  ],
  ['Database files', 'Download new, changed and dropped names every day, as CSV or JSON.'],
];

/**
 * Returns the page `/` before a log-in. @param sample the name of the operation whose answer is shown; any other text
 * selects the first sample.
 */
export function startPage(context: PageContext, apiUrl: string, sample: string): Markup {
  return page(context, {
    title: 'Domain data: pay only for answers',
    body: html`<p class="lead">
        WHOIS, DNS and everything else about a domain name through one API. Your first account has
        ${grouped(TRIAL_CREDITS)} credits. A lookup without an answer costs nothing.
      </p>
      <p class="actions">
        <a class="button" href="/sign-up">Sign up</a
        ><a class="button plain" href="/log-in">Log in</a
        ><a class="button plain" href="/prices">Prices</a>
      </p>
      ${sampleSection(apiUrl, sample)}
      <section>
        <h2>What you can do</h2>
        <dl class="facts">
          ${PARTS.map(
            ([what, about]) =>
              html`<div>
                <dt>${what}</dt>
                <dd>${about}</dd>
              </div>`,
          )}
        </dl>
        <p>
          Plans cost ${money(String(cheapestMicros()))} a month or more. Credits of packages never
          expire. <a href="/prices">See all prices</a>. A
          <a href="${apiUrl}/v2.0/files/sample">sample of the database files</a> is free, without an
          account.
        </p>
      </section>`,
  });
}

/** Shows the members of the answer in rows, because the tables of search pages would be too wide here. */
function sampleSection(apiUrl: string, sample: string): Markup {
  const chosen = SAMPLES.find(({ row }) => row.name === sample) ?? SAMPLES[0];
  const { row } = chosen;
  const [{ title, answer }] = row.examples;
  const options = SAMPLES.map(({ row: { name }, title: text }) => ({
    text,
    href: name === SAMPLES[0].row.name ? '/' : `/?sample=${name}`,
    isCurrent: name === row.name,
  }));
  return html`<section>
    <h2>One call, one answer</h2>
    ${choice('Sample', options)}
    <p class="quiet">${row.summary}. ${title}:</p>
    ${callsMarkup(exampleCall(apiUrl, row))}
    <h3>The answer</h3>
    ${answerMarkup(chosen, answer as Item)}
    <p class="quiet">
      Samples are free with a test key. <a href="/playground">Playground</a> ·
      <a href="${apiUrl}/docs">API reference</a>
    </p>
  </section>`;
}

const cheapestMicros = () =>
  Math.min(
    ...offeredPlans()
      .filter(({ line }) => line === 'api')
      .map((plan) => plan.monthlyMicros),
  );
