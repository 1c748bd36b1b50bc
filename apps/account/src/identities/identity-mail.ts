import type { MailTemplate } from '#libs/mail';

export function identityMail(
  change: 'connected' | 'removed',
  provider: string,
): (firstName: string, dashboardUrl: string) => MailTemplate {
  const isOn = change === 'connected';
  return (firstName, dashboardUrl) => ({
    subject: isOn
      ? `${provider} was connected to your account`
      : `${provider} was disconnected from your account`,
    paragraphs: [
      isOn
        ? `Hello ${firstName}, you can now also log in with ${provider}.`
        : `Hello ${firstName}, you can no longer log in with ${provider}. All other sessions were ended.`,
      'If this was not you, set a new password at once and check your security page.',
    ],
    action: { label: 'Open the security page', url: `${dashboardUrl}/security`, isLast: true },
  });
}
