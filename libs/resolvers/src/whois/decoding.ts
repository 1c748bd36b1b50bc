import { withLineFeeds } from './line-ends.js';

/** The encodings of servers whose answers do not show their encoding. */
const ENCODINGS: ReadonlyMap<string, string> = new Map([
  ['whois.jprs.jp', 'iso-2022-jp'],
  ['whois.kg', 'windows-1251'],
  ['whois.nic.ad.jp', 'iso-2022-jp'],
]);

/**
 * Decodes an answer: as strict UTF-8, otherwise in the server's own encoding or in windows-1252, which can decode every
 * byte. Line endings become LF. Control characters except tabs are removed, including those that change the writing
 * direction, because they are invisible and make one text look like another.
 * @param isCut whether the last character may be incomplete.
 */
export function decodeAnswer(bytes: Uint8Array, server: string, isCut: boolean): string {
  return withLineFeeds(decode(bytes, ENCODINGS.get(server) ?? 'windows-1252', isCut)).replace(
    /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu,
    '',
  );
}

function decode(bytes: Uint8Array, encoding: string, isCut: boolean): string {
  const is7Bit = encoding === 'iso-2022-jp';
  // Text in this encoding is also valid UTF-8, but has no octet above 127.
  if (is7Bit && !bytes.some((octet) => octet > 0x7f))
    return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder(is7Bit ? 'windows-1252' : encoding).decode(bytes);
  }
}
