import { PythonPackages } from '../../environment/python-packages.js';

/** A Python environment with Stripe's own SDK. */
export const STRIPE_PYTHON = new PythonPackages(
  'stripe-sdk',
  'test/billing/stripe-sdks/requirements.txt',
);
