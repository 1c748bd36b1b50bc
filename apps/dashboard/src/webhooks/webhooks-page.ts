import {
  type DeliveryState,
  WEBHOOK_EVENTS,
  WEBHOOK_TEST_EVENT,
  type WebhookAnswer,
  type WebhookDeliveriesAnswer,
  type WebhookDelivery,
  type WebhookEvent,
} from '#libs/contracts';
import { counted, newId } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { minute } from '../amounts.js';
import { confirmationPage } from '../pages/confirmation-page.js';
import { type Notice, type PageContext, field, form, hidden, page } from '../pages/layout.js';
import { eventField } from './webhooks.dto.js';

const EVENTS: Readonly<Record<WebhookEvent, string>> = {
  'job.completed': 'A bulk job has finished',
  'monitor.triggered': 'A monitor reported an event',
  'file.published': 'A database file was published',
  'credits.low': 'Credits are running out',
  'invoice.issued': 'An invoice was issued',
};
const STATES = {
  active: 'active',
  paused: 'paused',
  disabled: 'disabled: no delivery succeeded for three days, or its URL answered 410',
} as const;

const TYPES: Readonly<Record<string, string>> = { ...EVENTS, [WEBHOOK_TEST_EVENT]: 'A test' };
const DELIVERIES: Readonly<Record<DeliveryState, string>> = {
  pending: 'not delivered yet, will be sent again',
  delivered: 'delivered',
  failed: 'not delivered',
};

interface Shown {
  apiUrl: string;
  /** The webhooks; undefined if the worker refuses to list them. */
  webhooks?: readonly WebhookAnswer[];
  secret?: string;
  /** What the visitor entered in a form that was rejected. */
  url?: string;
  events?: readonly WebhookEvent[];
}

export function webhooksPage(context: PageContext, shown: Shown, notice?: Notice): Markup {
  const { apiUrl, webhooks, secret, url, events = [] } = shown;
  return page(context, {
    title: 'Webhooks',
    notice,
    body: html`${secret && secretSection(secret)}
      <section>
        <h2>Add a webhook</h2>
        <p>
          Events are sent as POST requests, signed according to
          <a href="https://www.standardwebhooks.com">Standard Webhooks</a>, and retried for three
          days.
        </p>
        <p class="quiet">
          Only public hosts receive events. The
          <a href="${apiUrl}/docs#webhooks.create">API reference</a> describes the data of each
          event. Operators: <code>docs/webhooks.md</code> shows how to try a receiver on your own
          machine, and a complete one that verifies the signature.
        </p>
        ${form(
          context,
          '/webhooks',
          html`${hidden('idempotency_key', newId())}
            ${field({ name: 'url', value: url, hint: 'a public HTTPS URL on port 443' })}
            <fieldset>
              <legend>Events</legend>
              ${WEBHOOK_EVENTS.map((event) => box(event, events.includes(event)))}
            </fieldset>
            <button>Add the webhook</button>`,
        )}
      </section>
      <section>
        <h2>Your webhooks</h2>
        ${webhooks && list(webhooks)}
      </section>`,
  });
}

export function deliveriesPage(
  context: PageContext,
  webhook: WebhookAnswer,
  { deliveries, paging }: WebhookDeliveriesAnswer,
  notice?: Notice,
): Markup {
  const at = `/webhooks/${webhook.id}`;
  return page(context, {
    title: 'Deliveries',
    notice,
    body: html`<section>
        <p>${webhook.url}: ${STATES[webhook.state]}</p>
        <div class="actions">
          ${form(context, `${at}/test`, html`<button class="small">Send a test</button>`)}
          ${stateButton(context, webhook)}
          <a class="button plain small" href="/webhooks">All webhooks</a>
        </div>
      </section>
      <section>
        <h2>Deliveries</h2>
        ${
          deliveries.length === 0
            ? html`<p>No deliveries yet.</p>`
            : html`<ul class="rows">
                ${deliveries.map((delivery) => deliveryRow(context, webhook, delivery))}
              </ul>`
        }
        ${paging.next_cursor === null ? undefined : html`<a href="${at}?cursor=${encodeURIComponent(paging.next_cursor)}">Older</a>`}
        <p class="quiet">The log is kept for 30 days.</p>
      </section>`,
  });
}

