import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import { MailQueue } from './mail-queue.js';
import { type Mail, checkMail } from './mail.js';
import { MailsRepository } from './mails.repository.js';

export class MailOutbox {
  private readonly mails = new MailsRepository();

  /** @param queue the sender's queue, which is woken for each e-mail. */
  constructor(private readonly queue = new MailQueue()) {}

  /**
   * Stores an e-mail and queues it. It is sent after the transaction has committed.
   * @param accountId the account of the e-mail; erasing the account removes the e-mail.
   * @throws UnsafeMail if `checkMail` rejects it.
   */
  async add(transaction: Transaction, accountId: string, mail: Mail): Promise<void> {
    checkMail(mail);
    const { to: recipient, subject, text, html } = mail;
    const id = newId();
    await this.mails.insert(transaction, { id, accountId, recipient, subject, text, html });
    await this.queue.add(transaction, { name: id, payload: { mailId: id }, accountId });
  }

  /** Removes an e-mail whose work an operator has discarded; its row would otherwise count as unsent forever. */
  async discard(transaction: Transaction, mailId: string): Promise<void> {
    await this.mails.delete(transaction, mailId);
  }

  /** Removes an account's e-mails that have not been sent. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.mails.deleteOfAccount(transaction, accountId);
    await this.queue.forget(transaction, accountId);
  }
}
