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
  /** Time for the whole lookup; what is there when it is over is answered as `partial`. 20,000. */
  budgetMs?: number;
  /** `live` by default. */
  priority?: Priority;
  /** The customer whose question it is: limits of upstreams are shared out between customers. */
  asker?: string;
  signal?: AbortSignal;
  /** Servers whose turn would come later are not asked: the lookup ends as `throttled`. */
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
   * Looks a registrable name up at its registry and its registrar. Never rejects for what an
   * upstream does: `outcome` says how it ended. Rejects only when `signal` is aborted.
   *
   * Callers that ask for the same name with the same priority at the same time share one lookup,
   * the first one's budget, and one answer, which must not be changed; it is given up when the last
   * of them has gone.
   *
   * @param name registrable name in lower case A-labels, as `parseDomainName` gives it.
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
