import { refuse, type Refusal } from './refusal.js';
import { withoutSpaces } from './without-spaces.js';

export type ParsedAsn = { ok: true; asn: number } | Refusal<'empty' | 'not_an_asn'>;

const ASN_MAX = 2 ** 32 - 1;

const MESSAGES = {
  empty: 'An autonomous system number is required.',
  not_an_asn: 'This is not an autonomous system number such as AS64496 or 64496.',
};

/** Reads an autonomous system number in its plain form (RFC 5396 §2, asplain), with or without `AS`. */
export function parseAsn(input: string): ParsedAsn {
  const text = withoutSpaces(input);
  if (text === '') return refuse('empty', MESSAGES);
  const asn = Number(/^(?:as)?(0|[1-9]\d{0,9})$/i.exec(text)?.[1] ?? NaN);
  return asn <= ASN_MAX ? { ok: true, asn } : refuse('not_an_asn', MESSAGES);
}
