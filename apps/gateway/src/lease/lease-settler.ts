import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitlementClient, LeaseUse, SettleAnswer } from '#libs/contracts';
import { type Logger, SECOND_MS, crashPoint, monotonicMs } from '#libs/platform';
import type { LeasePools } from './lease-pool.js';
import type { Lease } from './lease.js';

const BATCH_MAX = 1_000;
/** Maximum number of balances requested per call, besides those of the settled leases. */
const REFRESHED_MAX = 50;
const RETRY_MS = SECOND_MS;

export interface LeaseSettlerOptions {
  client: EntitlementClient;
  gatewayId: string;
  logger: Logger;
  intervalMs: number;
  pools: LeasePools;
  onAnswer(answer: SettleAnswer, call: number): void;
  onClosed(lease: Lease): void;
}

/**
 * Reports charges to entitlement. While a lease is open, there is one call per interval even without usage, because its
 * answer names recalled leases. Totals are cumulative, so a repeated or late call changes nothing. Closes are retried
 * until they are acknowledged.
 */
export class LeaseSettler {
  /** All leases that entitlement may have open for this gateway. */
  readonly open = new Map<string, Lease>();
  /** The leases with unacknowledged charges, each once; `isUnsettled` marks them. */
  private readonly unsettled: Lease[] = [];
  private toClose: Lease[] = [];
  /** The position at which the next call continues to request balances. */
  private round = this.open.values();
  private isClosing = false;
  private isSettling = false;
  private isWantedAgain = false;
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
  private answeredAtMs = monotonicMs();

  constructor(private readonly options: LeaseSettlerOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.settle(), this.options.intervalMs);
  }

  /** Stops the settler. Unacknowledged usage stays in the journal. */
  stop(): void {
    clearInterval(this.timer);
    this.stopping.abort();
  }

  opened(lease: Lease): void {
    this.open.set(lease.id, lease);
  }

  used(lease: Lease): void {
    if (lease.isUnsettled) return;
    lease.isUnsettled = true;
    this.unsettled.push(lease);
  }

  /** Gives back the unused credits of a lease, with the next call. */
  close(lease: Lease): void {
    this.toClose.push(lease);
    if (this.isClosing) return;
    this.isClosing = true;
    // Leases that are closed in the same event-loop turn share a call.
    setImmediate(() => void this.closeAll());
  }

  /** Starts a call with current totals. If a call is running, the new one follows it. */
  settleNow(): void {
    this.isWantedAgain = true;
    void this.settle();
  }

  /** Reports the current totals, unless a call is running or no lease is open. */
  async settle(): Promise<void> {
    if (this.isSettling || this.open.size === 0) return;
    this.isSettling = true;
    try {
      do {
        this.isWantedAgain = false;
        const batch = this.unsettled.slice(0, BATCH_MAX);
        const uses = batch.map(useOf);
        const { client, gatewayId, pools } = this.options;
        const call = pools.nextCall();
        const answer = await client.settle(gatewayId, uses, this.nextAccounts());
        if (batch.length > 0) crashPoint('gateway.after-settle');
        uses.forEach(({ consumed }, place) => {
          const lease = batch[place];
          this.settled(lease, consumed);
          lease.isUnsettled = hasNews(lease);
        });
        // Leases used during the call go to the end, so that each lease is settled before any is settled twice. The
        // list is changed in place, because copies of 100,000 leases would fill the old generation.
        this.unsettled.splice(0, batch.length);
        this.unsettled.push(...batch.filter(hasNews));
        this.answeredAtMs = monotonicMs();
        this.options.onAnswer(answer, call);
      } while (this.unsettled.length >= BATCH_MAX || this.isWantedAgain);
    } catch (error) {
      this.options.logger.warn(
        'entitlement did not accept the settlement; it will be retried',
        error,
      );
    } finally {
      this.isSettling = false;
    }
  }

  /** Chooses, in turn, the accounts whose balances the next call requests. Their credits may also be used elsewhere. */
  private nextAccounts(): string[] {
    const accounts = new Set<string>();
    for (let looked = 0; looked < Math.min(REFRESHED_MAX, this.open.size); looked++) {
      let next = this.round.next();
      if (next.done) next = (this.round = this.open.values()).next();
      if (!next.done) accounts.add(next.value.accountId);
    }
    return [...accounts];
  }

  /** The credits that have been charged but not yet acknowledged. */
  get unsettledCredits(): number {
    let credits = 0;
    for (const { consumed, settled } of this.open.values()) credits += consumed - settled;
    return credits;
  }

  /** Milliseconds since entitlement last accepted a settlement; 0 while no lease is open. */
  get answerAgeMs(): number {
    return this.open.size === 0 ? 0 : monotonicMs() - this.answeredAtMs;
  }

  /** Settles and closes the leases that earlier processes left open. @throws if this process stops before that. */
  async replay(uses: LeaseUse[]): Promise<void> {
    for (let first = 0; first < uses.length; first += BATCH_MAX) {
      const batch = uses.slice(first, first + BATCH_MAX);
      const { client, gatewayId } = this.options;
      await this.untilDone('replay', async () => client.settle(gatewayId, batch));
      crashPoint('gateway.at-replay');
      await this.untilDone('replay', async () => client.closeAll(batch));
    }
  }

  private async closeAll(): Promise<void> {
    try {
      while (this.toClose.length > 0) {
        const { client, pools } = this.options;
        const batch = this.toClose.splice(0, BATCH_MAX);
        for (const { accountId } of batch.filter(isGranted)) {
          pools.get(accountId)?.reportBegins(pools.lastCall);
        }
        await this.untilDone('close', async () => client.closeAll(batch.map(useOf)));
        for (const lease of batch) this.acknowledged(lease);
      }
    } catch {
      // The process is stopping. Leases that are not closed stay in the journal.
    } finally {
      this.isClosing = false;
    }
  }

  private acknowledged(lease: Lease): void {
    crashPoint('gateway.at-lease-close');
    this.open.delete(lease.id);
    this.settled(lease, lease.consumed);
    const { pools, onClosed } = this.options;
    if (isGranted(lease)) pools.get(lease.accountId)?.reportEnds(pools.lastCall);
    onClosed(lease);
  }

  private settled(lease: Lease, total: number): void {
    if (total <= lease.settled) return;
    this.options.pools.get(lease.accountId)?.acknowledged(total - lease.settled);
    lease.settled = total;
  }

  /**
   * Repeats a call until it succeeds, because no charge may be lost, and unused credits must be returned.
   * @throws once the process stops.
   */
  private async untilDone(what: string, call: () => Promise<unknown>): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      signal.throwIfAborted();
      try {
        await call();
        return;
      } catch (error) {
        this.options.logger.warn(
          `entitlement did not accept the ${what}; it will be retried`,
          error,
        );
        await sleep(RETRY_MS, undefined, { ref: false, signal });
      }
    }
  }
}

function isGranted({ amount }: Lease): boolean {
  return amount > 0;
}

function hasNews({ consumed, settled }: Lease): boolean {
  return consumed > settled;
}

/** Returns a copy of the totals, so that charges made during the call do not change it. */
function useOf({ id, accountId, consumed, chargedBy: operations }: Lease): LeaseUse {
  if (operations === undefined) return { leaseId: id, accountId, consumed };
  return { leaseId: id, accountId, consumed, operations };
}
