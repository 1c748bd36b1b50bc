import type { FiledName } from '../names/registrable-name.js';
import type { Registration } from './registration.js';

interface Seen {
  name: FiledName;
  /** When it was observed, not when it arrived. */
  at: Date;
}

/** The data that a registry and registrar published about a name. */
export interface WhoisObservation extends Seen {
  kind: 'whois';
  /** Every source that holds data of the name has answered. */
  isComplete: boolean;
  registration: Registration;
  /** The text as it came. */
  raw?: string;
}

/** A record, by the number of its type (IANA). */
export interface DnsValue {
  rtype: number;
  value: string;
}

/** All records of some types that a name had. */
export interface DnsObservation extends Seen {
  kind: 'dns';
  /** Labels below the registrable name; empty for the name itself. */
  host: string;
  /** Types that were answered, also those without a record. */
  types: readonly number[];
  values: readonly DnsValue[];
  /** It shows that the name is registered; otherwise it is kept only of names that are known. */
  isProof: boolean;
}

/** One record that a sensor saw from one time to another; what else there was it does not know. */
export interface PassiveObservation extends Seen, DnsValue {
  kind: 'passive';
  host: string;
  until: Date;
}

/** A host name below a registrable name. */
export interface HostObservation extends Seen {
  kind: 'host';
  host: string;
  /** Whether it had an address; null where only its name was seen. */
  hasResolved: boolean | null;
}

/** The name is registered: it stands in a list, a zone or a certificate. */
export interface ListedObservation extends Seen {
  kind: 'listed';
}

/** The name is not registered any more. One that the corpus does not know leaves no trace. */
export interface GoneObservation extends Seen {
  kind: 'gone';
}

/** One thing that a source saw: what everything in the corpus comes from. */
export type Observation =
  | WhoisObservation
  | DnsObservation
  | PassiveObservation
  | HostObservation
  | ListedObservation
  | GoneObservation;
