import { dashboardCall, idOf } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { onePage } from '../paging/paging-answer.js';
import { CreateOrderRequest, OrderAnswer, OrdersAnswer } from './order-answer.js';
import { PROCESSOR_TIMEOUT_MS } from './processor-answer.js';

const LIMIT_BYTES = 4_096;
const WAITING = { timeoutMs: PROCESSOR_TIMEOUT_MS };
const ID = '019a5f00-0000-7000-8000-000000000001';

const BOUGHT = {
  id: ID,
  state: 'redirected',
  processor: 'stripe',
  amount_micros: '54000000',
  tax_micros: '0',
  currency: 'USD',
  redirect_url: 'https://checkout.example/pay/1',
  declined_at: null,
  created_at: '2026-11-20T10:00:00.000Z',
  expires_at: '2026-11-20T11:00:00.000Z',
  lines: [
    {
      kind: 'package',
      sku: 'package-15000',
      quantity: 1,
      amount_micros: '54000000',
      tax_micros: '0',
      credits: '15000',
    },
  ],
} satisfies OrderAnswer;

export const ORDERS = defineOperation({
  ...dashboardCall('billing', 'GET /api/orders'),
  name: 'orders.list',
  summary: 'The orders of the account, newest first',
  parameters: listPages(50),
  answers: [{ type: 'application/json', of: OrdersAnswer }],
  problems: [],
  examples: [
    { title: 'One order', parameters: {}, answer: { orders: [BOUGHT], paging: onePage(1, 50) } },
  ],
});

export const ORDER_CREATE = defineOperation({
  ...dashboardCall('billing', 'POST /api/orders'),
  name: 'orders.create',
  summary: 'Orders a package or a plan and opens the payment page',
  description: 'A repeated request with the same `Idempotency-Key` returns the same order.',
  body: {
    of: CreateOrderRequest,
    limitBytes: LIMIT_BYTES,
    example: { product: 'package', credits: 15_000, processor: 'stripe' },
  },
  answers: [{ type: 'application/json', of: OrderAnswer, status: 201 }],
  limits: WAITING,
  problems: [
    'account_suspended',
    'base_missing',
    'billing_details_missing',
    'debt_open',
    'subscription_exists',
    'too_many_open_orders',
    'checkout_refused',
    'processor_unavailable',
  ],
  takesIdempotencyKey: true,
  examples: [{ title: 'A package', parameters: {}, answer: BOUGHT }],
});

export const ORDER = defineOperation({
  ...dashboardCall('billing', 'GET /api/orders/{id}'),
  name: 'orders.read',
  summary: 'One order',
  parameters: idOf('order', ID),
  answers: [{ type: 'application/json', of: OrderAnswer }],
  problems: ['not_found'],
  examples: [{ title: 'An order', parameters: { id: ID }, answer: BOUGHT }],
});

export const ORDER_RETURN = defineOperation({
  ...dashboardCall('billing', 'POST /api/orders/{id}/return'),
  name: 'orders.return',
  summary:
    'Fetches the state of an order from the processor, after the return from the payment page',
  parameters: idOf('order', ID),
  answers: [{ type: 'application/json', of: OrderAnswer }],
  limits: WAITING,
  problems: ['not_found'],
  examples: [
    {
      title: 'A paid order',
      parameters: { id: ID },
      answer: { ...BOUGHT, state: 'paid', redirect_url: null },
    },
  ],
});

export const ORDER_DROP = defineOperation({
  ...dashboardCall('billing', 'POST /api/orders/{id}/drop'),
  name: 'orders.drop',
  summary: 'Cancels an unpaid order and closes its payment page',
  description: 'If the order was paid in the meantime, it is kept, and the answer says so.',
  parameters: idOf('order', ID),
  answers: [{ type: 'application/json', of: OrderAnswer }],
  limits: WAITING,
  problems: ['not_found', 'processor_unavailable'],
  examples: [
    {
      title: 'A cancelled order',
      parameters: { id: ID },
      answer: { ...BOUGHT, state: 'cancelled', redirect_url: null },
    },
  ],
});
