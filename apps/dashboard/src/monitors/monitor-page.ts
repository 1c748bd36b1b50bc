import {
  CHECK_MINUTES,
  type MonitorAnswer,
  type MonitorChecks,
  type MonitorEventsAnswer,
} from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { minute } from '../amounts.js';
import { type Notice, type PageContext, field, form, page } from '../pages/layout.js';
import { eventRow } from './monitor-event-row.js';
import { intervalField, intervalWords, mailBox } from './monitor-form.js';
import { MONITOR_STATE_WORDS, older, subjectOf } from './monitor-words.js';

export function monitorPage(
  context: PageContext,
  monitor: MonitorAnswer,
  { events, paging }: MonitorEventsAnswer,
  notice?: Notice,
): Markup {
  const { id, name, kind, state } = monitor;
  const at = `/monitors/${id}`;
  const turn = state === 'active' ? (['pause', 'Pause'] as const) : (['resume', 'Resume'] as const);
  return page(context, {
    title: name,
    notice,
    body: html`<section>
        <p>${subjectOf(monitor)}: ${MONITOR_STATE_WORDS[state]}</p>
        ${kind === 'domain' ? checks(monitor) : choices(monitor)}
        <div class="actions">
          ${form(context, `${at}/${turn[0]}`, html`<button class="small">${turn[1]}</button>`)}
          ${form(context, `${at}/test`, html`<button class="plain small">Send a test</button>`)}
          <a class="button plain small" href="${at}/delete">Remove</a>
          <a class="button plain small" href="/monitors">All monitors</a>
        </div>
      </section>
      <section>
        <h2>Events</h2>
        ${
          events.length === 0
            ? html`<p>No events yet.</p>`
            : html`<ul class="rows">
                ${events.map((event) => eventRow(context, event))}
              </ul>`
        }
        ${older(at, paging.next_cursor)}
      </section>
      <section>
        <h2>Settings</h2>
        ${form(
          context,
          `${at}/settings`,
          html`${field({ name: 'name', value: name })}
            ${kind === 'domain' ? intervalField(`${minutesOf(monitor)}`) : undefined}
            ${mailBox(monitor.mail)} <button class="small">Save</button>`,
        )}
      </section>`,
  });
}

const minutesOf = ({ watches }: MonitorAnswer) => watches.interval_minutes ?? CHECK_MINUTES;

function checks(monitor: MonitorAnswer): Markup {
  const { checks: known, price, state } = monitor;
  if (!known || state !== 'active')
    return html`<p class="quiet">It is not checked while it is paused.</p>`;
  const { dns_checked_at, dns_due_at, dns_problem_detail } = known;
  const { whois_checked_at, whois_due_at, problem_detail } = known;
  return html`<p class="quiet">
      DNS is checked ${intervalWords(minutesOf(monitor))}.
      ${price?.is_short_of_credits ? html`<strong>Not enough credits: until you buy some, the DNS is checked every 6 hours.</strong>` : undefined}
    </p>
    <ul>
      <li>DNS: ${progress(dns_checked_at, dns_due_at, dns_problem_detail)}</li>
      <li>
        Registration: ${progress(whois_checked_at, whois_due_at, problem_detail)}
        ${expiryWords(known)}
      </li>
    </ul>`;
}

/** Returns the sentence about the expiry date; undefined until the registration has been checked. */
function expiryWords({ expiry_date, expiry_published }: MonitorChecks): string | undefined {
  if (expiry_published === null) return undefined;
  if (expiry_published) return `It expires on ${expiry_date}.`;
  return 'Its registry publishes no expiry date, so there are no reminders.';
}

function progress(checkedAt: string | null, dueAt: string | null, problem: string | null): Markup {
  const due = dueAt === null ? undefined : minute(dueAt);
  if (problem !== null) {
    return html`${checkedAt === null ? undefined : html`last checked at ${minute(checkedAt)}.`} The
    last attempt failed: ${problem} ${due && html`The next attempt is due at ${due}.`}`;
  }
  if (checkedAt === null) return html`the first check is due ${due ? html`at ${due}` : 'soon'}.`;
  return html`checked at ${minute(checkedAt)}${due && html`; the next check is due at ${due}`}.`;
}

function choices({ watches }: MonitorAnswer): Markup {
  const {
    match,
    with_typos,
    include = [],
    exclude = [],
    own_domains = [],
    tlds = [],
    exact,
  } = watches;
  const all = [
    match && `match: ${match}`,
    with_typos && 'with look-alikes and typos',
    exact && 'whole value',
    include.length > 0 && `with ${include.join(', ')}`,
    exclude.length > 0 && `without ${exclude.join(', ')}`,
    own_domains.length > 0 && `not ${own_domains.join(', ')}`,
    tlds.length > 0 && `under ${tlds.join(', ')}`,
  ].filter((text) => typeof text === 'string');
  return html`<p class="quiet">${all.map((text) => html`<span>${text}</span> `)}</p>`;
}