/**
 * Returns the page that asks before a new secret is made. Its form works once: another new secret within a day would
 * end the one that the receiver still uses.
 */
export function newSecretPage(context: PageContext, webhook: WebhookAnswer, now: Date): Markup {
  const { id, url, previous_secret_until: previous } = webhook;
  return confirmationPage(context, {
    title: 'Make a new secret?',
    body: html`<p><strong>${url}</strong></p>
      <p>
        The new secret is shown once. The present one also signs for another day, so that you can
        change the receiver. If you make a further secret within that day, the present one ends at
        once.
      </p>
      ${previous && Date.parse(previous) > now.getTime() ? endingSecret(previous) : undefined}
      ${hidden('previous', previous ?? '')}`,
    action: `/webhooks/${id}/rotate`,
    button: 'Make a new secret',
    back: { href: '/webhooks', text: 'Keep the secret' },
  });
}

const endingSecret = (until: string) =>
  html`<p>
    <strong>If you continue, the secret before the present one stops being used at once</strong>,
    and not at ${minute(until)}. If the receiver still has it, give the receiver the new secret
    right away.
  </p>`;

const secretSection = (secret: string) =>
  html`<section>
    <h2>The secret</h2>
    <p>We sign all deliveries with it. Copy it now: it is shown only once.</p>
    <p><code>${secret}</code></p>
  </section>`;

const box = (event: WebhookEvent, isTicked: boolean) =>
  html`<label
    ><input type="checkbox" name="${eventField(event)}" ${isTicked ? html`checked` : undefined} />
    ${EVENTS[event]}</label
  >`;

function list(webhooks: readonly WebhookAnswer[]): Markup {
  if (webhooks.length === 0) return html`<p>No webhooks yet.</p>`;
  return html`<ul class="rows">
    ${webhooks.map(row)}
  </ul>`;
}

function row(webhook: WebhookAnswer): Markup {
  const { id, url, events, state } = webhook;
  const at = `/webhooks/${id}`;
  return html`<li>
    <div>
      <strong>${url}</strong> ${STATES[state]}
      <p class="quiet">${events.map((event) => html`<span>${EVENTS[event]}</span> `)}</p>
    </div>
    <div class="actions">
      <a class="button small" href="${at}" aria-label="Deliveries to ${url}">Deliveries</a>
      <a class="button plain small" href="${at}/rotate" aria-label="New secret for ${url}"
        >New secret</a
      >
      <a class="button plain small" href="${at}/delete" aria-label="Remove ${url}">Remove</a>
    </div>
  </li>`;
}

function stateButton(context: PageContext, { id, state }: WebhookAnswer): Markup {
  const next = state === 'active' ? 'paused' : 'active';
  const words = state === 'active' ? 'Pause' : 'Resume';
  return form(
    context,
    `/webhooks/${id}/state`,
    html`${hidden('state', next)}<button class="plain small">${words}</button>`,
  );
}

function deliveryRow(
  context: PageContext,
  webhook: WebhookAnswer,
  delivery: WebhookDelivery,
): Markup {
  const { id, type, state, tries, created_at, next_try_at, ...rest } = delivery;
  const { response_status, fault_detail } = rest;
  const status = response_status === null ? undefined : `status ${response_status}`;
  const action = `/webhooks/${webhook.id}/deliveries/${id}/replay`;
  return html`<li>
    <div>
      <strong>${TYPES[type] ?? type}</strong> ${DELIVERIES[state]}
      <p class="quiet">
        <span>${minute(created_at)}</span> <span>${counted(tries, 'attempt')}</span>
        <span>${fault_detail ?? status ?? ''}</span>
        ${next_try_at ? html`<span>Next attempt: ${minute(next_try_at)}</span>` : undefined}
      </p>
    </div>
    <div class="actions">
      ${form(context, action, html`<button class="plain small">Send again</button>`)}
    </div>
  </li>`;
}
