import { type Transporter, createTransport } from 'nodemailer';
import { isLoopbackHost } from '#libs/platform';
import { MailRefused, MailTransport } from '../mail-transport.js';
import { type OutgoingMail, checkMail } from '../mail.js';

export interface SmtpOptions {
  /**
   * `smtp://user:password@host:port`, or `smtps:`. With `smtp:`, another machine must offer STARTTLS, unless the URL
   * ends with `?requireTLS=false`. A function can replace the string; it is called for each e-mail.
   */
  url: string | (() => string);
  /** The sender, as `Name <address>`. */
  from: string;
  /** The address for replies; by default, the sender's address. */
  replyTo?: string;
}

const CONNECTIONS = 3;
const CONNECT_TIMEOUT_MS = 5_000;
const SOCKET_TIMEOUT_MS = 20_000;

/** The commands whose refusal depends on the recipient or the content. */
const OF_THE_MAIL = ['RCPT TO', 'DATA'];
/**
 * Matches the answer of a server that refuses a recipient because of us: `554 5.7.1 Relay access denied`, `550 relay
 * not permitted`, `554 5.7.1 Client host blocked`. Many servers say only here that a log-in is missing.
 */
const OF_THE_SENDER = /\brelay|authenticat|client host/i;

/** Members of nodemailer's errors. */
interface SmtpFailure {
  responseCode?: number;
  command?: string;
  response?: string;
}

/** Passes e-mails to a server that delivers them (RFC 5321). */
export class SmtpTransport extends MailTransport {
  private transporter: Transporter;
  private url: string;

  constructor(private readonly options: SmtpOptions) {
    super();
    this.url = this.urlNow();
    this.transporter = openTransporter(this.url);
  }

  async send(mail: OutgoingMail): Promise<void> {
    checkMail(mail);
    this.followUrl();
    try {
      await this.transporter.sendMail({
        from: this.options.from,
        replyTo: this.options.replyTo,
        to: { name: '', address: mail.to },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: `<${mail.id}@${this.options.from.split('@').at(-1)?.replace('>', '')}>`,
      });
    } catch (error) {
      const { responseCode = 0, command = '', response = '' } = error as SmtpFailure;
      // A code 5yz is permanent (RFC 5321 §4.2.1) if it refuses the recipient or the e-mail. If it refuses us or our
      // log-in, an operator can change the settings.
      const words = response.split(/\s+/).filter((word) => !word.includes('@'));
      const isOfSender = command === 'RCPT TO' && OF_THE_SENDER.test(words.join(' '));
      const isPermanent = responseCode >= 500 && OF_THE_MAIL.includes(command) && !isOfSender;
      throw isPermanent
        ? new MailRefused('the server rejected the e-mail', { cause: error })
        : error;
    }
  }

  /**
   * Checks that the server accepts a connection, TLS and our log-in; sends nothing.
   * @throws the error of the connection or the server.
   */
  async check(): Promise<void> {
    await this.transporter.verify();
  }

  async close(): Promise<void> {
    this.transporter.close();
  }

  private urlNow(): string {
    const { url } = this.options;
    return typeof url === 'string' ? url : url();
  }

  private followUrl(): void {
    const url = this.urlNow();
    if (url === this.url) return;
    this.transporter.close();
    [this.url, this.transporter] = [url, openTransporter(url)];
  }
}

function openTransporter(url: string): Transporter {
  const { hostname, searchParams } = new URL(url);
  // If somebody in between removed the offer of STARTTLS, the password and the links in e-mails would be readable.
  const requireTLS = !isLoopbackHost(hostname) && searchParams.get('requireTLS') !== 'false';
  return createTransport({
    url,
    requireTLS,
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as Parameters<typeof createTransport>[0]);
}
