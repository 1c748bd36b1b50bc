import { isWithheld } from '#libs/resolvers';
import { type Key, termKeyOf } from '../names/domain-key.js';
import { asciiForm, plainForm } from '../names/folded.js';
import { type Members, PERSONAL_CONTACTS, type Registration } from './registration.js';

/** The kinds of contact values that can be searched, with their stored numbers. */
export const TERM_KINDS = { name: 1, email: 2, company: 3 } as const;
export type TermKind = keyof typeof TERM_KINDS;

const MEMBERS: Readonly<Record<TermKind, string>> = {
  name: 'name',
  email: 'email_address',
  company: 'company',
};

/** A published value that reverse WHOIS finds. */
export interface ContactTerm {
  termKey: Key;
  kind: number;
  folded: string;
  /** The value in its own script, if the script is not ASCII. */
  unicode: string | null;
}

/** Maximum length of a value. Longer values are cut. */
const TERM_LENGTH_MAX = 200;

export function contactTerm(kind: TermKind, value: string): ContactTerm {
  const plain = plainForm(value).slice(0, TERM_LENGTH_MAX);
  const folded = asciiForm(plain);
  return {
    termKey: termKeyOf(kind, folded),
    kind: TERM_KINDS[kind],
    folded,
    unicode: folded === plain ? null : plain,
  };
}

/** Returns the personal values that a registration publishes; none if a privacy service replaces the people. */
export function contactTerms(registration: Registration): ContactTerm[] {
  if (registration.privacy_service === true) return [];
  const terms = new Map<Key, ContactTerm>();
  for (const contact of PERSONAL_CONTACTS) {
    const members = registration[contact] as Members | undefined;
    for (const kind of Object.keys(TERM_KINDS) as TermKind[]) {
      const value = members?.[MEMBERS[kind]];
      if (typeof value !== 'string' || isWithheld(value)) continue;
      const term = contactTerm(kind, value);
      if (term.folded !== '') terms.set(term.termKey, term);
    }
  }
  return [...terms.values()];
}
