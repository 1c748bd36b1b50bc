import { createHmac } from 'node:crypto';
import { HASH_DIGITS } from '#libs/contracts';
import { fileName } from '../names/registrable-name.js';
import { plainForm } from '../names/folded.js';
import { type Members, PERSONAL_CONTACTS, type Registration } from '../records/registration.js';

export const SUPPRESSED_KINDS = ['domain', 'email', 'name', 'phone'] as const;
export type SuppressedKind = (typeof SUPPRESSED_KINDS)[number];

/** The maximum number of values in a list; every process keeps all of them in memory. */
export const SUPPRESSED_MAX = 100_000;

/** A value that must not be shown or kept, identified by its keyed hash. */
export interface SuppressedValue {
  /** The number of the value in the list, from 1. */
  version: number;
  kind: SuppressedKind;
  /** HMAC-SHA256, in hexadecimal. */
  hash: string;
  addedAt: Date;
}

const CONTACTS = [...PERSONAL_CONTACTS, 'reseller_contact', 'abuse_contact'] as const;
/** The members of a contact that are checked, with the kind of their values. */
const MEMBERS: readonly (readonly [string, SuppressedKind])[] = [
  ['name', 'name'],
  ['company', 'name'],
  ['email_address', 'email'],
  ['phone', 'phone'],
  ['fax', 'phone'],
];

/**
 * Returns the form in which a value is compared: the registrable name of a domain (empty if there
 * is none), the digits of a telephone number, the plain form of other texts.
 */
export function comparedForm(kind: SuppressedKind, value: string): string {
  if (kind === 'domain') return fileName(value)?.name ?? '';
  return kind === 'phone' ? value.replaceAll(/[^0-9]/gu, '') : plainForm(value);
}

/** The suppressed values, and the key of their hashes. If there are none, checks cost nothing. */
export class SuppressedValues {
  /** The number of the newest value; 0 if there is none. */
  readonly version: number;
  private readonly hashes: ReadonlyMap<SuppressedKind, ReadonlySet<string>>;

  constructor(
    private readonly key: Buffer,
    values: readonly Pick<SuppressedValue, 'version' | 'kind' | 'hash'>[],
  ) {
    this.version = values.reduce((newest, { version }) => Math.max(newest, version), 0);
    this.hashes = new Map(
      SUPPRESSED_KINDS.map((kind) => [
        kind,
        new Set(values.filter((one) => one.kind === kind).map(({ hash }) => hash)),
      ]),
    );
  }

  /** Returns the keyed hash of a value. @param form as returned by `comparedForm`. */
  hashOf(kind: SuppressedKind, form: string): string {
    return createHmac('sha256', this.key).update(`${kind} ${form}`).digest('hex');
  }

  /**
   * True if the name is suppressed.
   * @param name a registrable name in lower-case A-labels.
   */
  hasName(name: string): boolean {
    return this.has('domain', name);
  }

  /** Returns `DatasetRow.hashes` for a name and its record; undefined if there is no list, and so no key. */
  rowHashes(name: string, record: Registration = {}): string | undefined {
    if (this.key.length === 0) return undefined;
    const values = CONTACTS.flatMap((contact) => suppressible(record[contact]));
    const hashes = [['domain', name] as const, ...values].map(([kind, form]) =>
      this.hashOf(kind, form).slice(0, HASH_DIGITS),
    );
    return [...new Set(hashes)].join('');
  }

  /** Returns the record without contacts that contain a suppressed value; the same object if there are none. */
  masked(record: Registration): Registration {
    if (this.version === 0) return record;
    const hidden = CONTACTS.filter((contact) => this.isHidden(record[contact]));
    if (hidden.length === 0) return record;
    const masked = { ...record };
    for (const contact of hidden) delete masked[contact];
    return masked;
  }

  private isHidden(contact: Registration[string]): boolean {
    return suppressible(contact).some(([kind, form]) => this.has(kind, form));
  }

  private has(kind: SuppressedKind, form: string): boolean {
    const hashes = this.hashes.get(kind)!;
    return hashes.size > 0 && hashes.has(this.hashOf(kind, form));
  }
}

/** Returns the values of a contact that may be suppressed, in the form that is compared. */
function suppressible(contact: Registration[string]): [SuppressedKind, string][] {
  if (typeof contact !== 'object' || Array.isArray(contact)) return [];
  return MEMBERS.flatMap(([member, kind]): [SuppressedKind, string][] => {
    const value = (contact as Members)[member];
    const form = typeof value === 'string' ? comparedForm(kind, value) : '';
    return form === '' ? [] : [[kind, form]];
  });
}
