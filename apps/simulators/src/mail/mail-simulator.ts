import { newId } from '#libs/platform';
import { mailboxPage } from './mailbox-page.js';
import type { ReceivedMail } from './received-mail.js';
import { SmtpSink } from './smtp-sink.js';

const MAILS_MAX = 200;

/** Accepts every e-mail over SMTP and shows the latest ones on a page. */
export class MailSimulator {
  private readonly mails = new Map<string, ReceivedMail>();
  private readonly server = new SmtpSink((mail) => this.take(mail));

  /** Starts the SMTP server. @returns the value of `SMTP_URL`. */
  async start(port = 0): Promise<string> {
    return `smtp://127.0.0.1:${await this.server.listen(port)}`;
  }

  /** Lists e-mails, newest first. */
  newest(limit: number): ReceivedMail[] {
    return [...this.mails.values()].slice(-limit).reverse();
  }

  /** Renders the newest e-mails as a page for people. */
  page(): string {
    return mailboxPage(this.newest(50));
  }

  async stop(): Promise<void> {
    await this.server.close();
  }

  /** Stores an e-mail; it replaces an e-mail with the same id to the same recipient. */
  private take(mail: ReceivedMail): void {
    const key = mail.id === '' ? newId() : `${mail.id} ${mail.to}`;
    this.mails.delete(key);
    this.mails.set(key, mail);
    const [oldest] = this.mails.keys();
    if (this.mails.size > MAILS_MAX) this.mails.delete(oldest);
  }
}
