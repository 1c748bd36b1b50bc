/** Control characters except tabs and line feeds, characters that change the direction of text, and zero-width ones. */
const UNSEEN = /[^\P{Cc}\n\t]|[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** Escapes characters of untrusted text that are invisible or could reverse the text beside them (S67). */
export function shownText(text: string): string {
  return text.toWellFormed().replace(UNSEEN, (unit) => `\\u{${unit.codePointAt(0)!.toString(16)}}`);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export const shownTime = (text: string) =>
  TIME.test(text) ? `${text.slice(0, 16).replace('T', ' ')} UTC` : text;

/** The words of domain statuses (RFC 8056, EPP), which answers write without spaces. */
const STATUS_PARTS =
  /^(auto|client|server|pending|add|renew|transfer|redemption|delete|hold|update|create|restore|prohibited|period)+$/;
const STATUS_PART = new RegExp(STATUS_PARTS.source.slice(1, -2), 'g');

/**
 * Returns a status in separate words: `clienttransferprohibited` and `client_transfer_prohibited` become client
 * transfer prohibited. A text with other words is only escaped.
 */
export function statusWords(status: string): string {
  const joined = status.toLowerCase().replaceAll(/[ _]/g, '');
  return STATUS_PARTS.test(joined) ? joined.match(STATUS_PART)!.join(' ') : shownText(status);
}

const ABBREVIATIONS = /\b(asn?|dns|dnssec|iana|ip|rdap|tld|ttl|url|whois)\b/g;

/** Returns the readable name of an answer's member: `create_date` becomes Create date, `whois_server` WHOIS server. */
export function memberWords(name: string): string {
  const words = shownText(name)
    .replaceAll('_', ' ')
    .trim()
    .replace(ABBREVIATIONS, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
