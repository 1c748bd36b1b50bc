import {
  MONITOR_KINDS,
  type MonitorAnswer,
  type MonitorKind,
  type MonitorsAnswer,
} from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { type Notice, type PageContext, page } from '../pages/layout.js';
import { monitorForm } from './monitor-form.js';
import { MONITOR_STATE_WORDS, older, subjectOf } from './monitor-words.js';
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

function row(monitor: MonitorAnswer): Markup {
  const { id, name, kind, state, checks: known } = monitor;
  const expiry = known?.expiry_date;
  return html`<li>
    <div>
      <strong>${name}</strong> ${MONITOR_STATE_WORDS[state]}
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
