import { WorkQueue } from '#libs/work';

export interface MailWork {
  mailId: string;
}

/** The queue of one schema's mails: `MailOutbox` adds mails, and `MailSender` sends them. */
export class MailQueue extends WorkQueue<MailWork> {
  constructor() {
    super({ name: 'mail' });
  }
}
