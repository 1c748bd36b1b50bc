import type { MailTemplate } from '#libs/mail';

export type PasskeyChange = 'added' | 'removed' | 'copied';

const SENTENCES: Readonly<Record<PasskeyChange, readonly [subject: string, sentence: string]>> = {
  added: [
    'A passkey opens your account',
    'a passkey was added: from now on it opens your account without password and code.',
  ],
  removed: [
    'A passkey no longer opens your account',
    'a passkey of your account was removed: it no longer opens your account. All other sessions were ended.',
  ],
  copied: [
    'A passkey of yours may have been copied',
    'a log-in with one of your passkeys was refused, because it counted no more uses than before, as a copy would. Remove it on your security page.',
  ],
};

/** Tells the owner what became of a passkey. */
export function passkeyMail(
  change: PasskeyChange,
): (firstName: string, dashboardUrl: string) => MailTemplate {
  const [subject, sentence] = SENTENCES[change];
  return (firstName, dashboardUrl) => ({
    subject,
    paragraphs: [
      `Hello ${firstName}, ${sentence}`,
      'It was not you? Set a new password at once, by a link to your mailbox: that removes every passkey.',
    ],
    action: { label: 'Look at it', url: `${dashboardUrl}/security` },
  });
}
