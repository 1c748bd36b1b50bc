import { eppStatus } from '../../../epp-statuses.js';

const STATUS_LENGTH_MAX = 120;

/**
 * Returns the statuses on one line. An EPP status in any spelling is converted to camelCase (`client delete
 * prohibited`, `CLIENT-HOLD`, `clienthold https://icann.org/epp#clientHold`); other statuses keep the registry's own
 * words.
 */
export function readStatuses(text: string): string[] {
  const found: string[] = [];
  const parts = withoutTail(text.slice(0, STATUS_LENGTH_MAX * 4))
    .replaceAll(' / ', ',')
    .split(',');
  for (const part of parts) {
    const words = part.trim().slice(0, STATUS_LENGTH_MAX);
    if (words === '' || words === '-') continue;
    const dated = words.toLowerCase().startsWith('ok-until ');
    found.push(...(dated ? ['ok'] : (severalStatuses(words) ?? [eppStatus(words) ?? words])));
  }
  return found;
}

/** Splits a text into statuses that only spaces separate. @returns undefined if a word is not an EPP status. */
function severalStatuses(text: string): string[] | undefined {
  const words = text.split(/ +/);
  const statuses = words.map(eppStatus).filter((status) => status !== undefined);
  return statuses.length === words.length ? statuses : undefined;
}

/** Drops what follows a status: an address, `(remark)`, ` - Normal state`. */
function withoutTail(text: string): string {
  let end = text.length;
  for (const mark of ['http://', 'https://', '(', ' -- ', ' - ', '\t']) {
    const at = text.indexOf(mark);
    if (at > 0 && at < end) end = at;
  }
  return text.slice(0, end).trim();
}
