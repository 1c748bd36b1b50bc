import type { Key } from '../names/domain-key.js';

export type ChangeKind = 'new' | 'changed' | 'dropped';

export interface Change {
  id: string;
  key: Key;
  name: string;
  kind: ChangeKind;
  /** The part that changed: the existence of the name, its registration, or its DNS records. */
  subject: 'name' | 'whois' | 'dns';
  /** The members of the record, or the types of records, that differ. */
  members: readonly string[];
  /** True if nothing was known about this part before. */
  isFirst: boolean;
  /** True if a source whose data may not be sold recorded the change before. Only datasets contain such a change. */
  isRepeated?: boolean;
  /** True if sources whose data may not be shown recorded the change before. No dataset contains such a change. */
  isShownFirst?: boolean;
  at: Date;
}
