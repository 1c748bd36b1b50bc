import { LocalMailbox, type MailTransport, type OutgoingMail, SmtpTransport } from '#libs/mail';
import type { Clock } from '#libs/platform';
import { DEMO_EMAIL } from '../demo/demo-account.js';

export interface SoloMail {
  transport: MailTransport;
  /** Keeps the demo account's e-mails and, without a mail server, the e-mails to all accounts. */
  mailbox: LocalMailbox;
  /** Whether e-mails leave this machine. If they do, no page shows the mailbox. */
  isSent: boolean;
}

interface MailSettings {
  smtpUrl?: string;
  mailFrom: string;
  contactAddress?: string;
}

/** Returns the configured mail server or, without one, the mailbox that the dashboard shows. */
export function soloMail(
  { smtpUrl, mailFrom, contactAddress }: MailSettings,
  clock: Clock,
): SoloMail {
  const mailbox = new LocalMailbox(clock);
  if (smtpUrl === undefined) return { transport: mailbox, mailbox, isSent: false };
  const smtp = new SmtpTransport({ url: smtpUrl, from: mailFrom, replyTo: contactAddress });
  return { transport: new SentMail(smtp, mailbox), mailbox, isSent: true };
}

/**
 * Sends every e-mail except those to the demo account, whose address does not exist. The program reads these e-mails
 * itself during the start.
 */
class SentMail implements MailTransport {
  constructor(
    private readonly smtp: MailTransport,
    private readonly kept: MailTransport,
  ) {}

  send(mail: OutgoingMail): Promise<void> {
    return mail.to === DEMO_EMAIL ? this.kept.send(mail) : this.smtp.send(mail);
  }

  close(): Promise<void> {
    return this.smtp.close();
  }
}
