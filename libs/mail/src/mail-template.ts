import { escapeHtml } from '#libs/platform';
import type { Mail } from './mail.js';

/** Content of a mail; the layout is the same for all. */
export interface MailTemplate {
  subject: string;
  /** Plain text; anything in it is shown as it is and never as markup. */
  paragraphs: string[];
  /** The link that the mail asks the recipient to follow. */
  action?: { label: string; url: string };
}

/** The mail as text and as HTML, every value escaped (S66, S82). */
export function composeMail(to: string, { subject, paragraphs, action }: MailTemplate): Mail {
  const [opening, ...rest] = paragraphs;
  const link =
    action && `<p><a href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a></p>`;
  const asHtml = (text: string) => `<p>${escapeHtml(text)}</p>`;
  return {
    to,
    subject,
    text: [opening, ...(action ? [`${action.label}:\n${action.url}`] : []), ...rest].join('\n\n'),
    html: [
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(subject)}</title>`,
      '<body style="font-family:sans-serif;max-width:36em;margin:2em auto">',
      asHtml(opening),
      link ?? '',
      ...rest.map(asHtml),
      '</body></html>',
    ].join('\n'),
  };
}
