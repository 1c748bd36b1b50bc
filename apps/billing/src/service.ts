import { urlSettingOf } from '#libs/platform';
import { type Service, startWithMail } from '#libs/services';
import { BillingConfig } from './billing.config.js';
import { migrations } from './migrations/index.js';

export const billing: Service<BillingConfig> = {
  name: 'billing',
  config: BillingConfig,
  listeners: [{ port: 'BILLING_PORT' }],
  urlSetting: urlSettingOf('billing'),
  requires: ['STRIPE_API_KEY', 'BILLING_PAYPAL_CLIENT_ID'],
  outwardPorts: [443],
  connections: ['DATABASE_POOL_SIZE', 'DATABASE_MAINTENANCE_POOL_SIZE', 1],
  migrations,
  invariants: async () => (await import('./auditor/invariants.js')).BILLING_INVARIANTS,
  load: async () => {
    const { CONTROLLERS: controllers } = await import('./billing.module.js');
    const { JOBS: jobs, startBilling } = await import('./start.js');
    return { controllers, jobs, start: async (given) => startWithMail(given, startBilling) };
  },
};
