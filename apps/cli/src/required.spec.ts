import { expect, it } from '@jest/globals';
import { required } from './required.js';

it('a command whose setting is missing names it, and says where solo and a cluster keep their settings', () => {
  const missing = () => required({ url: undefined as string | undefined }, 'url', 'ACCOUNT_URL');
  expect(missing).toThrow('ACCOUNT_URL: this command needs it');
  expect(missing).toThrow('.data/operator.env');
  expect(missing).toThrow('such as DATABASE_ADMIN_URL: unset that');
  expect(missing).toThrow(
    'node_modules/.bin/node --env-file=.data/cluster/operator.env dist/apps/cli/src/main.js',
  );
});
