import type { KeyAnswer, SubscriptionAnswer } from '#libs/contracts';

/** The ids in the manual's examples, and answers that several examples share. */
export const ACCOUNT = '019a5f00-0000-7000-8000-000000000001';
export const PAYMENT = '019a5f00-0000-7000-8000-000000000002';
export const OTHER = '019a5f00-0000-7000-8000-000000000003';
export const AT = '2026-11-20T10:00:00.000Z';
export const REASON = `--reason 'ticket 812'`;
export const REFUND = {
  refundId: OTHER,
  paymentId: PAYMENT,
  state: 'requested',
  scope: 'whole',
  amountMicros: '54000000',
  credits: '15000',
  from: AT,
  plan: 'ends',
  retryAt: AT,
};

export const FAILED_EVENT = {
  service: 'entitlement',
  consumer: 'entitlement',
  eventId: OTHER,
  arrival: '17',
  topic: 'billing.events',
  bucket: 3,
  key: ACCOUNT,
  type: 'PaymentConfirmed',
  body: '{…}',
  state: 'dead',
  reason: 'no such order',
  attempts: 3,
  failedAt: AT,
  nextTryAt: AT,
  settledAt: AT,
};

export const FAILED_WORK = {
  service: 'billing',
  id: OTHER,
  queue: 'print-invoices',
  name: 'invoice 41',
  state: 'dead',
  tries: 8,
  reason: 'Error: the key does not match',
  addedAt: AT,
};

export const KEY: KeyAnswer = {
  id: OTHER,
  name: 'Server',
  environment: 'live',
  masked: 'dds_live_…a1B2',
  state: 'revoked',
  scopes: ['whois'],
  allowed_addresses: ['198.51.100.0/24'],
  daily_credit_cap: 1_000,
  created_at: AT,
  expires_at: AT,
  last_used_at: AT,
  replaced_by: OTHER,
  revoked_because: 'owner',
  rank: 1,
};

export const SUBSCRIPTION: SubscriptionAnswer = {
  id: OTHER,
  line: 'api',
  state: 'active',
  sku: 'api-15K-month',
  quantity: 1,
  interval: 'month',
  amount_micros: '27000000',
  tax_micros: '0',
  currency: 'USD',
  processor: 'stripe',
  period_start: AT,
  period_end: AT,
  paid_through: AT,
  cancel_at: AT,
  pending_change: null,
  unpaid_change: null,
  is_current: true,
};

export const SOURCE = {
  name: 'com',
  kind: 'zone',
  location: '/data/zones/com',
  isShown: true,
  isSold: false,
  isLookedUp: true,
  everyMs: 86_400_000,
};
export const LISTED_SOURCE = {
  ...SOURCE,
  dueAt: AT,
  runStartedAt: AT,
  runEndedAt: AT,
  runProblem: null,
  fileProblem: null,
  observations: 50_000,
  updatedAt: AT,
};
export const IMPORTED_FILE = {
  file: 'com-20261120.zone.gz',
  digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  observedAt: AT,
  state: 'loaded',
  isDifference: false,
  lines: 125_002,
  position: 125_002,
  slices: 64,
  badLines: 1,
  badSamples: [{ line: 812, text: 'no record' }],
  newNames: 50_000,
  changedNames: 0,
  droppedNames: 0,
  problem: null,
};
