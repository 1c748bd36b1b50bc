import type { Database, Transaction } from '#libs/database';
import type { OutgoingMail } from './mail.js';
import type { UnsentMail } from './unsent-mail.entity.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;
type StoredMail = Pick<UnsentMail, 'id' | 'accountId' | 'recipient' | 'subject' | 'text' | 'html'>;

/** SQL condition: e-mails that services of the last release have stored and are not sending. */
const LEFT = `state = 'waiting' and next_try_at <= statement_timestamp()`;

/** Reads and writes unsent e-mails. The queue decides when each is sent. */
export class MailsRepository {
  /** Stores an e-mail, hidden from senders of the last release, which select by `next_try_at`. */
  async insert(transaction: Transaction, mail: StoredMail): Promise<void> {
    const { id, accountId, recipient, subject, text, html } = mail;
    await transaction.query(
      `insert into mail (id, account_id, recipient, subject, text, html, next_try_at)
       values ($1, $2, $3, $4, $5, $6, 'infinity')`,
      [id, accountId, recipient, subject, text, html],
    );
  }

  /** Finds an e-mail to send. @returns undefined if it was sent, abandoned or deleted. */
  async find(runner: Runner, id: string): Promise<OutgoingMail | undefined> {
    const [mail] = await runner.query<OutgoingMail>(
      `select id, recipient as "to", subject, text, html from mail
       where id = $1 and state = 'waiting'`,
      [id],
    );
    return mail;
  }

  async delete(runner: Runner, id: string): Promise<void> {
    await runner.query('delete from mail where id = $1', [id]);
  }

  async deleteOfAccount(runner: Runner, accountId: string): Promise<void> {
    await runner.query('delete from mail where account_id = $1', [accountId]);
  }

  async putFailure(runner: Runner, id: string, reason: string): Promise<void> {
    await runner.query('update mail set attempts = attempts + 1, reason = $2 where id = $1', [
      id,
      reason,
    ]);
  }

  /** Marks an e-mail as dead and removes its content, so that no address remains. */
  async putDead(runner: Runner, id: string, reason: string): Promise<void> {
    await runner.query(
      `update mail set state = 'dead', attempts = attempts + 1, reason = $2,
         recipient = null, subject = null, text = null, html = null where id = $1`,
      [id, reason],
    );
  }

  /** Whether there are e-mails for `takeOver`; to be removed with that method. */
  async isAnyLeft(runner: Runner): Promise<boolean> {
    const [{ isAny }] = await runner.query<{ isAny: boolean }>(
      `select exists (select from mail where ${LEFT}) as "isAny"`,
    );
    return isAny;
  }

  /**
   * Takes over e-mails that services of the last release have stored and are not sending, at most `limit`. To be
   * removed together with the columns of that release.
   * @returns the e-mails that were taken over.
   */
  async takeOver(
    transaction: Transaction,
    limit: number,
  ): Promise<{ id: string; accountId: string }[]> {
    return transaction.query(
      `update mail set next_try_at = 'infinity'
       where id in (select id from mail where ${LEFT} order by next_try_at limit $1 for update skip locked)
       returning id, account_id as "accountId"`,
      [limit],
    );
  }
}
