import { domainToUnicode } from 'node:url';
import { type DomainName, parseDomainName } from '#libs/domain-names';
import { type Key, domainKeyOf } from './domain-key.js';
import { asciiForm } from './folded.js';

export interface FiledName {
  key: Key;
  /** Lower case A-labels. */
  name: string;
  /** The label below the public suffix, folded. */
  label: string;
  /** The label in its own script, if the label is internationalised. */
  unicode: string | null;
}

/** Converts a registrable name that has already been parsed. */
export function filedName({ name, label }: Pick<DomainName, 'name' | 'label'>): FiledName {
  const key = domainKeyOf(name);
  if (!label.startsWith('xn--')) return { key, name, label, unicode: null };
  const unicode = domainToUnicode(label);
  return { key, name, label: asciiForm(unicode), unicode };
}

/**
 * Converts a string to its registrable name. @returns undefined for a string without one, and for a name under the
 * reserved `.test`.
 */
export function fileName(text: string): FiledName | undefined {
  const parsed = parseDomainName(text);
  if (!parsed.ok || parsed.domain.tld === 'test') return undefined;
  return filedName(parsed.domain);
}
