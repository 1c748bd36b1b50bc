import { text } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { CreateOrderRequest, OrderAnswer, OrdersAnswer } from './order-answer.js';

const LIMIT_BYTES = 4_096;
const ID = '019a5f00-0000-7000-8000-000000000001';
const NEEDS_ID = {
  id: { kind: text(64), about: 'Id of the order', example: ID, in: 'path' },
} as const;
const COMMON = {
  access: { kind: 'session' },
  price: { per: 'free' },
  problems: [],
} as const;

const BOUGHT = {
  id: ID,
  state: 'redirected',
  processor: 'stripe',
  amount_micros: '57000000',
  tax_micros: '0',
  currency: 'USD',
  redirect_url: 'https://checkout.example/pay/1',
  created_at: '2026-11-20T10:00:00.000Z',
  expires_at: '2026-11-21T10:00:00.000Z',
  lines: [
    {
      kind: 'package',
      sku: 'package-15K',
      quantity: 1,
      amount_micros: '57000000',
      tax_micros: '0',
      credits: '15000',
    },
  ],
} satisfies OrderAnswer;

export const ORDERS = defineOperation({
  ...COMMON,
  name: 'orders.list',
  summary: 'The orders of the account, the newest first',
  method: 'GET',
  routes: [{ path: '/api/orders', version: 2 }],
  owner: { service: 'billing', path: '/internal/orders' },
  parameters: {},
  answers: [{ type: 'application/json', of: OrdersAnswer }],
  examples: [{ title: 'One order', parameters: {}, answer: { orders: [BOUGHT] } }],
});

export const ORDER_CREATE = defineOperation({
  ...COMMON,
  name: 'orders.create',
  summary: 'Orders a package or a plan and opens the page to pay on',
  description: 'A repeat with the same `Idempotency-Key` is the same order.',
  method: 'POST',
  routes: [{ path: '/api/orders', version: 2 }],
  owner: { service: 'billing', path: '/internal/orders' },
  parameters: {},
  body: {
    of: CreateOrderRequest,
    limitBytes: LIMIT_BYTES,
    example: { product: 'package', credits: 15_000, processor: 'stripe' },
  },
  answers: [{ type: 'application/json', of: OrderAnswer, status: 201 }],
  takesIdempotencyKey: true,
  examples: [{ title: 'A package', parameters: {}, answer: BOUGHT }],
});

export const ORDER = defineOperation({
  ...COMMON,
  name: 'orders.read',
  summary: 'One order',
  method: 'GET',
  routes: [{ path: '/api/orders/{id}', version: 2 }],
  owner: { service: 'billing', path: '/internal/orders/{id}' },
  parameters: NEEDS_ID,
  answers: [{ type: 'application/json', of: OrderAnswer }],
  examples: [{ title: 'An order', parameters: { id: ID }, answer: BOUGHT }],
});

export const ORDER_RETURN = defineOperation({
  ...COMMON,
  name: 'orders.return',
  summary: 'Asks the processor how an order stands, after the return from its page',
  method: 'POST',
  routes: [{ path: '/api/orders/{id}/return', version: 2 }],
  owner: { service: 'billing', path: '/internal/orders/{id}/return' },
  parameters: NEEDS_ID,
  answers: [{ type: 'application/json', of: OrderAnswer }],
  examples: [
    {
      title: 'A paid order',
      parameters: { id: ID },
      answer: { ...BOUGHT, state: 'paid', redirect_url: null },
    },
  ],
});
