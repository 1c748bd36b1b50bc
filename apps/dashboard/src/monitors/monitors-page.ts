import {
  CHECK_MINUTES,
  HIT_STATES,
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
} from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { day } from '../amounts.js';
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
    'Its DNS is looked at every 6 hours or more often, its registration every day and near its expiry. A change is told when a second look confirms it; reminders come 30, 7 and 1 days before the expiry.',
  brand: 'Each new name is compared with your keyword, once.',
  registrant:
    'Each new or changed registration is compared with your value. Only what is published counts.',
};
const STATES: Readonly<Record<MonitorState, string>> = {
  active: 'active',
  paused: 'paused',
  over_limit: 'paused: your plan has fewer monitors',
};
const TYPES: Readonly<Record<MonitorEventType, string>> = {
  'domain.changed': 'changed',
  'domain.expiring': 'expires soon',
  'brand.match': 'found',
  'registrant.match': 'found',
  'monitor.limit':
    'and others found on this day are not listed: a monitor tells 1,000 names a day. Narrow it.',
  'monitor.test': 'a test',
};
const HITS: Readonly<Record<HitState, string>> = {
  new: 'New',
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
        <h2>Watch something</h2>
        <p>News come by mail, to your webhooks, and stand here for 90 days.</p>
        <p class="actions">
          ${MONITOR_KINDS.map((kind) => html`<a class="button small" href="/monitors/new/${kind}">${KINDS[kind]}</a>`)}
        </p>
        <p class="quiet">
          How many of each kind you may have is among the <a href="/plans">plans</a>.
        </p>
      </section>
      <section>
        <h2>Your monitors</h2>
        ${
          monitors.length === 0
            ? html`<p>No monitor yet.</p>`
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
  const turn =
    state === 'active' ? (['pause', 'Pause'] as const) : (['resume', 'Let it go on'] as const);
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
        <h2>What it found</h2>
        ${
          events.length === 0
            ? html`<p>Nothing yet.</p>`
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
      <a class="button small" href="/monitors/${id}" aria-label="What ${name} found">Open</a>
    </div>
  </li>`;
}

function subjectOf({ watches }: MonitorAnswer): string {
  const { domain_name, keyword, owner, email, company } = watches;
  return domain_name ?? keyword ?? owner ?? email ?? company ?? '';
}

const minutesOf = ({ watches }: MonitorAnswer) => watches.interval_minutes ?? CHECK_MINUTES;

function checks(monitor: MonitorAnswer): Markup {
  const { checks: known, price } = monitor;
  const { dns_checked_at, whois_checked_at, expiry_date, expiry_published, problem } = known!;
  const told = {
    true: `It expires on ${expiry_date}.`,
    false: 'Its registry publishes no expiry: no reminder can come.',
    null: 'Nothing is known of its expiry yet.',
  }[`${expiry_published}`];
  return html`<p class="quiet">
    <span>DNS is checked ${intervalWords(minutesOf(monitor))}.</span>
    ${price?.is_short_of_credits ? html`<strong>Credits lack: until they come it is checked every 6 hours.</strong>` : undefined}
    <span>DNS looked at: ${dns_checked_at === null ? 'not yet' : moment(dns_checked_at)}.</span>
    <span
      >Registration looked at:
      ${whois_checked_at === null ? 'not yet' : moment(whois_checked_at)}.</span
    >
    <span>${told}</span>
    ${problem === null ? undefined : html`<span>The last look at the registration failed: ${problem}.</span>`}
  </p>`;
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

const moment = (at: string) => at.slice(0, 16).replace('T', ' ');

function eventRow(context: PageContext, event: MonitorEvent): Markup {
  const { type, at, domain_unicode, changes = [], expiry_date, days_left, match, state } = event;
  return html`<li>
    <div>
      <strong>${domain_unicode}</strong> ${TYPES[type]}
      <p class="quiet">
        <span>${moment(at)}</span>
        ${expiry_date ? html`<span>${day(expiry_date)}, in ${days_left} days</span>` : undefined}
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

function changeItem({ path, before, after, is_flapping }: MonitorChange): Markup {
  const shown = (values: readonly string[]) => (values.length > 0 ? values.join(', ') : 'none');
  const flapping = is_flapping ? ' (it changes to and fro: no more of it is told today)' : '';
  return html`<li>${path}: ${shown(before)} → ${shown(after)}${flapping}</li>`;
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
