import type { MaintenanceDatabase } from '#libs/database';
import { type Logger, crashPoint } from '#libs/platform';
import { MailRefused, type MailTransport } from './mail-transport.js';
import { type OutgoingMail, UnsafeMail } from './mail.js';

const BATCH = 20;
/** A sender that dies with mails in hand leaves them to others after this time. */
const CLAIM_SECONDS = 120;
const BACKOFF_MAX_SECONDS = 3_600;
/** With the back-off above: about three days. */
const ATTEMPTS_MAX = 80;

interface ClaimedMail extends OutgoingMail {
  attempts: number;
}

/**
 * Sends the mails of one schema at least once; several may run. A row is gone once its mail was taken
 * over, and without content once it is given up, so that no address stays behind.
 */
export class MailSender {
  constructor(
    private readonly database: MaintenanceDatabase,
    private readonly transport: MailTransport,
    private readonly logger: Logger,
  ) {}

  /** Sends what is due, one batch. @returns how many were sent. */
  async runOnce(): Promise<number> {
    let sent = 0;
    for (const mail of await this.claim()) {
      try {
        crashPoint('mail.after-claim');
        const { attempts: _, ...outgoing } = mail;
        await this.transport.send(outgoing);
        crashPoint('mail.after-send');
        await this.database.query('delete from mail where id = $1', [mail.id]);
        sent++;
      } catch (error) {
        await this.noteFailure(mail, error);
      }
    }
    return sent;
  }

  /** In the order in which they were written: of two links the newer one arrives last. */
  private async claim(): Promise<ClaimedMail[]> {
    return this.database.query<ClaimedMail>(
      `with claimed as (
         update mail set attempts = attempts + 1,
                next_try_at = clock_timestamp() + make_interval(secs => $1)
         where id in (select id from mail
                      where state = 'waiting' and next_try_at <= clock_timestamp()
                      order by next_try_at limit $2 for update skip locked)
         returning *)
       select id, recipient as "to", subject, text, html, attempts from claimed order by created_at`,
      [CLAIM_SECONDS, BATCH],
    );
  }

  private async noteFailure(mail: ClaimedMail, error: unknown): Promise<void> {
    const isPermanent = error instanceof MailRefused || error instanceof UnsafeMail;
    if (isPermanent || mail.attempts >= ATTEMPTS_MAX) {
      this.logger.error('a mail was given up', { mail: mail.id, reason: nameOf(error) });
      await this.database.query(
        `update mail set state = 'dead', reason = $2,
                recipient = null, subject = null, text = null, html = null where id = $1`,
        [mail.id, nameOf(error)],
      );
      return;
    }
    this.logger.warn('a mail could not be sent yet', { mail: mail.id, reason: nameOf(error) });
    const waitSeconds = Math.min(2 ** Math.min(mail.attempts, 12), BACKOFF_MAX_SECONDS);
    await this.database.query(
      `update mail set reason = $2, next_try_at = clock_timestamp() + make_interval(secs => $3)
       where id = $1`,
      [mail.id, nameOf(error), waitSeconds],
    );
  }
}

/** Never the message: servers quote the recipient in it. */
function nameOf(error: unknown): string {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return [(error as Error).name, code, responseCode].filter((part) => part !== undefined).join(' ');
}
