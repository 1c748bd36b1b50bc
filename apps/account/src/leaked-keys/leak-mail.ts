import type { KeyAnswer } from '#libs/contracts';
import type { MailTemplate } from '#libs/mail';

const URL_LENGTH_MAX = 300;

/**
 * Composes the notice that a published key was revoked.
 * @param url where the key was found, as reported; left out unless it is a URL of moderate length.
 */
export function leakMail(
  { name, masked }: Pick<KeyAnswer, 'name' | 'masked'>,
  url: string,
): (firstName: string, dashboardUrl: string) => MailTemplate {
  const isShown = url.length <= URL_LENGTH_MAX && URL.canParse(url);
  const place = isShown ? `at ${url}` : 'in a public place';
  return (firstName, dashboardUrl) => ({
    subject: 'A published API key was revoked',
    paragraphs: [
      `Hello ${firstName}, GitHub found your API key “${name}” (${masked}) ${place}. Anybody could have used it, so it was revoked at once.`,
      'Create a new key for the programs that used it, keep it out of your source code, and look for requests on the page “Requests” that are not yours.',
    ],
    action: { label: 'Your keys', url: `${dashboardUrl}/keys`, isLast: true },
  });
}
