export interface MailboxMessage {
  id: string;
  /** RFC 3339. */
  sentAt: string;
  to: string;
  subject: string;
  text: string;
}

/** Stores mail that is not sent. */
export interface Mailbox {
  /** The newest messages first, `limit` at most. */
  newest(limit: number): Promise<MailboxMessage[]>;
}
