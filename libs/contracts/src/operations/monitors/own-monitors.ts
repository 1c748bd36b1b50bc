import { dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import {
  DRY_RUN,
  EVENTS_OF_ONE,
  MONITOR,
  MONITORS,
  MONITOR_CREATE,
  MONITOR_DELETE,
  MONITOR_EVENTS,
  MONITOR_HIT_UPDATE,
  MONITOR_PAUSE,
  MONITOR_RESUME,
  MONITOR_TEST,
  MONITOR_UPDATE,
  ONE_HIT,
  ONE_MONITOR,
} from './monitors.js';

export const OWN_MONITORS = defineOperation({
  ...MONITORS,
  ...dashboardCall('worker', 'GET /api/monitors'),
  name: 'own-monitors.list',
  subject: undefined,
  parameters: listPages(50),
});

export const OWN_MONITOR_CREATE = defineOperation({
  ...MONITOR_CREATE,
  ...dashboardCall('worker', 'POST /api/monitors'),
  name: 'own-monitors.create',
  subject: undefined,
  parameters: DRY_RUN,
});

export const OWN_MONITOR = defineOperation({
  ...MONITOR,
  ...dashboardCall('worker', 'GET /api/monitors/{id}'),
  name: 'own-monitors.get',
  subject: undefined,
  parameters: ONE_MONITOR,
});

export const OWN_MONITOR_UPDATE = defineOperation({
  ...MONITOR_UPDATE,
  ...dashboardCall('worker', 'PATCH /api/monitors/{id}'),
  name: 'own-monitors.update',
  subject: undefined,
  parameters: ONE_MONITOR,
});

export const OWN_MONITOR_DELETE = defineOperation({
  ...MONITOR_DELETE,
  ...dashboardCall('worker', 'DELETE /api/monitors/{id}'),
  name: 'own-monitors.delete',
  subject: undefined,
  parameters: ONE_MONITOR,
});

export const OWN_MONITOR_PAUSE = defineOperation({
  ...MONITOR_PAUSE,
  ...dashboardCall('worker', 'POST /api/monitors/{id}/pause'),
  name: 'own-monitors.pause',
  subject: undefined,
  parameters: ONE_MONITOR,
});

export const OWN_MONITOR_RESUME = defineOperation({
  ...MONITOR_RESUME,
  ...dashboardCall('worker', 'POST /api/monitors/{id}/resume'),
  name: 'own-monitors.resume',
  subject: undefined,
  parameters: ONE_MONITOR,
});

export const OWN_MONITOR_TEST = defineOperation({
  ...MONITOR_TEST,
  ...dashboardCall('worker', 'POST /api/monitors/{id}/test'),
  name: 'own-monitors.test',
  subject: undefined,
  parameters: ONE_MONITOR,
});

export const OWN_MONITOR_EVENTS = defineOperation({
  ...MONITOR_EVENTS,
  ...dashboardCall('worker', 'GET /api/monitors/{id}/events'),
  name: 'own-monitors.events',
  subject: undefined,
  parameters: EVENTS_OF_ONE,
});

export const OWN_MONITOR_HIT_UPDATE = defineOperation({
  ...MONITOR_HIT_UPDATE,
  ...dashboardCall('worker', 'PATCH /api/monitors/{id}/events/{event_id}'),
  name: 'own-monitors.hit',
  subject: undefined,
  parameters: ONE_HIT,
});
