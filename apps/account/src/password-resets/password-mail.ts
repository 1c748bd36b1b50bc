import type { MailTemplate } from '#libs/mail';

export function resetMail(firstName: string, dashboardUrl: string, token: string): MailTemplate {
  return {
    subject: 'Set a new password',
    paragraphs: [
      `Hello ${firstName}, with this link you can set a new password.`,
      'It works once, for 30 minutes; older links no longer work. You did not ask for it? Then there is nothing to do: your password stays as it is.',
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
      'It was not you? Set a new password at once, and look through your keys.',
    ],
    action: { label: 'Set a new password', url: `${dashboardUrl}/password/forgot` },
  };
}
