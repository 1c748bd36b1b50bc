import type { OutgoingMail } from './mail.js';

/** The error for an e-mail that the recipient will never accept, so that retrying is useless. */
export class MailRefused extends Error {}

/**
 * The port for sending e-mail: SMTP, or a local mailbox on one machine. Each implementation passes the suite in
 * `transports/mail-transport.contract.ts`.
 */
export abstract class MailTransport {
  /**
   * Sends an e-mail; resolves once it has been accepted.
   * @throws MailRefused, UnsafeMail, or a temporary error.
   */
  abstract send(mail: OutgoingMail): Promise<void>;

  abstract close(): Promise<void>;
}
