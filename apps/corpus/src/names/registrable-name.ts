import { domainToUnicode } from 'node:url';
import { type DomainName, parseDomainName } from '#libs/domain-names';
import { type Key, domainKeyOf } from './domain-key.js';
import { asciiForm } from './folded.js';

/** A registrable name as the corpus files it. */
export interface FiledName {
  key: Key;
  /** Lower case A-labels. */
  name: string;
  /** The label below the public suffix, folded. */
  label: string;
  /** The label in its own script, if it is internationalised. */
  unicode: string | null;
}

/** Files a registrable name that was parsed before. */
export function filedName({ name, label }: Pick<DomainName, 'name' | 'label'>): FiledName {
  const key = domainKeyOf(name);
  if (!label.startsWith('xn--')) return { key, name, label, unicode: null };
  const unicode = domainToUnicode(label);
  return { key, name, label: asciiForm(unicode), unicode };
}

/** Files the registrable name of a text; undefined for what is none, or lies under the reserved `.test`. */
export function fileName(text: string): FiledName | undefined {
  const parsed = parseDomainName(text);
  if (!parsed.ok || parsed.domain.tld === 'test') return undefined;
  return filedName(parsed.domain);
}
