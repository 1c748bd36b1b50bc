import {
  CHECK_MINUTES,
  HIT_STATES,
  MONITOR_CHANGE_TEXTS,
  type HitState,
  MONITOR_KINDS,
  type MonitorAnswer,
  type MonitorChange,
  type MonitorEvent,
  type MonitorEventType,
  type MonitorEventsAnswer,
  type MonitorKind,
  type MonitorState,
  type MonitorsAnswer,
  daysLeftText,
} from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { day, minute } from '../amounts.js';
import { type Notice, type PageContext, field, form, hidden, page } from '../pages/layout.js';
import { intervalField, intervalWords, mailBox, monitorForm } from './monitor-form.js';
import type { MonitorForm } from './monitors.dto.js';

const KINDS: Readonly<Record<MonitorKind, string>> = {
  domain: 'Watch a domain',
  brand: 'Watch a brand',
  registrant: 'Watch a registrant',
};
const WHAT: Readonly<Record<MonitorKind, string>> = {
  domain:
    'The DNS is checked every 6 hours or more often. The registration is checked every day, and more often near its expiry date. A change is reported once a second check confirms it. Reminders are sent 30, 7 and 1 days before the expiry date.',
  brand: 'Each new name is compared with your keyword once.',
  registrant:
    'The published values of each new or changed registration are compared with your value.',
};
const STATES: Readonly<Record<MonitorState, string>> = {
  active: 'active',
  paused: 'paused',
  over_limit: 'paused: your plan allows fewer monitors',
};
const TYPES: Readonly<Record<MonitorEventType, string>> = {
  'domain.changed': 'changed',
  'domain.expiring': 'expires soon',
  'brand.match': 'found',
  'registrant.match': 'found',
  'monitor.limit':
    'and more names of this day are not listed: a monitor reports up to 1,000 names a day. Narrow the search.',
  'monitor.test': 'a test',
};
const HITS: Readonly<Record<HitState, string>> = {
  new: 'Mark as new',
  watched: 'Watch',
  ignored: 'Ignore',
};

export function monitorsPage(
  context: PageContext,
  { monitors, paging }: MonitorsAnswer,
  notice?: Notice,
): Markup {
  return page(context, {
    title: 'Monitors',
    notice,
    body: html`<section>
        <h2>Create a monitor</h2>
        <p>Events are sent by e-mail and to your webhooks, and are listed here for 90 days.</p>
        <p class="actions">
          ${MONITOR_KINDS.map((kind) => html`<a class="button small" href="/monitors/new/${kind}">${KINDS[kind]}</a>`)}
        </p>
        <p class="quiet">
          Your <a href="/plans">plan</a> limits the number of monitors of each kind.
        </p>
      </section>
      <section>
        <h2>Your monitors</h2>
        ${
          monitors.length === 0
            ? html`<p>No monitors yet.</p>`
            : html`<ul class="rows">
                ${monitors.map(row)}
              </ul>`
        }
        ${older('/monitors', paging.next_cursor)}
      </section>`,
  });
}

export function newMonitorPage(
  context: PageContext,
  kind: MonitorKind,
  typed: MonitorForm,
  notice?: Notice,
): Markup {
  return page(context, {
    title: KINDS[kind],
    notice,
    body: html`<section>
      <p>${WHAT[kind]}</p>
      ${monitorForm(context, kind, typed)}
      <p><a href="/monitors">All monitors</a></p>
    </section>`,
  });
}

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
        <p>${subjectOf(monitor)}: ${STATES[state]}</p>
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

const older = (at: string, cursor: string | null) =>
  cursor === null
    ? undefined
    : html`<a href="${at}?cursor=${encodeURIComponent(cursor)}">Older</a>`;

function row(monitor: MonitorAnswer): Markup {
  const { id, name, kind, state, checks: known } = monitor;
  const expiry = known?.expiry_date;
  return html`<li>
    <div>
      <strong>${name}</strong> ${STATES[state]}
      <p class="quiet">
        <span>${kind}</span> <span>${subjectOf(monitor)}</span>
        ${expiry ? html`<span>expires on ${expiry}</span>` : undefined}
      </p>
    </div>
    <div class="actions">
      <a class="button small" href="/monitors/${id}" aria-label="Open the events of ${name}"
        >Open</a
      >
    </div>
  </li>`;
}

