import type { ParsedMail } from 'mailparser';

export interface ReceivedMail {
  /** The part of the Message-ID before the `@`; empty if there is no Message-ID. */
  id: string;
  to: string;
  subject: string;
  text: string;
}

/** Converts a parsed e-mail. @param to the actual recipient, which may differ from the header's. */
export function receivedMail(to: string, parsed: ParsedMail): ReceivedMail {
  return {
    id: /^<?([^@>]+)/.exec(parsed.messageId ?? '')?.[1] ?? '',
    to,
    subject: parsed.subject ?? '',
    text: (parsed.text ?? '').trimEnd(),
  };
}
