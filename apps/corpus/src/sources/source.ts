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

/** The sources that have fewer rights than a given source (`outranked`) and those that have more (`outranking`). */
export interface RankedSources {
  outranked: number[];
  outranking: number[];
  /** Those in `outranked` whose data may not be sold; none if the data of the given source may not be sold either. */
  unsold: number[];
  /**
   * Those in `outranked` whose data was never shown; none if the data of the given source may not be shown either. The
   * data of a removed source was shown before.
   */
  unshown: number[];
  /** Whether the data of the given source may be sold, while that of another source may not. */
  isSold: boolean;
}

/** Returns the scope under which a complete list of a zone is recorded. */
export const scopeOfZone = (zone: string) => `zone ${zone}`;
