import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import { type Mail, checkMail } from './mail.js';
import { UnsentMail } from './unsent-mail.entity.js';

/** Where a service writes its mails, in the transaction that gives the reason for them. */
export class MailOutbox {
  /** @param accountId whose mail it is; erasing the account removes it. @throws UnsafeMail. */
  async add(transaction: Transaction, accountId: string, mail: Mail): Promise<void> {
    checkMail(mail);
    const { to: recipient, subject, text, html } = mail;
    const unsent = { id: newId(), accountId, recipient, subject, text, html };
    await transaction.manager.insert(UnsentMail, unsent);
  }

  /** Removes what was not sent yet. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.manager.delete(UnsentMail, { accountId });
  }
}
