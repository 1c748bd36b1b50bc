/** The source of this installation's own answers; its row is created with the table. */
export const LOOKUPS_SOURCE = 1;

/** The permitted uses of a source's data. */
export interface SourceRights {
  /** Whether its data may be shown in answers. */
  isShown: boolean;
  /** Whether its data may be sold in files. */
  isSold: boolean;
  /** Whether its names may be looked up. */
  isLookedUp: boolean;
}

/** The origin of data. */
export interface Source extends SourceRights {
  id: number;
  name: string;
  kind: string;
  /** True if its data is invented. */
  isGenerated: boolean;
}

/** The scope under which a complete list of a zone is recorded. */
export const scopeOfZone = (zone: string) => `zone ${zone}`;
