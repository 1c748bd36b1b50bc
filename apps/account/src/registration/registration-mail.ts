import type { MailTemplate } from '#libs/mail';

/** To an address that asked for an account: proves that its owner did. */
export function confirmationMail(
  firstName: string,
  dashboardUrl: string,
  token: string,
): MailTemplate {
  return {
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Hello ${firstName}, please confirm this address to open your account.`,
      'The link works once, for 24 hours. You did not ask for an account? Then do nothing: without the confirmation there is none.',
    ],
    action: { label: 'Confirm the address', url: `${dashboardUrl}/sign-up/confirm?token=${token}` },
  };
}

/** To an address that already has an account; the page reveals nothing about it (S24). */
export function alreadyRegisteredMail(firstName: string, dashboardUrl: string): MailTemplate {
  return {
    subject: 'You already have an account',
    paragraphs: [
      `Hello ${firstName}, somebody asked for an account with this address, which has one already.`,
      'Was it you? Log in, or ask for a link to set a new password. If not, there is nothing to do.',
    ],
    action: { label: 'Log in', url: `${dashboardUrl}/log-in` },
  };
}
