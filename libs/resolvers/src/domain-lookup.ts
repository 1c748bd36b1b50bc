import { JoinedRuns } from './joined-runs.js';
import { LookupRun } from './lookup-run.js';
import { LookupCounts } from './lookup-counts.js';
import type { Priority } from './limiter/upstream.js';
import type { Lookup } from './record.js';
import type { Registries } from './registries/registries.js';
import { SourceAsker, type SourceAskerOptions } from './source-asker.js';

/** The dependencies of a lookup; simulators and tests use them to replace the internet. */
export interface DomainLookupOptions extends SourceAskerOptions {
  registries: Registries;
}

export interface LookupRequest {
  /** The time limit for the whole lookup, by default 20,000. Data available by then is returned as `partial`. */
  budgetMs?: number;
  /** `live` by default. */
  priority?: Priority;
  /** The customer of this lookup; the limits of upstreams are shared among customers. */
  asker?: string;
  signal?: AbortSignal;
  /**
   * A server whose turn would come later is not queried and counts as throttled. By default, a query waits as long as
   * `budgetMs` allows.
   */
  waitMaxMs?: number;
}

const BUDGET_MS_DEFAULT = 20_000;

export class DomainLookup {
  readonly counts = new LookupCounts();
  private readonly asker: SourceAsker;
  private readonly runs = new JoinedRuns<Lookup>();

  constructor(private readonly options: DomainLookupOptions) {
    this.asker = new SourceAsker(options);
  }

  /**
   * Looks up a registrable name at its registry and its registrar. The promise is rejected only if `signal` is aborted,
   * never because of an upstream: `outcome` says how the lookup ended.
   *
   * Concurrent calls for the same name with the same priority share one lookup, with the other options of the first
   * call, and one answer, which must not be changed. The lookup is abandoned when the last caller has left. Calls with
   * less than half of the default time limit, and calls with `waitMaxMs`, are joined only by calls of their kind.
   *
   * @param name registrable name in lower-case A-labels, as returned by `parseDomainName`.
   */
  async lookup(name: string, request: LookupRequest = {}): Promise<Lookup> {
    const { priority = 'live', signal, budgetMs = BUDGET_MS_DEFAULT, waitMaxMs } = request;
    const hurried = waitMaxMs === undefined ? '' : 'hurried ';
    const kind = budgetMs < BUDGET_MS_DEFAULT / 2 ? 'short ' : hurried;
    const key = `${priority} ${kind}${name}`;
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
      const suffix = name.slice(name.indexOf('.') + 1);
      const question = { name, suffix, priority, asker, waitMaxMs, signal };
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
