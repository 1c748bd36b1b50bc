import type { MailTemplate } from '#libs/mail';

export type PasskeyChange = 'added' | 'removed' | 'all-removed' | 'copied';

const SENTENCES: Readonly<
  Record<PasskeyChange, readonly [subject: string, sentence: (passkey: string) => string]>
> = {
  added: [
    'A passkey was added to your account',
    (passkey) =>
      `the passkey ${passkey} was added to your account. It can now log in without a password or code.`,
  ],
  removed: [
    'A passkey was removed from your account',
    (passkey) =>
      `the passkey ${passkey} was removed from your account and can no longer log in. All other sessions were ended.`,
  ],
  'all-removed': [
    'Your passkeys were removed',
    () => 'all passkeys of your account were removed and can no longer log in.',
  ],
  copied: [
    'One of your passkeys may have been copied',
    (passkey) =>
      `a log-in with the passkey ${passkey} was rejected, because its signature counter did not increase. This suggests that the passkey was copied. Remove it on your security page.`,
  ],
};

export function passkeyMail(
  change: PasskeyChange,
  name = '',
): (firstName: string, dashboardUrl: string) => MailTemplate {
  const [subject, sentence] = SENTENCES[change];
  return (firstName, dashboardUrl) => ({
    subject,
    paragraphs: [
      `Hello ${firstName}, ${sentence(`“${name}”`)}`,
      'If this was not you, set a new password at once with an e-mailed link. This removes all passkeys.',
    ],
    action: { label: 'Set a new password', url: `${dashboardUrl}/password/forgot`, isLast: true },
  });
}
