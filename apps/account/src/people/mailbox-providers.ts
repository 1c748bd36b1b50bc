/** How a mail service reads the part before the @, beyond RFC 5321; from the services' own help pages. */
export interface MailboxProvider {
  /** All deliver a name to the same mailbox; the first one stands for it. */
  domains: string[];
  /** Characters that mean nothing in a name. */
  ignored?: string;
  /** Begins a tag that the owner may choose freely, beside `+` (RFC 5233). */
  tag?: string;
  /** `anything@name.domain` reaches `name@domain`. */
  hasSubdomains?: boolean;
}

/** Of the large services; of any other one only `+` tags are taken off. */
export const MAILBOX_PROVIDERS: MailboxProvider[] = [
  { domains: ['gmail.com', 'googlemail.com'], ignored: '.' },
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], ignored: '.-_' },
  {
    domains: ['yandex.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.ua', 'ya.ru'],
    ignored: '.-',
  },
  { domains: ['qq.com', 'foxmail.com'] },
  { domains: ['zoho.com', 'zohomail.com'] },
  { domains: ['fastmail.com', 'fastmail.fm'], hasSubdomains: true },
  ...`yahoo.com yahoo.co.uk yahoo.co.in yahoo.co.jp yahoo.com.br yahoo.de yahoo.es yahoo.fr yahoo.it ymail.com
  rocketmail.com`
    .split(/\s+/)
    .map((domain) => ({ domains: [domain], tag: '-' })),
];
