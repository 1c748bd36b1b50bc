import type { MailTemplate } from '#libs/mail';
import { CONSEQUENCES } from './consequences.js';

export function deletedMail(firstName: string, dashboardUrl: string, until: Date): MailTemplate {
  return {
    subject: 'Your account was deleted',
    paragraphs: [
      `Hello ${firstName}, your account was deleted. Until ${until.toISOString().slice(0, 10)} you can restore it: log in, and the page offers it.`,
      ...CONSEQUENCES,
      'It was not you? Restore the account now and set a new password.',
    ],
    action: { label: 'Restore the account', url: `${dashboardUrl}/log-in` },
  };
}

export function restoredMail(firstName: string, dashboardUrl: string): MailTemplate {
  return {
    subject: 'Your account is restored',
    paragraphs: [
      `Hello ${firstName}, your account works again.`,
      'Its keys stay revoked. Each can be reissued with the same name and scopes.',
    ],
    action: { label: 'See the keys', url: `${dashboardUrl}/keys` },
  };
}
