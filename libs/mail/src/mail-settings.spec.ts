import { expect, it } from '@jest/globals';
import { loadConfig } from '#libs/platform';
import { MAIL_FROM_DEFAULT, MailFrom } from './mail-settings.js';

class Config {
  @MailFrom()
  mailFrom: string = MAIL_FROM_DEFAULT;
}

it.each(['Example', 'no-reply', 'Example <no-reply>', 'Example <a@example.com', '<>'])(
  'the sender %j, which has no address, is rejected',
  (given) => {
    expect(() => loadConfig(Config, { MAIL_FROM: given })).toThrow(/MAIL_FROM: must be `Name/);
  },
);

it.each(['', 'a@example.com', 'Example, Inc. <a@example.com>', '"Übung" <a@example.com>'])(
  'the sender %j is accepted',
  (given) => {
    const { mailFrom } = loadConfig(Config, { MAIL_FROM: given });
    expect(mailFrom).toBe(given || MAIL_FROM_DEFAULT);
  },
);
