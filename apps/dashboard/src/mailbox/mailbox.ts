export interface MailboxMessage {
  id: string;
  /** In RFC 3339. */
  sentAt: string;
  to: string;
  subject: string;
  text: string;
}

/** The local store of e-mails that are not sent. */
export interface Mailbox {
  /** Lists at most `limit` e-mails, newest first. */
  newest(limit: number): Promise<MailboxMessage[]>;
}
