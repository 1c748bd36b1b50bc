import type { OutgoingMail } from './mail.js';

/** Thrown if the recipient will never accept this mail, so retrying is useless. */
export class MailRefused extends Error {}

/**
 * The port for sending mail: SMTP, or a local mailbox on one machine. Each implementation passes the suite in
 * `transports/mail-transport.contract.ts`.
 */
export abstract class MailTransport {
  /**
   * Resolves once the mail has been accepted.
   * @throws MailRefused, UnsafeMail, or a temporary error.
   */
  abstract send(mail: OutgoingMail): Promise<void>;

  abstract close(): Promise<void>;
}
