import type { MailTemplate } from '#libs/mail';

export type PasskeyChange = 'added' | 'removed' | 'all-removed' | 'copied';

/** What happened, for a passkey in quotation marks. */
const SENTENCES: Readonly<
  Record<PasskeyChange, readonly [subject: string, sentence: (passkey: string) => string]>
> = {
  added: [
    'A passkey opens your account',
    (passkey) =>
      `the passkey ${passkey} was added: from now on it opens your account without password and code.`,
  ],
  removed: [
    'A passkey no longer opens your account',
    (passkey) =>
      `the passkey ${passkey} was removed: it no longer opens your account. All other sessions were ended.`,
  ],
  'all-removed': [
    'Passkeys no longer open your account',
    () => 'the passkeys of your account were removed: they no longer open it.',
  ],
  copied: [
    'A passkey of yours may have been copied',
    (passkey) =>
      `a log-in with the passkey ${passkey} was refused, because it counted no more uses than before, as a copy would. Remove it on your security page.`,
  ],
};

/** Tells the owner what became of a passkey. @param name what the owner calls it. */
export function passkeyMail(
  change: PasskeyChange,
  name = '',
): (firstName: string, dashboardUrl: string) => MailTemplate {
  const [subject, sentence] = SENTENCES[change];
  return (firstName, dashboardUrl) => ({
    subject,
    paragraphs: [
      `Hello ${firstName}, ${sentence(`“${name}”`)}`,
      'It was not you? Set a new password at once, by a link to your mailbox: that removes every passkey.',
    ],
    action: { label: 'Look at it', url: `${dashboardUrl}/security` },
  });
}
