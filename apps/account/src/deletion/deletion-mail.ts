import type { MailTemplate } from '#libs/mail';
import { CONSEQUENCES } from './consequences.js';

export function deletedMail(firstName: string, dashboardUrl: string, until: Date): MailTemplate {
  return {
    subject: 'Your account was deleted',
    paragraphs: [
      `Hello ${firstName}, your account was deleted. To restore it, log in before ${minuteOf(until)} and follow the instructions on the page.`,
      ...CONSEQUENCES,
      'If this was not you, restore the account now and set a new password.',
    ],
    action: { label: 'Restore the account', url: `${dashboardUrl}/log-in` },
  };
}

const minuteOf = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** @param isSuspended whether an operator has suspended the account, which a restoration does not change. */
export function restoredMail(
  firstName: string,
  dashboardUrl: string,
  isSuspended: boolean,
): MailTemplate {
  const standing = isSuspended ? 'was restored, but is still suspended' : 'works again';
  return {
    subject: 'Your account was restored',
    paragraphs: [
      `Hello ${firstName}, your account ${standing}.`,
      'Its keys stay revoked. You can reissue each key with the same name and scopes.',
      'Plans continue if their period still runs. Plans that have ended and jobs that were cancelled stay ended.',
    ],
    action: { label: 'See the keys', url: `${dashboardUrl}/keys` },
  };
}
