import { escapeHtml } from '#libs/platform';
import type { ReceivedMail } from './received-mail.js';

/** Renders e-mails as a plain page. Links to pages on this machine can be followed; everything else is text. */
export function mailboxPage(mails: ReceivedMail[]): string {
  const body =
    mails.length === 0
      ? '<p>No mail yet. Whatever the services send arrives here.</p>'
      : mails.map(mailSection).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailbox</title>
<style>
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { max-width: 45rem; margin: 0 auto; padding: 1rem; }
a { color: inherit; }
div { white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
<h1>Mailbox</h1>
${body}
</main>
</body>
</html>
`;
}

function mailSection({ to, subject, text }: ReceivedMail): string {
  return `<section>
<h2>${escapeHtml(subject)}</h2>
<p>To ${escapeHtml(to)}</p>
<div>${withLinks(text)}</div>
</section>`;
}

function withLinks(text: string): string {
  const pieces = text.split(/(http:\/\/localhost:\d+\/[^\s<>"]*)/);
  const shown = pieces.map((piece, index) =>
    index % 2 === 1 ? `<a href="${escapeHtml(piece)}">${escapeHtml(piece)}</a>` : escapeHtml(piece),
  );
  return shown.join('');
}
