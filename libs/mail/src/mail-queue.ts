import { WorkQueue } from '#libs/work';

export interface MailWork {
  mailId: string;
}

/** The queue of one schema's e-mails: `MailOutbox` adds e-mails, and `MailSender` sends them. */
export class MailQueue extends WorkQueue<MailWork> {
  constructor() {
    super({ name: 'mail' });
  }
}
