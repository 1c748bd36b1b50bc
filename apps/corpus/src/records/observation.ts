import type { FiledName } from '../names/registrable-name.js';
import type { Registration } from './registration.js';

interface Seen {
  name: FiledName;
  /** When the observation was made, rather than when it arrived. */
  at: Date;
}

export interface WhoisObservation extends Seen {
  kind: 'whois';
  /** True if every server with data about the name has answered. */
  isComplete: boolean;
  registration: Registration;
  /** The kinds of servers that gave the record; see `GivenRecord`. */
  answeredBy: string;
  raw?: string;
}

export interface DnsValue {
  rtype: number;
  value: string;
}

/** All records of some types of a name. */
export interface DnsObservation extends Seen {
  kind: 'dns';
  /** The labels below the registrable name; empty for the name itself. */
  host: string;
  /** The types that were answered, including those without a record. */
  types: readonly number[];
  values: readonly DnsValue[];
  /**
   * Whether the observation proves that the name is registered. If not, the observation is stored only for a known
   * name.
   */
  isProof: boolean;
}

/** A record that a sensor observed over a period. The other records at that time are unknown. */
export interface PassiveObservation extends Seen, DnsValue {
  kind: 'passive';
  host: string;
  until: Date;
}

export interface HostObservation extends Seen {
  kind: 'host';
  host: string;
  /** Whether the host had an address; null if only its name was observed. */
  hasResolved: boolean | null;
}

/** An observation that the name is registered, because it is in a list, a zone or a certificate. */
export interface ListedObservation extends Seen {
  kind: 'listed';
}

/** An observation that the name is no longer registered. If the corpus does not know the name, nothing is stored. */
export interface GoneObservation extends Seen {
  kind: 'gone';
}

/** An observation by a source. */
export type Observation =
  | WhoisObservation
  | DnsObservation
  | PassiveObservation
  | HostObservation
  | ListedObservation
  | GoneObservation;
