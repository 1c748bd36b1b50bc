import { type Logger, newId } from '#libs/platform';
import { CLAIM_SHARE, PAUSE_UPSTREAM, RETURN_SHARE, TAKE_UPSTREAM } from './upstream-scripts.js';
import { ValkeyLink } from './valkey-link.js';

export interface OpenUpstreamBudgets {
  /** The `redis://` or `rediss://` URL of the Valkey or Redis that all processes share. */
  url: string | (() => string);
  /**
   * PEM of the authority that signed a `rediss://` server's certificate; by default, the authorities that Node trusts.
   */
  tlsCa?: string;
  logger: Logger;
  /** The longest wait for the server's answer before a process uses its own share; 50 ms by default. */
  timeoutMs?: number;
}

export interface BudgetRequest {
  /** The priority, from 0: a lower number is served first, whichever process requests tokens. */
  priority: number;
  tokens: number;
  /** How long the host's pause still lasts, as far as known. */
  pausedMs: number;
  isRecovered: boolean;
  buckets: readonly BucketRequest[];
}

export interface BucketRequest {
  burst: number;
  perSecond: number;
  /** The process's own count of remaining tokens, in case the server has no entry for the host. */
  left: number;
  /** Tokens spent without the server since its last reply; negative for tokens that were granted but not used. */
  owed: number;
}

export interface ShareRequest {
  asker: string;
  waiting: number;
  /** The buckets that refill slowly, with their positions among the buckets of the host, from 0. */
  buckets: readonly { place: number; burst: number; perSecond: number }[];
}

export interface BudgetReply {
  granted: number;
  /** How long to wait before the missing tokens are requested again. */
  waitMs: number;
  pausedMs: number;
  strikes: number;
  left: number[];
}

/**
 * Token buckets of upstream hosts that several processes share through Valkey, and the pauses that they announce to
 * each other.
 */
export class UpstreamBudgets {
  private readonly id = newId();

  private constructor(private readonly link: ValkeyLink) {}

  /**
   * Opens the budgets. Resolves once the server has been reached or found unreachable; if unreachable, each process
   * uses its own share.
   */
  static async open({
    url,
    tlsCa,
    logger,
    timeoutMs,
  }: OpenUpstreamBudgets): Promise<UpstreamBudgets> {
    const group = 'lookups';
    const link = new ValkeyLink({ url, tlsCa, gatewayId: newId(), group, logger, timeoutMs });
    await link.start();
    return new UpstreamBudgets(link);
  }

  /** Whether the server can be used; false while each process uses its own share of a limit. */
  get isUsable(): boolean {
    return this.link.isUsable;
  }

  /** The number of known processes that share the limits; at least 1. */
  get processes(): number {
    return Math.max(1, this.link.gateways);
  }

  /** Takes tokens of a host. @returns the grant; undefined without an answer from the server in time. */
  async take(host: string, request: BudgetRequest): Promise<BudgetReply | undefined> {
    const { priority, tokens, pausedMs, isRecovered, buckets } = request;
    const terms = buckets.flatMap(({ burst, perSecond, left, owed }) => [
      burst,
      perSecond,
      left,
      owed,
    ]);
    const recovered = isRecovered ? '1' : '';
    const reply = await this.link.evaluate(
      TAKE_UPSTREAM,
      [entryOf(host)],
      [this.id, priority, tokens, Math.ceil(pausedMs), recovered, ...terms],
    );
    if (reply === undefined) return undefined;
    const [granted, waitMs, paused, strikes, ...left] = (reply as (number | string)[]).map(Number);
    return { granted, waitMs, pausedMs: paused, strikes, left };
  }

  /**
   * Claims a query's share for a caller; the query then counts in all processes. @returns whether the caller may query;
   * undefined without an answer from the server in time.
   */
  async claimShare(
    host: string,
    { asker, waiting, buckets }: ShareRequest,
  ): Promise<boolean | undefined> {
    const terms = buckets.flatMap(({ place, burst, perSecond }) => [place + 1, burst, perSecond]);
    const entries = [entryOf(host), askersOf(host)];
    const reply = await this.link.evaluate(CLAIM_SHARE, entries, [asker, waiting, ...terms]);
    return reply === undefined ? undefined : reply === 1;
  }

  /** Gives back the share of a query that was not sent. */
  async returnShare(host: string, asker: string): Promise<void> {
    if (this.isUsable) await this.link.evaluate(RETURN_SHARE, [askersOf(host)], [asker]);
  }

  async pause(host: string, forMs: number, strikes: number): Promise<void> {
    if (this.isUsable) {
      await this.link.evaluate(PAUSE_UPSTREAM, [entryOf(host)], [Math.ceil(forMs), strikes]);
    }
  }

  close(): Promise<void> {
    return this.link.close();
  }
}

function entryOf(host: string): string {
  return `upstream:${host}`;
}

function askersOf(host: string): string {
  return `upstream-askers:${host}`;
}
