import { Markup, html } from '#libs/public-http';
import { type PageContext, page } from '../pages/layout.js';
import type { MailboxMessage } from './mailbox.js';

export function mailboxPage(
  context: PageContext,
  messages: MailboxMessage[],
  ownOrigin: string,
): Markup {
  const body =
    messages.length === 0
      ? html`<p>
          No e-mails yet. Whatever this installation would send arrives here within a few seconds;
          load the page again to see it.
        </p>`
      : html`<p class="quiet">
            Newest first. A new e-mail takes a few seconds: load the page again to see it. The
            latest 50 e-mails are shown.
          </p>
          ${messages.map((message) => messageSection(message, ownOrigin))}`;
  return page(context, { title: 'Mailbox', body });
}

function messageSection(message: MailboxMessage, ownOrigin: string): Markup {
  return html`<section>
    <h2>${message.subject}</h2>
    <p class="quiet">
      <span>To ${message.to}</span>
      <span>${message.sentAt.slice(0, 19).replace('T', ' ')} UTC</span>
    </p>
    <div class="mail">${withLinks(message.text, ownOrigin)}</div>
  </section>`;
}

/** Returns the text with links to the dashboard's own pages made clickable. Any other URL stays plain text. */
function withLinks(text: string, ownOrigin: string): Markup[] {
  return text.split(/(https?:\/\/[^\s<>"]+)/).map((piece, index) => {
    const isOurs = index % 2 === 1 && (piece === ownOrigin || piece.startsWith(`${ownOrigin}/`));
    return isOurs ? html`<a href="${piece}">${piece}</a>` : html`${piece}`;
  });
}
