/**
 * The rules, beyond RFC 5321, that a mail service applies to the part before the @. Two addresses count as one mailbox
 * only if the service or a well-maintained list says so, because a person mistaken for another would get no trial
 * credits.
 *
 * Sources, read on 2026-11-22:
 * - Gmail: support.google.com/mail/answer/7436150; validator.js `normalizeEmail` (dots, googlemail.com).
 * - iCloud: support.apple.com/118230 (icloud.com, me.com and mac.com of one account).
 * - Proton: proton.me/support/addresses-and-aliases (pm.me is a short form of the same name, and protonmail.ch an old
 *   form); its web client compares names without dots, hyphens and underscores (ProtonMail/WebClients).
 * - Yandex: validator.js and Yandex's own normalisation (all its domains are one); its registration page: a login with
 *   a dot also gets the e-mails for the login with a hyphen.
 * - Yahoo: help.yahoo.com/kb/SLN28815 (`nickname-keyword`, where the nickname belongs to one person).
 * - Fastmail: email-normalize (`anything@name.fastmail.com`). Its domains have separate mailboxes.
 */
export interface MailboxProvider {
  /** The domains that deliver a name to the same mailbox; the first domain represents the mailbox. */
  domains: string[];
  /** The characters that the service ignores in a name. */
  ignored?: string;
  /** Whether a hyphen in a name counts as a dot. */
  isHyphenDot?: boolean;
  /** A character that, besides `+`, begins a tag that the owner may choose freely (RFC 5233). */
  tag?: string;
  /** Whether `anything@name.domain` reaches `name@domain`. */
  hasSubdomains?: boolean;
}

/** The rules of the large services. For all other services, as for Outlook, only `+` tags are removed. */
export const MAILBOX_PROVIDERS: MailboxProvider[] = [
  { domains: ['gmail.com', 'googlemail.com'], ignored: '.' },
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], ignored: '.-_' },
  {
    domains: ['yandex.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.ua', 'ya.ru'],
    isHyphenDot: true,
  },
  ...eachAlone('fastmail.com fastmail.fm', { hasSubdomains: true }),
  ...eachAlone(
    `yahoo.com yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com.br yahoo.de yahoo.es yahoo.fr yahoo.in
    yahoo.it ymail.com rocketmail.com`,
    { tag: '-' },
  ),
];

/** Creates one entry per domain: the domains follow the same rules, but each has its own mailboxes. */
function eachAlone(domains: string, rules: Omit<MailboxProvider, 'domains'>): MailboxProvider[] {
  return domains.split(/\s+/).map((domain) => ({ domains: [domain], ...rules }));
}
