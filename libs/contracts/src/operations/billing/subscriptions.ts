import type { Access } from '../access.js';
import type { ProblemCode } from '../openapi/problem-codes.js';
import { dashboardCall, idOf } from '../dashboard-call.js';
import type { DataClass } from '../parameter.js';
import { defineOperation } from '../operation.js';
import { PROCESSOR_TIMEOUT_MS } from './processor-answer.js';
import {
  CancelRequest,
  ChangePlanRequest,
  PaymentDetailsAnswer,
  PlanChangeAnswer,
  PlanPreviewAnswer,
  PlanRequest,
  SubscriptionAnswer,
  SubscriptionsAnswer,
} from './subscription-answer.js';

const LIMIT_BYTES = 4_096;
const ID = '019a5f00-0000-7000-8000-000000000002';

const OF_A_STEP = [
  'not_found',
  'plan_not_changeable',
  'change_refused',
  'processor_unavailable',
] as const;

const OWNED = {
  id: ID,
  line: 'api',
  state: 'active',
  sku: 'api-15K-month',
  quantity: 1,
  interval: 'month',
  amount_micros: '32130000',
  tax_micros: '5130000',
  currency: 'USD',
  processor: 'stripe',
  period_start: '2026-11-20T10:00:00.000Z',
  period_end: '2026-12-20T10:00:00.000Z',
  paid_through: '2026-12-20T10:00:00.000Z',
  cancel_at: null,
  pending_change: null,
  unpaid_change: null,
  is_current: true,
} satisfies SubscriptionAnswer;
const TO_50K = { sku: 'api-50K-month' };
const UPGRADED = { ...OWNED, ...TO_50K, amount_micros: '89250000', tax_micros: '14250000' };
const CHANGED = { subscription: OWNED, redirect_url: null } satisfies PlanChangeAnswer;

export const SUBSCRIPTIONS = defineOperation({
  ...dashboardCall('billing', 'GET /api/subscriptions'),
  name: 'subscriptions.list',
  summary: 'The subscriptions of the account',
  answers: [{ type: 'application/json', of: SubscriptionsAnswer }],
  problems: [],
  examples: [{ title: 'One plan', parameters: {}, answer: { subscriptions: [OWNED] } }],
});

export const SUBSCRIPTION = defineOperation({
  ...dashboardCall('billing', 'GET /api/subscriptions/{id}'),
  name: 'subscriptions.read',
  summary: 'One subscription',
  parameters: idOf('subscription', ID),
  answers: [{ type: 'application/json', of: SubscriptionAnswer }],
  problems: ['not_found'],
  examples: [{ title: 'A plan', parameters: { id: ID }, answer: OWNED }],
});

export const SUBSCRIPTION_PREVIEW = change({
  step: 'preview',
  summary: 'What a change of plan would cost, and when it would take effect',
  of: PlanPreviewAnswer,
  answer: {
    effect: 'now',
    due_micros: '47600000',
    tax_micros: '7600000',
    currency: 'USD',
    from: '2026-11-25T10:00:00.000Z',
    renewal_micros: '89250000',
    renews_at: '2026-12-20T10:00:00.000Z',
    credits_now: 29166,
    drops_change: null,
  } satisfies PlanPreviewAnswer,
  body: { of: PlanRequest, example: TO_50K },
  problems: ['period_not_paid'],
});

export const SUBSCRIPTION_CHANGE = change({
  step: 'change',
  summary:
    'Changes the plan: an upgrade takes effect once it is paid, a downgrade at the end of the period',
  of: PlanChangeAnswer,
  answer: { ...CHANGED, subscription: UPGRADED },
  body: { of: ChangePlanRequest, example: TO_50K },
  problems: ['account_suspended', 'period_not_paid'],
});

export const SUBSCRIPTION_CANCEL = change({
  step: 'cancel',
  summary: 'Cancels a subscription at the end of its paid period',
  of: PlanChangeAnswer,
  answer: { ...CHANGED, subscription: { ...OWNED, cancel_at: OWNED.period_end } },
  body: { of: CancelRequest, example: { reason: 'The project has ended' } },
});

export const SUBSCRIPTION_UNDO = change({
  step: 'undo',
  summary: 'Undoes a cancellation or a plan change that is due at the end of the period',
  of: PlanChangeAnswer,
  answer: CHANGED,
  problems: ['account_suspended'],
});

export const SUBSCRIPTION_DROP = change({
  step: 'drop',
  summary: 'Cancels an unpaid plan change; the plan stays the same',
  of: PlanChangeAnswer,
  answer: CHANGED,
});

export const SUBSCRIPTION_PAYMENT_DETAILS = change({
  step: 'payment-details',
  summary: 'The processor’s page for changing payment details, or for paying an overdue plan',
  of: PaymentDetailsAnswer,
  answer: { redirect_url: 'https://portal.example/1' } satisfies PaymentDetailsAnswer,
  access: { kind: 'session', needsReauthentication: true },
});

function change(row: {
  step: string;
  summary: string;
  of: DataClass;
  answer: object;
  body?: { of: DataClass; example: object };
  problems?: readonly ProblemCode[];
  access?: Access;
}) {
  const { step, summary, of, answer, body, problems = [], access } = row;
  return defineOperation({
    ...dashboardCall('billing', `POST /api/subscriptions/{id}/${step}`),
    name: `subscriptions.${step.replaceAll('-', '_')}`,
    summary,
    ...(access && { access }),
    parameters: idOf('subscription', ID),
    ...(body && { body: { ...body, limitBytes: LIMIT_BYTES } }),
    answers: [{ type: 'application/json', of }],
    limits: { timeoutMs: PROCESSOR_TIMEOUT_MS },
    problems: [...OF_A_STEP, ...problems],
    examples: [{ title: 'A plan', parameters: { id: ID }, answer }],
  });
}
