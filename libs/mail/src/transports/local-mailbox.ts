import type { Clock } from '#libs/platform';
import { MailTransport } from '../mail-transport.js';
import { type OutgoingMail, checkMail } from '../mail.js';

export interface KeptMail extends OutgoingMail {
  /** The time of arrival, in the format of RFC 3339. */
  sentAt: string;
}

const MAILS_MAX = 200;

/** Keeps the latest e-mails in memory, for the mailbox page of a machine that sends none. */
export class LocalMailbox extends MailTransport {
  private readonly mails = new Map<string, KeptMail>();

  constructor(private readonly clock: Clock) {
    super();
  }

  /** Stores an e-mail, in place of the oldest one if the mailbox is full. A repetition replaces the first copy. */
  async send(mail: OutgoingMail): Promise<void> {
    checkMail(mail);
    this.mails.delete(mail.id);
    this.mails.set(mail.id, { ...mail, sentAt: this.clock.now().toISOString() });
    const [oldest] = this.mails.keys();
    if (this.mails.size > MAILS_MAX) this.mails.delete(oldest);
  }

  /** Lists e-mails, newest first. */
  async newest(limit: number): Promise<KeptMail[]> {
    return [...this.mails.values()].slice(-limit).reverse();
  }

  async close(): Promise<void> {}
}
