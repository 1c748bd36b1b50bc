import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#libs/platform';
import { PaymentsSimulator } from '../../../apps/simulators/src/payments/payments-simulator.js';
import { purchasesInNode } from './purchases.js';
import { STRIPE_PYTHON } from './python-sdk.js';

const invalid = (status: number, code: string | null, param: string | null) => [
  status,
  'invalid_request_error',
  code,
  param,
];

/** Stripe's documented answers, step by step (docs.stripe.com/api/errors and /error-codes). */
const AS_STRIPE = [
  'true',
  [400, 'idempotency_error', null, null],
  invalid(400, 'amount_too_small', null),
  invalid(400, 'resource_missing', 'customer'),
  invalid(400, 'parameter_missing', 'line_items'),
  invalid(400, 'parameter_unknown', 'line_items[0][colour]'),
  ['complete', 'paid', 1900],
  invalid(400, null, 'amount'),
  'succeeded',
  invalid(400, 'charge_already_refunded', null),
  invalid(400, 'resource_missing', 'payment_intent'),
  1,
  'canceled',
  invalid(404, 'resource_missing', 'id'),
  invalid(404, 'resource_missing', 'id'),
  [true, true],
];

describe('Stripe’s own SDKs against the simulator', () => {
  const simulator = new PaymentsSimulator(new SystemClock());
  let url: string;
  beforeAll(async () => {
    url = await simulator.start();
  });
  afterAll(() => simulator.stop());

  it('for Node: purchases, rejections, replays and pages behave like Stripe', async () => {
    expect(await purchasesInNode(url, 'node')).toEqual(AS_STRIPE);
  });

  (STRIPE_PYTHON.availability() === undefined ? it : it.skip)(
    'for Python: purchases, rejections, replays and pages behave like Stripe',
    async () => {
      const python = await STRIPE_PYTHON.python();
      const script = resolve('test/billing/stripe-sdks/purchases.py');
      const { stdout } = await promisify(execFile)(python, [script, url, 'python']);
      expect(JSON.parse(stdout)).toEqual(AS_STRIPE);
    },
    360_000,
  );
});
