import type { ContactRole } from '../../../record.js';
import type { KeyTable } from '../dictionary/dictionary.js';
import type { DateStyle } from '../fields/dates.js';
import type { AddressPart, ContactField, ContactStyle } from '../fields/contact-field.js';

/**
 * The special rules of one registry, which the general rules do not cover. All members are optional data without code,
 * so that the differences are visible at a glance.
 */
export interface Grammar {
  /** The TLDs (without a dot) whose registry answers in this layout. */
  tlds?: readonly string[];
  /** The port-43 hosts that answer in this layout, whatever the TLD. */
  servers?: readonly string[];
  dates?: DateStyle;
  /**
   * Keys that have a different meaning here: the normalised keys for each meaning, in the notation of
   * `dictionary/target.ts`.
   */
  keys?: Readonly<Record<string, readonly string[]>>;
  /** Lines without a colon that contain a field: `record created on 2026-01-31`. */
  phrases?: Readonly<Record<string, readonly string[]>>;
  /** Whether keys and values are in columns without a colon. */
  columns?: boolean;
  /** The meaning of the lines of an unlabelled contact, in order; the other lines are street lines. */
  block?: readonly ContactField[];
  /** The meaning of the last address lines, if the registry prints them without labels. */
  address?: readonly AddressPart[];
  /** Whether the first address line of a person is the organisation if there are enough lines. */
  organizationFirst?: boolean;
  /** Whether the text on a party's header line is a handle, not a name. */
  headerIsHandle?: boolean;
  /** Whether only institutions can register here. */
  registrantIsOrganization?: boolean;
  /** Whether the dates of change are a history whose last line is the latest. */
  lastUpdateLast?: boolean;
  /** Whether the record is printed twice, the second time in English. */
  lastRecordCounts?: boolean;
  /** Whether every line consists of the requested label and a name server. */
  hostPerLine?: boolean;
  /** The party to which contact fields outside any section belong. */
  looseParty?: ContactRole;
}

export interface ReadyGrammar extends ContactStyle {
  dates: DateStyle;
  keys: KeyTable;
  phrases: readonly (readonly [string, string])[];
  columns: boolean;
  headerIsHandle: boolean;
  registrantIsOrganization: boolean;
  lastUpdateLast: boolean;
  lastRecordCounts: boolean;
  hostPerLine: boolean;
  looseParty?: ContactRole;
}
