import { byLiveKey } from '../access.js';
import { idOf } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { onePage } from '../paging/paging-answer.js';
import {
  CreateWebhookRequest,
  UpdateWebhookRequest,
  type WebhookDelivery,
  WebhookAnswer,
  WebhookDeliveriesAnswer,
  WebhookDeliveryAnswer,
  WebhookSecretAnswer,
  WebhooksAnswer,
} from './webhook-answer.js';
import { WEBHOOK_DATA } from './webhook-data.js';

const LIMIT_BYTES = 16_384;
const ID = '019a5f00-0000-7000-8000-000000000021';
const DELIVERY_ID = '019a5f00-0000-7000-8000-000000000022';

const WEBHOOK_SHOWN = {
  status: true,
  id: ID,
  url: 'https://hooks.example.com/domain-data',
  events: ['job.completed'],
  state: 'active',
  created_at: '2026-11-20T10:00:00.000Z',
  failing_since: null,
  previous_secret_until: null,
} satisfies WebhookAnswer;
const WITH_SECRET = { ...WEBHOOK_SHOWN, secret: 'whsec_…' } satisfies WebhookSecretAnswer;

const DELIVERY = {
  id: DELIVERY_ID,
  type: 'job.completed',
  state: 'delivered',
  tries: 1,
  created_at: '2026-11-20T10:00:04.000Z',
  last_try_at: '2026-11-20T10:00:05.000Z',
  next_try_at: null,
  response_status: 204,
  fault: null,
  fault_detail: null,
} satisfies WebhookDelivery;
const WAITING = {
  ...DELIVERY,
  status: true,
  state: 'pending',
  tries: 0,
  last_try_at: null,
  response_status: null,
} satisfies WebhookDeliveryAnswer;

const NEW = { url: WEBHOOK_SHOWN.url, events: ['job.completed'] };
const CHANGE = { state: 'paused' };

const EVENTS = Object.entries(WEBHOOK_DATA)
  .map(([type, { when, example }]) => {
    const members = Object.keys(example).map((member) => `\`${member}\``);
    return `- \`${type}\`: ${when}. Data: ${members.join(', ')}.`;
  })
  .join('\n');

const BY_KEY = byLiveKey('webhooks', 'account');
const WORKER = (path: string) =>
  ({ service: 'worker', path: `/internal/webhooks${path}` }) as const;
const FREE = { per: 'free' } as const;

const ONE_WEBHOOK = {
  id: { kind: idOf('a webhook'), about: 'Id of the webhook', example: ID, in: 'path' },
} as const;
const ONE_DELIVERY = {
  ...ONE_WEBHOOK,
  delivery_id: {
    kind: idOf('a delivery'),
    about: 'Id of the delivery',
    example: DELIVERY_ID,
    in: 'path',
  },
} as const;

export const WEBHOOKS = defineOperation({
  name: 'webhooks.list',
  summary: 'The webhooks of the account, newest first',
  method: 'GET',
  routes: [{ path: '/v2.0/webhooks', version: 2 }],
  access: BY_KEY,
  owner: WORKER(''),
  parameters: listPages(50),
  answers: [{ type: 'application/json', of: WebhooksAnswer }],
  price: FREE,
  problems: [],
  examples: [
    {
      title: 'A webhook',
      parameters: {},
      answer: { status: true, webhooks: [WEBHOOK_SHOWN], paging: onePage(1, 50) },
    },
  ],
});

export const WEBHOOK_CREATE = defineOperation({
  name: 'webhooks.create',
  summary: 'Creates a webhook, which sends events to a URL of yours',
  description: `Events are sent by POST and signed according to [Standard Webhooks](https://www.standardwebhooks.com). Respond with a status from 200 to 299 within ten seconds; otherwise the delivery is retried for three days. The secret is shown only once. The URL must be public and use HTTPS on port 443.

An event is a JSON object with \`type\`, \`timestamp\` and \`data\`; \`webhooks\` in \`/openapi.json\` describes all members. It is sent when:

${EVENTS}`,
  method: 'POST',
  routes: [{ path: '/v2.0/webhooks', version: 2 }],
  access: BY_KEY,
  owner: WORKER(''),
  parameters: {},
  body: { of: CreateWebhookRequest, limitBytes: LIMIT_BYTES, example: NEW },
  takesIdempotencyKey: true,
  secretMember: 'secret',
  answers: [{ type: 'application/json', of: WebhookSecretAnswer, status: 201 }],
  price: FREE,
  problems: ['too_many_webhooks'],
  examples: [{ title: 'A webhook for jobs', parameters: {}, body: NEW, answer: WITH_SECRET }],
});

