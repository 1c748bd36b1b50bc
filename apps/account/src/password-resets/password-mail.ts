import type { MailTemplate } from '#libs/mail';

export function resetMail(firstName: string, dashboardUrl: string, token: string): MailTemplate {
  return {
    subject: 'Set a new password',
    paragraphs: [
      `Hello ${firstName}, use this link to set a new password.`,
      'The link works once, within 30 minutes; older links no longer work. If you did not request it, you need not do anything: your password stays the same.',
    ],
    action: {
      label: 'Set a new password',
      url: `${dashboardUrl}/password/reset?token=${token}`,
    },
  };
}

export function passwordChangedMail(firstName: string, dashboardUrl: string): MailTemplate {
  return {
    subject: 'Your password was changed',
    paragraphs: [
      `Hello ${firstName}, the password of your account was changed and all sessions were ended.`,
      'If this was not you, set a new password at once and check your keys.',
    ],
    action: { label: 'Set a new password', url: `${dashboardUrl}/password/forgot`, isLast: true },
  };
}
