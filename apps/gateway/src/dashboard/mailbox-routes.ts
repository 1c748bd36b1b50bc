import type { FastifyInstance } from 'fastify';
import { type MailboxMessage, mailboxPage } from './pages/mailbox.js';

/** Where mail is kept instead of being sent. */
export interface Mailbox {
  /** The newest messages first, `limit` at most. */
  newest(limit: number): Promise<MailboxMessage[]>;
}

const MESSAGES_MAX = 50;

/** `/mailbox`: the mail of an installation that sends none. Open to whoever reaches this machine's loopback. */
export function mailboxRoutes(server: FastifyInstance, mailbox: Mailbox, ownOrigin: string): void {
  server.get('/mailbox', async (request, reply) => {
    const messages = await mailbox.newest(MESSAGES_MAX);
    const context = {
      csrfToken: request.csrfToken,
      isLoggedIn: request.visitor.sessionToken !== undefined,
      hasMailbox: true,
    };
    return reply
      .type('text/html; charset=utf-8')
      .send(mailboxPage(context, messages, ownOrigin).text);
  });
}
