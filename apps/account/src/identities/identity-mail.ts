import type { MailTemplate } from '#libs/mail';

/** Tells the owner that a log-in of another provider opens the account, or does no more. */
export function identityMail(
  change: 'connected' | 'removed',
  provider: string,
): (firstName: string, dashboardUrl: string) => MailTemplate {
  const isOn = change === 'connected';
  return (firstName, dashboardUrl) => ({
    subject: isOn ? `${provider} opens your account` : `${provider} no longer opens your account`,
    paragraphs: [
      isOn
        ? `Hello ${firstName}, from now on you can log in with ${provider}, too.`
        : `Hello ${firstName}, a log-in with ${provider} opens your account no more.`,
      'It was not you? Set a new password at once, and look through your security page.',
    ],
    action: { label: 'Look at it', url: `${dashboardUrl}/security` },
  });
}