export const WEBHOOK = defineOperation({
  name: 'webhooks.get',
  summary: 'A webhook',
  method: 'GET',
  routes: [{ path: '/v2.0/webhooks/{id}', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}'),
  parameters: ONE_WEBHOOK,
  answers: [{ type: 'application/json', of: WebhookAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [{ title: 'An active webhook', parameters: { id: ID }, answer: WEBHOOK_SHOWN }],
});

export const WEBHOOK_UPDATE = defineOperation({
  name: 'webhooks.update',
  summary: 'Changes, pauses or resumes a webhook',
  method: 'PATCH',
  routes: [{ path: '/v2.0/webhooks/{id}', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}'),
  parameters: ONE_WEBHOOK,
  body: { of: UpdateWebhookRequest, limitBytes: LIMIT_BYTES, example: CHANGE },
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: WebhookAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [
    {
      title: 'A pause',
      parameters: { id: ID },
      body: CHANGE,
      answer: { ...WEBHOOK_SHOWN, state: 'paused' },
    },
  ],
});

export const WEBHOOK_DELETE = defineOperation({
  name: 'webhooks.delete',
  summary: 'Removes a webhook and its log',
  method: 'DELETE',
  routes: [{ path: '/v2.0/webhooks/{id}', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}'),
  parameters: ONE_WEBHOOK,
  answers: [{ type: 'application/json', of: WebhookAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [{ title: 'The last state', parameters: { id: ID }, answer: WEBHOOK_SHOWN }],
});

export const WEBHOOK_ROTATE = defineOperation({
  name: 'webhooks.rotate',
  summary: 'Rotates the secret of a webhook',
  description:
    'For 24 hours, deliveries are signed with both the old and the new secret. A second rotation is refused for a minute, because it is probably a repetition; later within the 24 hours, it ends the oldest secret at once.',
  method: 'POST',
  routes: [{ path: '/v2.0/webhooks/{id}/rotate', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}/rotate'),
  parameters: ONE_WEBHOOK,
  takesIdempotencyKey: true,
  secretMember: 'secret',
  answers: [{ type: 'application/json', of: WebhookSecretAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [
    {
      title: 'A new secret',
      parameters: { id: ID },
      answer: { ...WITH_SECRET, previous_secret_until: '2026-11-21T10:00:00.000Z' },
    },
  ],
});

export const WEBHOOK_TEST = defineOperation({
  name: 'webhooks.test',
  summary: 'Sends a `webhook.test` event',
  method: 'POST',
  routes: [{ path: '/v2.0/webhooks/{id}/test', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}/test'),
  parameters: ONE_WEBHOOK,
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: WebhookDeliveryAnswer, status: 202 }],
  price: FREE,
  problems: ['not_found', 'webhook_not_active', 'too_many_tests'],
  examples: [
    {
      title: 'A pending delivery',
      parameters: { id: ID },
      answer: { ...WAITING, type: 'webhook.test' },
    },
  ],
});

export const WEBHOOK_DELIVERIES = defineOperation({
  name: 'webhooks.deliveries',
  summary: 'The deliveries of a webhook in the last 30 days, newest first',
  method: 'GET',
  routes: [{ path: '/v2.0/webhooks/{id}/deliveries', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}/deliveries'),
  parameters: { ...ONE_WEBHOOK, ...listPages(50) },
  answers: [{ type: 'application/json', of: WebhookDeliveriesAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [
    {
      title: 'One delivery',
      parameters: { id: ID },
      answer: { status: true, deliveries: [DELIVERY], paging: onePage(1, 50) },
    },
  ],
});

export const WEBHOOK_REPLAY = defineOperation({
  name: 'webhooks.replay',
  summary: 'Sends a delivery again, with the same id and data',
  method: 'POST',
  routes: [{ path: '/v2.0/webhooks/{id}/deliveries/{delivery_id}/replay', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}/deliveries/{delivery_id}/replay'),
  parameters: ONE_DELIVERY,
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: WebhookDeliveryAnswer, status: 202 }],
  price: FREE,
  problems: ['not_found', 'webhook_not_active', 'too_many_tests'],
  examples: [
    {
      title: 'A pending delivery',
      parameters: { id: ID, delivery_id: DELIVERY_ID },
      answer: WAITING,
    },
  ],
});
