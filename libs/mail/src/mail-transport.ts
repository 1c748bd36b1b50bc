import type { OutgoingMail } from './mail.js';

/** The recipient will never accept this mail: retrying is useless. */
export class MailRefused extends Error {}

/**
 * The port through which mail leaves: SMTP, or a local mailbox on one machine. Each implementation
 * passes the suite in `transports/mail-transport.contract.ts`.
 */
export abstract class MailTransport {
  /** Resolves once the mail was taken over. @throws MailRefused, UnsafeMail, or what may pass. */
  abstract send(mail: OutgoingMail): Promise<void>;

  abstract close(): Promise<void>;
}
