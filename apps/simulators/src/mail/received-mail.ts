import type { ParsedMail } from 'mailparser';

/** A mail in the form that its reader sees. */
export interface ReceivedMail {
  /** The Message-ID's part before the @. */
  id: string;
  to: string;
  subject: string;
  /** The plain text. */
  text: string;
}

/** @param to the actual recipient, whatever the header says. */
export function receivedMail(to: string, parsed: ParsedMail): ReceivedMail {
  return {
    id: /^<?([^@>]+)/.exec(parsed.messageId ?? '')?.[1] ?? '',
    to,
    subject: parsed.subject ?? '',
    text: (parsed.text ?? '').trimEnd(),
  };
}