function subjectOf({ watches }: MonitorAnswer): string {
  const { domain_name, keyword, owner, email, company } = watches;
  return domain_name ?? keyword ?? owner ?? email ?? company ?? '';
}

const minutesOf = ({ watches }: MonitorAnswer) => watches.interval_minutes ?? CHECK_MINUTES;

function checks(monitor: MonitorAnswer): Markup {
  const { checks: known, price, state } = monitor;
  if (!known || state !== 'active')
    return html`<p class="quiet">It is not checked while it is paused.</p>`;
  const { dns_checked_at, dns_due_at, dns_problem_detail, expiry_date, expiry_published } = known;
  const { whois_checked_at, whois_due_at, problem_detail } = known;
  const told = {
    true: `It expires on ${expiry_date}.`,
    false: 'Its registry publishes no expiry date, so there are no reminders.',
    null: undefined,
  }[`${expiry_published}`];
  return html`<p class="quiet">
      DNS is checked ${intervalWords(minutesOf(monitor))}.
      ${price?.is_short_of_credits ? html`<strong>Not enough credits: until you buy some, the DNS is checked every 6 hours.</strong>` : undefined}
    </p>
    <ul>
      <li>DNS: ${progress(dns_checked_at, dns_due_at, dns_problem_detail)}</li>
      <li>Registration: ${progress(whois_checked_at, whois_due_at, problem_detail)} ${told}</li>
    </ul>`;
}

/** When a part of a name was checked, why the last try failed, and when the next check is due. */
function progress(checkedAt: string | null, dueAt: string | null, problem: string | null): Markup {
  const due = dueAt === null ? undefined : minute(dueAt);
  if (problem !== null) {
    return html`${checkedAt === null ? undefined : html`last checked at ${minute(checkedAt)}.`} The
    last try failed: ${problem} ${due && html`The next try is due at ${due}.`}`;
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

function eventRow(context: PageContext, event: MonitorEvent): Markup {
  const { type, at, domain_unicode, changes = [], expiry_date, days_left, match, state } = event;
  return html`<li>
    <div>
      <strong>${domain_unicode}</strong> ${TYPES[type]}
      <p class="quiet">
        <span>${minute(at)}</span>
        ${expiry_date ? html`<span>${day(expiry_date)}, ${daysLeftText(days_left!)}</span>` : undefined}
        ${match ? html`<span>${match.reason.replaceAll('_', ' ')}: ${match.value}</span>` : undefined}
      </p>
      ${
        changes.length > 0
          ? html`<ul>
              ${changes.map(changeItem)}
            </ul>`
          : undefined
      }
    </div>
    ${state ? hitForm(context, event, state) : undefined}
  </li>`;
}

function changeItem({ type, path, before, after, is_flapping }: MonitorChange): Markup {
  const shown = (values: readonly string[]) => (values.length > 0 ? values.join(', ') : 'none');
  const flapping = is_flapping ? ' (it keeps changing: no further changes are reported today)' : '';
  const what = MONITOR_CHANGE_TEXTS[type] ?? path;
  // Personal values are not stored, so both are `published`.
  if (shown(before) === shown(after)) return html`<li>${what}: another value${flapping}</li>`;
  return html`<li>${what}: ${shown(before)} → ${shown(after)}${flapping}</li>`;
}

function hitForm(context: PageContext, event: MonitorEvent, state: HitState): Markup {
  const action = `/monitors/${event.monitor_id}/events/${event.id}`;
  return html`<div class="actions">
    <span>${state}</span>
    ${HIT_STATES.filter((other) => other !== state).map((other) =>
      form(
        context,
        action,
        html`${hidden('state', other)}<button class="plain small">${HITS[other]}</button>`,
      ),
    )}
  </div>`;
}
