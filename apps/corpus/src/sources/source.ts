/** The id of the source of this installation's own lookups; the migration that creates the table adds its row. */
export const LOOKUPS_SOURCE = 1;

/** The permitted uses of a source's data. */
export interface SourceRights {
  isShown: boolean;
  isSold: boolean;
  isLookedUp: boolean;
}

export interface Source extends SourceRights {
  id: number;
  name: string;
  kind: string;
  /** True if the data is invented. */
  isGenerated: boolean;
}

/** Returns the scope under which a complete list of a zone is recorded. */
export const scopeOfZone = (zone: string) => `zone ${zone}`;
