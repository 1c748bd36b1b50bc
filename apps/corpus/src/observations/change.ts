import type { Key } from '../names/domain-key.js';

export type ChangeKind = 'new' | 'changed' | 'dropped';

/** The changes of a name. */
export interface Change {
  id: string;
  key: Key;
  name: string;
  kind: ChangeKind;
  /** The changed part: the existence of the name, its registration, or its records. */
  subject: 'name' | 'whois' | 'dns';
  /** Members of the record, or types of records, that differ. */
  members: readonly string[];
  /** True if nothing was known about the name before. */
  isFirst: boolean;
  at: Date;
}
