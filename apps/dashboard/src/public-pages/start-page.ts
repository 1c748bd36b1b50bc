import { SUBSCRIPTION_PLANS, TRIAL_CREDITS, exampleCall } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { grouped, money } from '../amounts.js';
import { choice } from '../choice.js';
import { callsMarkup } from '../calls/calls-markup.js';
import { type PageContext, page } from '../pages/layout.js';
import { answerMarkup } from '../searches/answer-markup.js';
import type { Item } from '../searches/search.js';
import { LIVE_LOOKUPS, SEARCHES } from '../searches/searches.js';

/** Operations of which the start page can show an answer; each has an example that an installation really gives. */
const SAMPLES = [...LIVE_LOOKUPS, ...SEARCHES];

/** The features of the service, by people's purposes. */
const PARTS: readonly (readonly [what: string, about: string])[] = [
  [
    'Live lookups',
    'WHOIS and RDAP, IP addresses, AS numbers, DNS and availability. Every field says which source gave it.',
  ],
  [
    'History and search',
    'Earlier owners and records, names by owner or address, subdomains, look-alikes, reputation.',
  ],
  [
    'Bulk jobs',
    'Up to three million names in a file: price before, progress during, exactly the rows you paid for.',
  ],
  [
    'Monitors and webhooks',
    'Domains, brands and registrants are watched; signed webhooks and mails tell you.',
  ],
  ['Database files', 'New, changed and dropped names every day, as CSV or JSON.'],
];

/** `/` before log-in. @param sample name of the operation whose answer is shown. */
export function startPage(context: PageContext, apiUrl: string, sample: string): Markup {
  return page(context, {
    title: 'Domain data, charged only for an answer',
    body: html`<p class="lead">
        WHOIS, DNS and everything around a domain name through one API. An account starts with
        ${grouped(TRIAL_CREDITS)} credits; a lookup that cannot be answered costs nothing.
      </p>
      <p class="actions">
        <a class="button" href="/sign-up">Sign up</a
        ><a class="button plain" href="/log-in">Log in</a
        ><a class="button plain" href="/prices">Prices</a>
      </p>
      ${sampleSection(apiUrl, sample)}
      <section>
        <h2>What there is</h2>
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
          Plans from ${money(String(cheapestMicros()))} a month, packages that never expire:
          <a href="/prices">all prices</a>.
        </p>
      </section>`,
  });
}

/** Tables of the pages of searches would be wide here: what an answer says stands in rows. */
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
    <h3>Answers</h3>
    ${answerMarkup(chosen, answer as Item)}
    <p class="quiet">
      Test keys get samples for nothing. <a href="/playground">Playground</a> ·
      <a href="${apiUrl}/docs">API reference</a>
    </p>
  </section>`;
}

const cheapestMicros = () =>
  Math.min(
    ...SUBSCRIPTION_PLANS.filter(({ line }) => line === 'api').map((plan) => plan.monthlyMicros),
  );
