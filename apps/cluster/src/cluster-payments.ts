import type { ClusterOptions } from './cluster-options.js';

const PROCESSOR_KEYS = ['STRIPE_API_KEY', 'STRIPE_API_KEY_FILE', 'BILLING_PAYPAL_CLIENT_ID'];

/**
 * Returns the operator's settings of a processor. Without any, money is simulated; with a blank key, nothing is sold.
 */
export function paymentsOf(environment: NodeJS.ProcessEnv): ClusterOptions['payments'] {
  const isOperators = PROCESSOR_KEYS.some((env) => environment[env] !== undefined);
  if (!isOperators) return 'simulated';
  const given = Object.entries(environment).filter(([name]) =>
    /^(STRIPE|BILLING_PAYPAL)_/.test(name),
  );
  return Object.fromEntries(given);
}
