import type { MailTemplate } from '#libs/mail';

/**
 * Composes the e-mail to an address that someone signed up with. Following its link proves ownership of the address.
 */
export function confirmationMail(
  firstName: string,
  dashboardUrl: string,
  token: string,
): MailTemplate {
  return {
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Hello ${firstName}, please confirm this address to open your account.`,
      'The link works once, within 24 hours. If you did not request an account, you need not do anything: without your confirmation, no account is created.',
    ],
    action: { label: 'Confirm the address', url: `${dashboardUrl}/sign-up/confirm?token=${token}` },
  };
}

/**
 * Composes the e-mail to an address that already has an account; the page does not reveal this (S24). The e-mail
 * repeats nothing that a stranger may have typed, such as a name.
 */
export function alreadyRegisteredMail(dashboardUrl: string): MailTemplate {
  return {
    subject: 'You already have an account',
    paragraphs: [
      'Someone tried to use this address for an account, but it already has one.',
      'If this was not you, you need not do anything. If it was, log in. If you forgot the password, the log-in page can send you a link to set a new one.',
    ],
    action: { label: 'Log in', url: `${dashboardUrl}/log-in`, isLast: true },
  };
}
