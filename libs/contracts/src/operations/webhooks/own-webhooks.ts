import { dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import {
  ONE_DELIVERY,
  ONE_WEBHOOK,
  WEBHOOKS,
  WEBHOOK_CREATE,
  WEBHOOK,
  WEBHOOK_UPDATE,
  WEBHOOK_DELETE,
  WEBHOOK_ROTATE,
  WEBHOOK_TEST,
  WEBHOOK_DELIVERIES,
  WEBHOOK_REPLAY,
} from './webhooks.js';

export const OWN_WEBHOOKS = defineOperation({
  ...WEBHOOKS,
  ...dashboardCall('worker', 'GET /api/webhooks'),
  name: 'own-webhooks.list',
  subject: undefined,
  parameters: listPages(50),
});

export const OWN_WEBHOOK_CREATE = defineOperation({
  ...WEBHOOK_CREATE,
  ...dashboardCall('worker', 'POST /api/webhooks'),
  name: 'own-webhooks.create',
  subject: undefined,
  parameters: {},
});

export const OWN_WEBHOOK = defineOperation({
  ...WEBHOOK,
  ...dashboardCall('worker', 'GET /api/webhooks/{id}'),
  name: 'own-webhooks.get',
  subject: undefined,
  parameters: ONE_WEBHOOK,
});

export const OWN_WEBHOOK_UPDATE = defineOperation({
  ...WEBHOOK_UPDATE,
  ...dashboardCall('worker', 'PATCH /api/webhooks/{id}'),
  name: 'own-webhooks.update',
  subject: undefined,
  parameters: ONE_WEBHOOK,
});

export const OWN_WEBHOOK_DELETE = defineOperation({
  ...WEBHOOK_DELETE,
  ...dashboardCall('worker', 'DELETE /api/webhooks/{id}'),
  name: 'own-webhooks.delete',
  subject: undefined,
  parameters: ONE_WEBHOOK,
});

export const OWN_WEBHOOK_ROTATE = defineOperation({
  ...WEBHOOK_ROTATE,
  ...dashboardCall('worker', 'POST /api/webhooks/{id}/rotate'),
  name: 'own-webhooks.rotate',
  subject: undefined,
  parameters: ONE_WEBHOOK,
});

export const OWN_WEBHOOK_TEST = defineOperation({
  ...WEBHOOK_TEST,
  ...dashboardCall('worker', 'POST /api/webhooks/{id}/test'),
  name: 'own-webhooks.test',
  subject: undefined,
  parameters: ONE_WEBHOOK,
});

export const OWN_WEBHOOK_DELIVERIES = defineOperation({
  ...WEBHOOK_DELIVERIES,
  ...dashboardCall('worker', 'GET /api/webhooks/{id}/deliveries'),
  name: 'own-webhooks.deliveries',
  subject: undefined,
  parameters: { ...ONE_WEBHOOK, ...listPages(50) },
});

export const OWN_WEBHOOK_REPLAY = defineOperation({
  ...WEBHOOK_REPLAY,
  ...dashboardCall('worker', 'POST /api/webhooks/{id}/deliveries/{delivery_id}/replay'),
  name: 'own-webhooks.replay',
  subject: undefined,
  parameters: ONE_DELIVERY,
});
