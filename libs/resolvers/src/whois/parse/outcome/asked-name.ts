import { domainToUnicode } from 'node:url';

/** Returns the spellings that a server may use for a name in A-labels; empty if the name is unknown. */
export function spellingsOf(domain: string): string[] {
  return domain === '' ? [] : [domain, domainToUnicode(domain).toLowerCase() || domain];
}

/**
 * Returns a text with `…` in place of the requested name. Servers repeat the name, and its words state nothing:
 * `quota.example not found` is not about a quota.
 * @param text in lower case.
 */
export function withoutNames(text: string, names: Iterable<string>): string {
  return [...names].reduce((rest, name) => rest.replaceAll(name, '…'), text);
}
