import type { MailTemplate } from '#libs/mail';

/** To the new address. */
export function confirmAddressMail(
  firstName: string,
  dashboardUrl: string,
  token: string,
): MailTemplate {
  return {
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      `Hello ${firstName}, please confirm that this is the new address of your account.`,
      'The link works once, for 24 hours. You did not ask for it? Then do nothing.',
    ],
    action: {
      label: 'Confirm the address',
      url: `${dashboardUrl}/account/email/confirm?token=${token}`,
    },
  };
}

/** To the old address (S32). */
export function addressChangedMail(firstName: string, dashboardUrl: string): MailTemplate {
  return {
    subject: 'The e-mail address of your account was changed',
    paragraphs: [
      `Hello ${firstName}, from now on your account has another e-mail address, and mail goes there.`,
      'It was not you? Answer this mail at once: with the new address alone a password can be set.',
    ],
    action: { label: 'Go to the dashboard', url: dashboardUrl },
  };
}
