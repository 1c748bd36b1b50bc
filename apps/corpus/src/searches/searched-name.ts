import { parseDomainName } from '#libs/domain-names';
import { type FiledName, filedName } from '../names/registrable-name.js';
import { InvalidDomainName } from './searches.errors.js';

export interface SearchedName extends FiledName {
  readable: string;
  /** The kind of fixture in answers to test keys; undefined for a name that is searched for in the corpus. */
  fixture?: 'registered' | 'empty';
}

/** Parses the name that is searched for. @throws InvalidDomainName */
export function searchedName(text: string): SearchedName {
  const parsed = parseDomainName(text);
  if (!parsed.ok) throw new InvalidDomainName(parsed.message);
  const { domain } = parsed;
  const fixture = domain.name === 'registered.test' ? 'registered' : 'empty';
  return {
    ...filedName(domain),
    readable: domain.unicode,
    ...(domain.tld === 'test' && { fixture }),
  };
}
