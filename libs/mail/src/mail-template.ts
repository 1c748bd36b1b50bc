import { escapeHtml } from '#libs/platform';
import type { Mail } from './mail.js';

/** The content of an e-mail; the layout is the same for all. */
export interface MailTemplate {
  subject: string;
  /** Paragraphs of plain text, which are never interpreted as markup. */
  paragraphs: string[];
  /**
   * The link that the recipient is asked to follow. It comes after the first paragraph, or last if the last paragraph
   * says when to follow it.
   */
  action?: { label: string; url: string; isLast?: boolean };
}

/** Composes an e-mail as text and as HTML, with every value escaped (S66, S82). */
export function composeMail(to: string, { subject, paragraphs, action }: MailTemplate): Mail {
  const asHtml = (text: string) => `<p>${escapeHtml(text)}</p>`;
  const parts = paragraphs.map((paragraph) => ({ text: paragraph, html: asHtml(paragraph) }));
  if (action) {
    const { label, url, isLast } = action;
    parts.splice(isLast ? parts.length : 1, 0, {
      text: `${label}:\n${url}`,
      html: `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`,
    });
  }
  return {
    to,
    subject,
    text: parts.map(({ text }) => text).join('\n\n'),
    html: [
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(subject)}</title>`,
      '<body style="font-family:sans-serif;max-width:36em;margin:2em auto">',
      ...parts.map(({ html }) => html),
      '</body></html>',
    ].join('\n'),
  };
}
