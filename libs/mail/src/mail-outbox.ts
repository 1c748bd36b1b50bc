import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import { type Mail, checkMail } from './mail.js';

/** Where a service writes its mails, in the transaction that gives the reason for them. */
export class MailOutbox {
  /** @param accountId whose mail it is; erasing the account removes it. @throws UnsafeMail. */
  async add(transaction: Transaction, accountId: string, mail: Mail): Promise<void> {
    checkMail(mail);
    await transaction.query(
      `insert into mail (id, account_id, recipient, subject, text, html)
       values ($1, $2, $3, $4, $5, $6)`,
      [newId(), accountId, mail.to, mail.subject, mail.text, mail.html],
    );
  }

  /** Removes what was not sent yet. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from mail where account_id = $1', [accountId]);
  }
}
