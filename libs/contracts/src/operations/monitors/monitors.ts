import { byLiveKey } from '../access.js';
import { boolean, idOf, oneOf } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { onePage } from '../paging/paging-answer.js';
import {
  MonitorAnswer,
  type MonitorEvent,
  MonitorEventAnswer,
  MonitorEventsAnswer,
  MonitorsAnswer,
} from './monitor-answer.js';
import { CreateMonitorRequest, UpdateHitRequest, UpdateMonitorRequest } from './monitor-request.js';
import { HIT_STATES } from './monitor-words.js';

const LIMIT_BYTES = 65_536;
const ID = '019a5f00-0000-7000-8000-000000000031';
const EVENT_ID = '019a5f00-0000-7000-8000-000000000032';
const HIT_ID = '019a5f00-0000-7000-8000-000000000033';

const DOMAIN = {
  status: true,
  id: ID,
  kind: 'domain',
  name: 'Our shop',
  state: 'active',
  mail: true,
  created_at: '2026-11-20T10:00:00.000Z',
  watches: { domain_name: 'example.com' },
  checks: {
    dns_checked_at: '2026-11-20T10:00:05.000Z',
    whois_checked_at: '2026-11-20T10:00:06.000Z',
    dns_due_at: '2026-11-20T16:00:05.000Z',
    whois_due_at: '2026-11-21T10:00:06.000Z',
    expiry_date: '2027-08-13',
    expiry_published: true,
    dns_problem: null,
    dns_problem_detail: null,
    problem: null,
    problem_detail: null,
  },
} satisfies MonitorAnswer;
const NEW = {
  ...DOMAIN,
  checks: {
    dns_checked_at: null,
    whois_checked_at: null,
    dns_due_at: '2026-11-20T10:00:00.000Z',
    whois_due_at: '2026-11-20T10:00:00.000Z',
    expiry_date: null,
    expiry_published: null,
    dns_problem: null,
    dns_problem_detail: null,
    problem: null,
    problem_detail: null,
  },
} satisfies MonitorAnswer;
const CHANGED = {
  id: EVENT_ID,
  monitor_id: ID,
  type: 'domain.changed',
  at: '2026-11-21T10:10:00.000Z',
  domain_name: 'example.com',
  domain_unicode: 'example.com',
  changes: [
    {
      type: 'dns_ns',
      path: 'dns.NS',
      before: ['ns1.example.net', 'ns2.example.net'],
      after: ['ns1.example.org', 'ns2.example.org'],
    },
  ],
} satisfies MonitorEvent;
const HIT = {
  id: HIT_ID,
  monitor_id: ID,
  type: 'brand.match',
  at: '2026-11-21T10:10:00.000Z',
  domain_name: 'examp1e-login.com',
  domain_unicode: 'examp1e-login.com',
  match: { reason: 'looks_alike', value: 'example' },
  state: 'new',
} satisfies MonitorEvent;
const TEST = {
  status: true,
  id: EVENT_ID,
  monitor_id: ID,
  type: 'monitor.test',
  at: '2026-11-21T10:10:00.000Z',
  domain_name: 'example.com',
  domain_unicode: 'example.com',
} satisfies MonitorEventAnswer;

const OFTEN = {
  ...NEW,
  watches: { domain_name: 'example.com', interval_minutes: 15 },
  price: { credits_per_check: 1, credits_per_day_max: 92, is_short_of_credits: false },
} satisfies MonitorAnswer;

const CREATE = { kind: 'domain', name: 'Our shop', domainName: 'example.com' } as const;
const CREATE_OFTEN = { ...CREATE, interval_minutes: 15 } as const;
const CHANGE = { name: 'The shop' };
const IGNORED = { state: 'ignored' } as const;

const BY_KEY = byLiveKey('monitors', 'account');
const WORKER = (path: string) =>
  ({ service: 'worker', path: `/internal/monitors${path}` }) as const;
const FREE = { per: 'free' } as const;
/**
 * The price of a monitor with an interval. The monitor outlives the key that created it, and each check is charged when
 * it is made.
 */
