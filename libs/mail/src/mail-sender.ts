import type { MaintenanceDatabase } from '#libs/database';
import { type Job, type Logger, crashPoint } from '#libs/platform';
import { MailRefused, type MailTransport } from './mail-transport.js';
import { type OutgoingMail, UnsafeMail } from './mail.js';

/** Mails per run: the caller may stop between two runs. */
const RUN_MAX = 20;
/** How many of those that are due longest are looked at for the oldest. */
const DUE_LOOKED_AT = 20;
/**
 * A sender that dies leaves the one mail in its hands to others after this time: longer than the 30 s that a
 * silent server is waited for.
 */
const CLAIM_SECONDS = 40;
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
export class MailSender implements Job {
  readonly name = 'send-mail';

  constructor(
    private readonly database: MaintenanceDatabase,
    private readonly transport: MailTransport,
    private readonly logger: Logger,
  ) {}

  /** Sends what is due, at most 20. @returns how many were sent. */
  async runOnce(): Promise<number> {
    let sent = 0;
    for (let taken = 0; taken < RUN_MAX; taken++) {
      const mail = await this.claim();
      if (mail === undefined) break;
      if (await this.send(mail)) sent++;
    }
    return sent;
  }

  private async send(mail: ClaimedMail): Promise<boolean> {
    try {
      crashPoint('mail.after-claim');
      const { attempts: _, ...outgoing } = mail;
      await this.transport.send(outgoing);
      crashPoint('mail.after-send');
      await this.database.query('delete from mail where id = $1', [mail.id]);
      return true;
    } catch (error) {
      await this.noteFailure(mail, error);
      return false;
    }
  }

  /**
   * One at a time, so that a dead sender takes no others with it, and a slow server makes no claim run out unsent.
   * In the order in which they were written: of two links the newer one arrives last.
   */
  private async claim(): Promise<ClaimedMail | undefined> {
    const [mail] = await this.database.query<ClaimedMail>(
      `update mail set attempts = attempts + 1,
              next_try_at = clock_timestamp() + make_interval(secs => $1)
       where id = (select id from mail
                   where state = 'waiting' and next_try_at <= clock_timestamp()
                     and id in (select id from mail
                                where state = 'waiting' and next_try_at <= clock_timestamp()
                                order by next_try_at limit $2)
                   order by created_at limit 1 for update skip locked)
       returning id, recipient as "to", subject, text, html, attempts`,
      [CLAIM_SECONDS, DUE_LOOKED_AT],
    );
    return mail;
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
