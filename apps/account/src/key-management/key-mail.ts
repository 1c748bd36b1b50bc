import type { KeyAnswer } from '#libs/contracts';
import type { MailTemplate } from '#libs/mail';

export type KeyChange = 'created' | 'rotated' | 'revoked';

const SUBJECTS: Readonly<Record<KeyChange, string>> = {
  created: 'An API key was created with another key',
  rotated: 'An API key was rotated',
  revoked: 'An API key was revoked',
};

/**
 * Composes the notice that a key was changed with a key, and not on the dashboard.
 * @param key the changed key, or the replacement of `rotated`. Its name is left out: whoever has a stolen key could send
 *   the owner any text in this way.
 * @param by the calling key, whose name comes from the dashboard.
 */
export function keyMail(
  change: KeyChange,
  { masked, expires_at: end }: Pick<KeyAnswer, 'masked' | 'expires_at'>,
  by: Pick<KeyAnswer, 'name' | 'masked'>,
  rotated: Pick<KeyAnswer, 'masked'> = by,
): (firstName: string, dashboardUrl: string) => MailTemplate {
  const expiry = end === null ? 'never expires' : `expires at ${minuteOf(end)}`;
  const caller = `your key “${by.name}” (${by.masked})`;
  const sentences: Readonly<Record<KeyChange, string>> = {
    created: `the API key ${masked} was created with ${caller}. It ${expiry}.`,
    rotated: `the API key ${rotated.masked} was rotated with ${caller}. Its replacement, ${masked}, ${expiry}.`,
    revoked: `the API key ${masked} was revoked with ${caller}.`,
  };
  return (firstName, dashboardUrl) => ({
    subject: SUBJECTS[change],
    paragraphs: [
      `Hello ${firstName}, ${sentences[change]}`,
      'If this was neither you nor one of your programs, revoke these keys at once.',
    ],
    action: { label: 'Your keys', url: `${dashboardUrl}/keys`, isLast: true },
  });
}

const minuteOf = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`;
