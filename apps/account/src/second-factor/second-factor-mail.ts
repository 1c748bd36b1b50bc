import type { MailTemplate } from '#libs/mail';

export type SecondFactorChange = 'on' | 'off' | 'lifted' | 'codes' | 'code-used';

const SENTENCES: Readonly<
  Record<SecondFactorChange, readonly [subject: string, sentence: string]>
> = {
  on: [
    'An authenticator app was set up',
    'an authenticator app was set up. From now on, log-ins without a passkey also ask for its code.',
  ],
  off: [
    'The authenticator app was removed',
    'the authenticator app of your account was removed. Log-ins no longer ask for a code.',
  ],
  lifted: [
    'The authenticator app was removed by the operator',
    'the operator of this service removed the authenticator app of your account on request.',
  ],
  codes: [
    'You have new recovery codes',
    'new recovery codes were created for your account. The earlier codes no longer work.',
  ],
  'code-used': [
    'A recovery code was used',
    'a recovery code of your account was used instead of the app. Each code works only once.',
  ],
};

const ADVICE = 'set a new password at once and check your sessions and keys.';
/** A new password ends an intruder's sessions, but log-ins still require a code from the intruder's app. */
const ADVICE_AFTER_SET_UP =
  'set a new password at once, which ends all sessions, and write to the operator, who can remove the app. Until then, log-ins ask for its code.';

export function secondFactorMail(
  change: SecondFactorChange,
): (firstName: string, dashboardUrl: string) => MailTemplate {
  const [subject, sentence] = SENTENCES[change];
  return (firstName, dashboardUrl) => ({
    subject,
    paragraphs: [
      `Hello ${firstName}, ${sentence}`,
      `If this was not you, ${change === 'on' ? ADVICE_AFTER_SET_UP : ADVICE}`,
    ],
    action: { label: 'Set a new password', url: `${dashboardUrl}/password/forgot`, isLast: true },
  });
}
