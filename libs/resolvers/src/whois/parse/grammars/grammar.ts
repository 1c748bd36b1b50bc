import type { ContactRole } from '../../../record.js';
import type { KeyTable } from '../dictionary/dictionary.js';
import type { DateStyle } from '../fields/dates.js';
import type { AddressPart, ContactField, ContactStyle } from '../fields/contact-field.js';

/**
 * What the general rules cannot know about one registry. Everything is optional data without code, so that a reader
 * sees at once how a registry differs from the rest.
 */
export interface Grammar {
  /** TLDs (without dot) whose registry answers in this layout. */
  tlds?: readonly string[];
  /** Port-43 hosts that answer in this layout, whatever the TLD. */
  servers?: readonly string[];
  dates?: DateStyle;
  /** Keys that mean something else here: notation of `dictionary/target.ts` to normalised keys. */
  keys?: Readonly<Record<string, readonly string[]>>;
  /** Lines without colon that carry a field: `record created on 2026-01-31`. */
  phrases?: Readonly<Record<string, readonly string[]>>;
  /** Keys and values stand in columns without a colon. */
  columns?: boolean;
  /** The meaning of an unlabelled contact's lines, in order; the rest are street lines. */
  block?: readonly ContactField[];
  /** The meaning of the last address lines, where a registry prints them without labels. */
  address?: readonly AddressPart[];
  /** A person's first address line is the organisation when there are lines to spare. */
  organizationFirst?: boolean;
  /** The text on a party's header line is a handle, not a name. */
  headerIsHandle?: boolean;
  /** Only institutions register here. */
  registrantIsOrganization?: boolean;
  /** The dates of change are a history: the last line is the latest. */
  lastUpdateLast?: boolean;
  /** The record is printed twice, in English the second time. */
  lastRecordCounts?: boolean;
  /** Every line is the label asked for and a name server. */
  hostPerLine?: boolean;
  /** Contact fields outside of any section are this party's. */
  looseParty?: ContactRole;
}

/** A grammar with its tables made. */
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
