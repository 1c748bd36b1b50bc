import { urlSettingOf } from '#libs/platform';
import { type Service, startWithMail } from '#libs/services';
import { AccountConfig } from './account.config.js';
import { migrations } from './migrations/index.js';

export const account: Service<AccountConfig> = {
  name: 'account',
  config: AccountConfig,
  listeners: [{ port: 'ACCOUNT_PORT' }],
  urlSetting: urlSettingOf('account'),
  // The ports of the identity providers, Google and GitHub.
  outwardPorts: [443],
  connections: ['DATABASE_POOL_SIZE', 'DATABASE_MAINTENANCE_POOL_SIZE'],
  migrations,
  load: async () => {
    const { CONTROLLERS: controllers } = await import('./account.module.js');
    const { JOBS: jobs, startAccount } = await import('./start.js');
    return { controllers, jobs, start: async (given) => startWithMail(given, startAccount) };
  },
};
