import { WorkQueue } from '#libs/work';

export interface MailWork {
  mailId: string;
}

/** The mails of one schema: written by `MailOutbox`, sent by `MailSender`. */
export class MailQueue extends WorkQueue<MailWork> {
  constructor() {
    super({ name: 'mail' });
  }
}