const CHARGED_BY_INTERVAL = {
  per: 'free',
  later:
    'Free. With `interval_minutes`, 1 credit per answered check beyond one in 6 hours, charged as the monitor runs.',
} as const;

const DRY_RUN = {
  dry_run: {
    kind: boolean(),
    about:
      'Only returns the monitor as it would be, with its price, or the reason why it is rejected; nothing is changed, so the id of a new monitor is not valid',
    example: 'true',
    default: false,
  },
} as const;

const ONE_MONITOR = {
  id: { kind: idOf('a monitor'), about: 'Id of the monitor', example: ID, in: 'path' },
} as const;
const ONE_HIT = {
  ...ONE_MONITOR,
  event_id: { kind: idOf('an event'), about: 'Id of the event', example: HIT_ID, in: 'path' },
} as const;
const EVENTS_OF_ONE = {
  ...ONE_MONITOR,
  state: {
    kind: oneOf(HIT_STATES),
    about: 'Only found names in this state',
    example: 'new',
  },
  ...listPages(50),
} as const;

export const MONITORS = defineOperation({
  name: 'monitors.list',
  summary: 'The monitors of the account, newest first',
  method: 'GET',
  routes: [{ path: '/v2.0/monitors', version: 2 }],
  access: BY_KEY,
  owner: WORKER(''),
  parameters: listPages(50),
  answers: [{ type: 'application/json', of: MonitorsAnswer }],
  price: FREE,
  problems: [],
  examples: [
    {
      title: 'A monitor',
      parameters: {},
      answer: { status: true, monitors: [DOMAIN], paging: onePage(1, 50) },
    },
  ],
});

export const MONITOR_CREATE = defineOperation({
  name: 'monitors.create',
  summary: 'Creates a monitor for a domain, a brand or a registrant',
  description:
    'A `domain` monitor checks the DNS of `domainName` every 6 hours. It checks the registration every day, after a DNS change, and more often near the expiry date. It reports a change once a second check confirms it. A `brand` monitor compares `keyword` with each name that a source of this installation reports for the first time, or again after the name was dropped; the name may have been registered long before. A `registrant` monitor compares the published values of each new or changed registration with `owner`, `email` or `company`. A monitor reports up to 1,000 names per day; the event `monitor.limit` says that there were more. Your plan limits the number of monitors of each kind. A new or resumed domain is checked at once, and `checks` shows only what has been checked since then. If you create or resume more domain monitors in a day than your plan includes plus 10, the DNS of each further one is first checked after 6 hours, and its registration after a day. `interval_minutes` (10 to 360) checks the DNS of a domain more often: each answered check beyond one in 6 hours costs 1 credit. `price` gives the maximum per day; `dry_run=true` returns it in advance with status 200 and the credits that the account lacks for a day (`shortfall`). Events are sent by e-mail and as the webhook event `monitor.triggered`, and are listed in `events`.',
  method: 'POST',
  routes: [{ path: '/v2.0/monitors', version: 2 }],
  access: BY_KEY,
  owner: WORKER(''),
  parameters: DRY_RUN,
  body: { of: CreateMonitorRequest, limitBytes: LIMIT_BYTES, example: CREATE },
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: MonitorAnswer, status: 201 }],
  price: CHARGED_BY_INTERVAL,
  problems: ['monitor_limit_reached', 'too_many_monitors'],
  examples: [
    { title: 'A domain', parameters: {}, body: CREATE, answer: NEW },
    {
      title: 'A domain that is checked more often',
      parameters: {},
      body: CREATE_OFTEN,
      answer: OFTEN,
    },
  ],
});

