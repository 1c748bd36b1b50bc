import { PythonPackages } from '../../environment/python-packages.js';

export const STRIPE_PYTHON = new PythonPackages(
  'stripe-sdk',
  'test/billing/stripe-sdks/requirements.txt',
);
