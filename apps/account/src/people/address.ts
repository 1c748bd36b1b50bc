import { createHmac } from 'node:crypto';
import { MAILBOX_PROVIDERS, type MailboxProvider } from './mailbox-providers.js';

/** Returns the hash of an address. Upper and lower case make no difference. */
export function addressHash(address: string, pepper: string): Buffer {
  return createHmac('sha256', pepper).update(`address\n${address.toLowerCase()}`).digest();
}

/**
 * Returns the trial claim of the mailbox behind an address. The claim serves only to grant trial credits once (S38),
 * not to find or e-mail a person. It has 64 hexadecimal digits, survives an erasure, and reveals nothing about the
 * address.
 */
export function trialClaim(address: string, pepper: string): string {
  return createHmac('sha256', pepper)
    .update(`trial\n${mailboxOf(address)}`)
    .digest('hex');
}

const PROVIDERS = new Map(
  MAILBOX_PROVIDERS.flatMap((provider) => provider.domains.map((domain) => [domain, provider])),
);

/** Returns the canonical form of an address: in lower case, without tags, aliases or ignored characters. */
export function mailboxOf(address: string): string {
  const lower = address.toLowerCase();
  const at = lower.lastIndexOf('@');
  const [local, domain] = ownerOf(lower.slice(0, at), lower.slice(at + 1));
  const {
    domains,
    ignored = '',
    isHyphenDot = false,
    tag = '+',
  }: MailboxProvider = PROVIDERS.get(domain) ?? {
    domains: [domain],
  };
  // A name that consists only of a tag stays as it is.
  const name = local.split('+')[0].split(tag)[0] || local;
  const plain = [...name].filter((character) => !ignored.includes(character)).join('');
  return `${isHyphenDot ? plain.replaceAll('-', '.') : plain}@${domains[0]}`;
}

function ownerOf(local: string, domain: string): [local: string, domain: string] {
  const [name, ...rest] = domain.split('.');
  const parent = rest.join('.');
  return PROVIDERS.get(parent)?.hasSubdomains ? [name, parent] : [local, domain];
}

export const domainOfAddress = (address: string) =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase();
