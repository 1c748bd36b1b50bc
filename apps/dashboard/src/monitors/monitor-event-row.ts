import {
  HIT_STATES,
  MONITOR_CHANGE_TEXTS,
  type HitState,
  type MonitorChange,
  type MonitorEvent,
  type MonitorEventType,
  daysLeftText,
} from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { day, minute } from '../amounts.js';
import { type PageContext, form, hidden } from '../pages/layout.js';
import { shownText } from '../pages/shown-text.js';

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

export function eventRow(context: PageContext, event: MonitorEvent): Markup {
  const { type, at, changes = [], expiry_date, days_left, match, state } = event;
  return html`<li>
    <div>
      ${nameOf(event)} ${TYPES[type]}
      <p class="quiet">
        <span>${minute(at)}</span>
        ${expiry_date ? html`<span>${day(expiry_date)}, ${daysLeftText(days_left!)}</span>` : undefined}
        ${match ? html`<span>${match.reason.replaceAll('_', ' ')}: ${shownText(match.value)}</span>` : undefined}
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

/**
 * Returns the name. An internationalised name is followed by its A-labels, because it may look like the customer's
 * name.
 */
function nameOf({ domain_name, domain_unicode }: MonitorEvent): Markup {
  const ascii = domain_name === domain_unicode ? undefined : html` (${domain_name})`;
  return html`<strong><bdi>${domain_unicode}</bdi></strong
    >${ascii}`;
}

function changeItem({ type, path, before, after, is_flapping }: MonitorChange): Markup {
  const shown = (values: readonly string[]) =>
    values.length > 0 ? values.map(shownText).join(', ') : 'none';
  const flapping = is_flapping
    ? ' (it keeps changing: further changes are not reported until it has been stable for a day)'
    : '';
  const what = MONITOR_CHANGE_TEXTS[type] ?? path;
  // Personal values are not stored, so the old and the new value are both `published`.
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
