import type { MaintenanceDatabase } from '#libs/database';
import { type Logger, SECOND_MS, crashPoint } from '#libs/platform';
import { type Work, WorkRunner } from '#libs/work';
import { MailQueue, type MailWork } from './mail-queue.js';
import { MailRefused, type MailTransport } from './mail-transport.js';
import { type OutgoingMail, UnsafeMail } from './mail.js';
import { MailsRepository } from './mails.repository.js';

/** The time limit for sending an e-mail, longer than the 30 s for which a sender waits for a silent server. */
const SEND_LIMIT_MS = 40 * SECOND_MS;
/** The pauses between attempts: 2, 4, 8 … seconds, at most an hour. */
const BACK_OFF_MS = Array.from({ length: 12 }, (_, n) => Math.min(2 ** (n + 1), 3_600) * SECOND_MS);
/** The maximum number of attempts: with these pauses, the last follows about three days after the first. */
const TRIES_MAX = 80;
const TAKEN_OVER_AT_ONCE = 100;

/**
 * Sends the e-mails of one schema at least once; several senders may run. Of the due e-mails to an account, the oldest
 * is sent first, so the newer of two links normally arrives last. A row is deleted once its e-mail was accepted; the
 * content of an abandoned e-mail is also deleted.
 */
export class MailSender extends WorkRunner<MailWork> {
  private readonly mails = new MailsRepository();

  constructor(
    private readonly database: MaintenanceDatabase,
    private readonly transport: MailTransport,
    private readonly logger: Logger,
    queue = new MailQueue(),
  ) {
    super({
      queue,
      database,
      logger,
      backOffMs: BACK_OFF_MS,
      // The sender itself abandons e-mails and records this in their rows.
      triesMax: Infinity,
      timeLimitMs: SEND_LIMIT_MS,
      // E-mails are sent one at a time, because a slow server should not get a second connection.
      concurrency: 1,
    });
  }

  override async runOnce(): Promise<void> {
    await this.takeOver();
    await super.runOnce();
  }

  protected override async handle(work: Work<MailWork>): Promise<void> {
    const mail = await this.mails.find(this.database, work.payload.mailId);
    if (mail === undefined) return;
    try {
      if (work.tries > TRIES_MAX) throw new MailRefused('tried too often');
      crashPoint('mail.after-claim');
      await this.transport.send(mail);
    } catch (error) {
      await this.noteFailure(work, mail, error);
      return;
    }
    crashPoint('mail.after-send');
    await this.database.transaction(async (transaction) => {
      await this.mails.delete(transaction, mail.id);
      await work.finish(transaction);
    });
  }

  protected override reasonOf(error: unknown): string {
    return nameOf(error);
  }

  /** Records a failed attempt. @throws the given error if the queue should retry the e-mail. */
  private async noteFailure(
    work: Work<MailWork>,
    mail: OutgoingMail,
    error: unknown,
  ): Promise<void> {
    const isPermanent = error instanceof MailRefused || error instanceof UnsafeMail;
    if (!isPermanent && work.tries < TRIES_MAX) {
      await this.mails.putFailure(this.database, mail.id, nameOf(error));
      throw error;
    }
    await this.database.transaction(async (transaction) => {
      await this.mails.putDead(transaction, mail.id, nameOf(error));
      await work.finish(transaction);
    });
    this.logger.error('an e-mail was given up', { mail: mail.id, reason: nameOf(error) });
  }

  private async takeOver(): Promise<void> {
    if (!(await this.mails.isAnyLeft(this.database))) return;
    await this.database.transaction(async (transaction) => {
      const left = await this.mails.takeOver(transaction, TAKEN_OVER_AT_ONCE);
      const works = left.map(({ id, accountId }) => ({
        name: id,
        payload: { mailId: id },
        accountId,
      }));
      if (works.length > 0) await this.queue.addAll(transaction, works);
    });
  }
}

/**
 * Returns the name of an error and the codes of its cause, never a message, because servers quote the recipient in
 * messages.
 */
function nameOf(error: unknown): string {
  const { constructor, cause } = error as Error;
  const { code, responseCode } = (cause ?? error) as { code?: string; responseCode?: number };
  return [constructor.name, code, responseCode].filter((part) => part !== undefined).join(' ');
}
