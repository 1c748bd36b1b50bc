import type { FailedEvent } from '#libs/messaging';
import { counted } from '#libs/platform';

/** Unprintable characters, including format characters, which are invisible or change the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Describes an event in two lines for an operator. The sender chose the id, type and key, and the reason may quote the
 * sender, so each of them may contain any text.
 */
export function eventLines(service: string, event: FailedEvent): string[] {
  const { state, attempts } = event;
  const [id, type, key, reason] = [event.eventId, event.type, event.key, event.reason].map(
    printable,
  );
  const since = event.failedAt.toISOString();
  return [
    `${service}  ${state}  ${id}  ${type}  account ${key}  ${counted(attempts, 'try', 'tries')} since ${since}`,
    `    ${reason}`,
  ];
}

/** Puts text on one line without terminal control sequences: unprintable characters are shown as code points. */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
