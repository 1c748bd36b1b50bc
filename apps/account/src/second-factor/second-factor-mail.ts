import type { MailTemplate } from '#libs/mail';

export type SecondFactorChange = 'on' | 'off' | 'lifted' | 'codes' | 'code-used';

const SENTENCES: Readonly<
  Record<SecondFactorChange, readonly [subject: string, sentence: string]>
> = {
  on: [
    'An authenticator app was set up',
    'an authenticator app was set up: from now on a log-in also asks for its code.',
  ],
  off: [
    'The authenticator app was removed',
    'the authenticator app of your account was removed: a log-in asks for no code any more.',
  ],
  lifted: [
    'The authenticator app was removed by the operator',
    'the operator of this service removed the authenticator app of your account, because somebody asked for it.',
  ],
  codes: [
    'You have new recovery codes',
    'new recovery codes were made for your account. The earlier ones no longer work.',
  ],
  'code-used': [
    'A recovery code was used',
    'a recovery code of your account was used in place of the app. It works only once.',
  ],
};

/** Tells the owner of every change of the second step. */
export function secondFactorMail(
  change: SecondFactorChange,
): (firstName: string, dashboardUrl: string) => MailTemplate {
  const [subject, sentence] = SENTENCES[change];
  return (firstName, dashboardUrl) => ({
    subject,
    paragraphs: [
      `Hello ${firstName}, ${sentence}`,
      'It was not you? Set a new password at once, and look through your sessions and keys.',
    ],
    action: { label: 'Set a new password', url: `${dashboardUrl}/password/forgot` },
  });
}