export const MONITOR = defineOperation({
  name: 'monitors.get',
  summary: 'A monitor',
  method: 'GET',
  routes: [{ path: '/v2.0/monitors/{id}', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}'),
  parameters: ONE_MONITOR,
  answers: [{ type: 'application/json', of: MonitorAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [{ title: 'A domain monitor', parameters: { id: ID }, answer: DOMAIN }],
});

export const MONITOR_UPDATE = defineOperation({
  name: 'monitors.update',
  summary: 'Changes the settings of a monitor',
  description:
    'The domain, keyword or registrant cannot be changed; create another monitor instead. `dry_run=true` returns the price of another interval and changes nothing.',
  method: 'PATCH',
  routes: [{ path: '/v2.0/monitors/{id}', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}'),
  parameters: { ...ONE_MONITOR, ...DRY_RUN },
  body: { of: UpdateMonitorRequest, limitBytes: LIMIT_BYTES, example: CHANGE },
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: MonitorAnswer }],
  price: CHARGED_BY_INTERVAL,
  problems: ['not_found'],
  examples: [
    {
      title: 'Another name',
      parameters: { id: ID },
      body: CHANGE,
      answer: { ...DOMAIN, name: 'The shop' },
    },
  ],
});

export const MONITOR_DELETE = defineOperation({
  name: 'monitors.delete',
  summary: 'Removes a monitor and its events',
  method: 'DELETE',
  routes: [{ path: '/v2.0/monitors/{id}', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}'),
  parameters: ONE_MONITOR,
  answers: [{ type: 'application/json', of: MonitorAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [{ title: 'The last state', parameters: { id: ID }, answer: DOMAIN }],
});

export const MONITOR_PAUSE = defineOperation({
  name: 'monitors.pause',
  summary: 'Pauses a monitor; it no longer counts towards the limit of your plan',
  method: 'POST',
  routes: [{ path: '/v2.0/monitors/{id}/pause', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}/pause'),
  parameters: ONE_MONITOR,
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: MonitorAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [{ title: 'A pause', parameters: { id: ID }, answer: { ...DOMAIN, state: 'paused' } }],
});

export const MONITOR_RESUME = defineOperation({
  name: 'monitors.resume',
  summary: 'Resumes a paused monitor',
  method: 'POST',
  routes: [{ path: '/v2.0/monitors/{id}/resume', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}/resume'),
  parameters: ONE_MONITOR,
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: MonitorAnswer }],
  price: CHARGED_BY_INTERVAL,
  problems: ['monitor_limit_reached', 'not_found'],
  examples: [{ title: 'A resumed monitor', parameters: { id: ID }, answer: DOMAIN }],
});

export const MONITOR_TEST = defineOperation({
  name: 'monitors.test',
  summary: 'Creates a `monitor.test` event, which is delivered like any other event',
  description: 'Each monitor can be tested five times an hour. The event is kept for one day.',
  method: 'POST',
  routes: [{ path: '/v2.0/monitors/{id}/test', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}/test'),
  parameters: ONE_MONITOR,
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: MonitorEventAnswer, status: 202 }],
  price: FREE,
  problems: ['not_found', 'too_many_tests'],
  examples: [{ title: 'The event', parameters: { id: ID }, answer: TEST }],
});

export const MONITOR_EVENTS = defineOperation({
  name: 'monitors.events',
  summary: 'The events of a monitor in the last 90 days, newest first',
  method: 'GET',
  routes: [{ path: '/v2.0/monitors/{id}/events', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}/events'),
  parameters: EVENTS_OF_ONE,
  answers: [{ type: 'application/json', of: MonitorEventsAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [
    {
      title: 'One change',
      parameters: { id: ID },
      answer: { status: true, events: [CHANGED], paging: onePage(1, 50) },
    },
  ],
});

export const MONITOR_HIT_UPDATE = defineOperation({
  name: 'monitors.hit',
  summary: 'Marks a name that a monitor found as new, watched or ignored',
  method: 'PATCH',
  routes: [{ path: '/v2.0/monitors/{id}/events/{event_id}', version: 2 }],
  access: BY_KEY,
  owner: WORKER('/{id}/events/{event_id}'),
  parameters: ONE_HIT,
  body: { of: UpdateHitRequest, limitBytes: LIMIT_BYTES, example: IGNORED },
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: MonitorEventAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [
    {
      title: 'An ignored name',
      parameters: { id: ID, event_id: HIT_ID },
      body: IGNORED,
      answer: { status: true, ...HIT, state: 'ignored' },
    },
  ],
});
