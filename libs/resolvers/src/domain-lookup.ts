import { JoinedRuns } from './joined-runs.js';
import { LookupRun } from './lookup-run.js';
import { LookupCounts } from './lookup-counts.js';
import type { Priority } from './limiter/upstream.js';
import type { Lookup } from './record.js';
import type { Registries } from './registries/registries.js';
import { SourceAsker, type SourceAskerOptions } from './source-asker.js';

/** The dependencies of a lookup, so that simulators and tests can replace the internet. */
export interface DomainLookupOptions extends SourceAskerOptions {
  registries: Registries;
}

export interface LookupRequest {
  /** Time limit for the whole lookup; the data available by then is returned as `partial`. 20,000 by default. */
  budgetMs?: number;
  /** `live` by default. */
  priority?: Priority;
  /** The customer of this lookup: limits of upstreams are shared among customers. */
  asker?: string;
  signal?: AbortSignal;
  /** Servers whose turn would come later than this are not queried, and the lookup ends as `throttled`. */
  waitMaxMs?: number;
}

const BUDGET_MS_DEFAULT = 20_000;

/** Live registration data of a domain. */
export class DomainLookup {
  readonly counts = new LookupCounts();
  private readonly asker: SourceAsker;
  private readonly runs = new JoinedRuns<Lookup>();

  constructor(private readonly options: DomainLookupOptions) {
    this.asker = new SourceAsker(options);
  }

  /**
   * Looks up a registrable name at its registry and its registrar. It never rejects because of an upstream: `outcome`
   * says how it ended. It rejects only if `signal` is aborted.
   *
   * Concurrent calls for the same name with the same priority share one lookup, the first one's time limit, and one
   * answer, which must not be changed; the lookup is abandoned when the last caller has left.
   *
   * @param name registrable name in lower case A-labels, as returned by `parseDomainName`.
   */
  async lookup(name: string, request: LookupRequest = {}): Promise<Lookup> {
    const { priority = 'live', signal } = request;
    const key = `${priority} ${name}`;
    if (this.runs.has(key)) this.counts.joined++;
    return this.runs.join(key, signal, (abandon) =>
      this.run(name, { ...request, priority }, abandon),
    );
  }

  private async run(
    name: string,
    {
      priority,
      asker,
      waitMaxMs,
      budgetMs = BUDGET_MS_DEFAULT,
    }: LookupRequest & { priority: Priority },
    abandon: AbortController,
  ): Promise<Lookup> {
    const route = this.options.registries.route(name);
    if (route.reason !== undefined) return this.unsupported(name, route.reason);
    this.counts.started++;
    this.counts.underWay++;
    const budget = setTimeout(() => abandon.abort(), budgetMs);
    try {
      const { signal } = abandon;
      const question = { name, tld: route.tld, priority, asker, waitMaxMs, signal };
      const found = await new LookupRun(this.asker, question).run(route);
      for (const source of found.sources) this.counts.note(source);
      return { ...found, fetchedAt: this.options.clock.now() };
    } finally {
      clearTimeout(budget);
      this.counts.underWay--;
    }
  }

  private unsupported(domain: string, reason: string): Lookup {
    const fetchedAt = this.options.clock.now();
    return {
      domain,
      outcome: 'unsupported',
      fields: {},
      conflicts: [],
      sources: [],
      fetchedAt,
      reason,
    };
  }
}
