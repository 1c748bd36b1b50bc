/** Which services answer for which names, as data. */
export interface RegistryTables {
  /** Base URL of an RDAP service → the suffixes it answers for. */
  rdap: Record<string, readonly string[]>;
  /** Port-43 host → the suffixes it answers for. */
  whois: Record<string, readonly string[]>;
  /** The delegated top-level domains, in A-labels. */
  tlds: readonly string[];
  /** When the RDAP table was published, `YYYY-MM-DD`. */
  publishedOn: string;
}

export class Registries {
  constructor(private readonly tables: RegistryTables) {}

  /** The tables that came with this version. */
  static vendored(): Registries {
    throw new Error('not vendored');
  }

  isDelegated(tld: string): boolean {
    return this.tables.tlds.includes(tld);
  }
}
