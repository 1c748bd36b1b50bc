import { LocalMailbox, SmtpTransport } from '#libs/mail';
import { type Service, started } from '#libs/services';
import { AccountConfig } from './account.config.js';
import { CONTROLLERS } from './account.module.js';
import { migrations } from './migrations/index.js';
import { JOBS, startAccount } from './start.js';

/** Accounts, people, sessions, keys: who somebody is. */
export const account: Service<AccountConfig> = {
  name: 'account',
  config: AccountConfig,
  listeners: [{ port: 'ACCOUNT_PORT' }],
  urlSetting: 'ACCOUNT_URL',
  migrations,
  controllers: CONTROLLERS,
  jobs: JOBS,
  start: async (given) => {
    if (given.mail) return started(await startAccount({ ...given, mail: given.mail }));
    const { smtpUrl, mailFrom: from } = given.config;
    const mail = smtpUrl
      ? new SmtpTransport({ url: smtpUrl, from })
      : new LocalMailbox(given.clock);
    const running = started(await startAccount({ ...given, mail }));
    return { ...running, stop: async () => running.stop().finally(() => mail.close()) };
  },
};
