import type { MailTemplate } from '#libs/mail';

export function confirmAddressMail(
  firstName: string,
  dashboardUrl: string,
  token: string,
): MailTemplate {
  return {
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      `Hello ${firstName}, please confirm that this is the new address of your account.`,
      'The link works once, within 24 hours. If you did not request it, you need not do anything.',
    ],
    action: {
      label: 'Confirm the address',
      url: `${dashboardUrl}/account/email/confirm?token=${token}`,
    },
  };
}

/** Composes the e-mail to the old address (S32). */
export function addressChangedMail(firstName: string, dashboardUrl: string): MailTemplate {
  return {
    subject: 'The e-mail address of your account was changed',
    paragraphs: [
      `Hello ${firstName}, the e-mail address of your account was changed. From now on, we will write to the new address.`,
      'If this was not you, write to the operator at once, because the owner of the new address can set a new password.',
    ],
    action: { label: 'Contact the operator', url: `${dashboardUrl}/contact`, isLast: true },
  };
}
