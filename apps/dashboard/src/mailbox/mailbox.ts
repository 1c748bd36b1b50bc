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
  /** Lists at most `limit` messages, newest first. */
  newest(limit: number): Promise<MailboxMessage[]>;
}
