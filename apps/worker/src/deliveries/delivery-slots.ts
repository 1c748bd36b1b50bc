import { MINUTE_MS, SECOND_MS, monotonicMs } from '#libs/platform';

const PER_ENDPOINT_MAX = 4;
/** An account with slots gets another one only while more than this many slots are free for each of its slots. */
const FREE_PER_SLOT = 16;
/** The time that a delivery may take without counting as slow. */
const QUICK_MS = SECOND_MS;
/** In this time, the slow seconds of an account fall to a third (1/e). */
const SLOW_FADING_MS = 5 * MINUTE_MS;
/** The slow seconds of an account before its first delivery has ended: fewer than after one slow delivery. */
const SLOW_SECONDS_UNKNOWN = 4;
/** At most this part of the slots stays free of accounts with slow receivers. */
const FREE_OF_SLOW = 1 / 3;
/** Maximum number of accounts whose slow seconds are remembered. */
const REMEMBERED_MAX = 10_000;
const WAIT_MIN_MS = { failing: 15 * SECOND_MS, others: SECOND_MS } as const;
const WAIT_MAX_MS = 5 * MINUTE_MS;

export interface DeliveryTarget {
  accountId: string;
  webhookId: string;
  isFailing: boolean;
}

interface Endpoint {
  busy: number;
  /** The duration of the last delivery; a guess before the first one has ended. */
  lastMs: number;
  /** The estimated time at which another delivery can start, if each waiting delivery takes as long as the last one. */
  turnMs: number;
}

interface Taken {
  taken: number;
  failing: number;
}

interface Holder extends Taken {
  readonly endpoints: Map<string, Endpoint>;
}

/** The seconds that an account's deliveries have recently taken beyond `QUICK_MS` each. */
interface SlowSeconds {
  seconds: number;
  atMs: number;
}

/**
 * Decides to which webhooks events may be sent now. A webhook whose last delivery failed gets one delivery at a time,
 * and all such webhooks together get at most half of the slots. The fewer slots are free, the fewer an account may
 * hold, so that the slow receivers of one account, however many, leave slots for other accounts. For each second that
 * its receivers have recently been slow, an account must leave one slot free, so that the slow receivers of many
 * accounts leave slots for accounts with quick ones.
 */
export class DeliverySlots {
  private readonly holders = new Map<string, Holder>();
  private readonly all: Taken = { taken: 0, failing: 0 };
  /** By account, the most recently changed last. */
  private readonly slow = new Map<string, SlowSeconds>();

  constructor(private readonly size: number) {}

  /**
   * Takes a slot.
   * @returns the function that frees the slot; if the webhook may not have one yet, the number of
   *   seconds after which to ask again, which grows with the deliveries that wait for the webhook
   *   and with the slow seconds of its account.
   */
  take(target: DeliveryTarget, nowMs = monotonicMs()): ((endMs?: number) => void) | number {
    const { accountId, webhookId, isFailing } = target;
    const holder = this.holders.get(accountId) ?? newHolder();
    const endpoint = holder.endpoints.get(webhookId) ?? newEndpoint();
    holder.endpoints.set(webhookId, endpoint);
    const leftFree = this.leftFree(accountId, nowMs);
    const isFull = this.size - this.all.taken <= leftFree;
    if (isFull || !this.isFree(holder, endpoint, isFailing)) {
      return Math.max(waitSeconds(endpoint, isFailing, nowMs), isFull ? leftFree : 0);
    }
    this.holders.set(accountId, holder);
    this.add(holder, endpoint, isFailing, 1);
    return (endMs = monotonicMs()) => {
      endpoint.lastMs = endMs - nowMs;
      this.note(accountId, endpoint.lastMs, endMs);
      this.add(holder, endpoint, isFailing, -1);
      if (holder.taken === 0) this.holders.delete(accountId);
    };
  }

  private isFree({ taken, failing }: Holder, { busy }: Endpoint, isFailing: boolean): boolean {
    if (busy >= (isFailing ? 1 : PER_ENDPOINT_MAX)) return false;
    if (isFailing && !hasRoom(failing, this.size / 2 - this.all.failing)) return false;
    return hasRoom(taken, this.size - this.all.taken);
  }

  private leftFree(accountId: string, nowMs: number): number {
    const seconds = this.slowSeconds(accountId, nowMs) ?? SLOW_SECONDS_UNKNOWN;
    return Math.min(seconds, this.size * FREE_OF_SLOW);
  }

  private slowSeconds(accountId: string, nowMs: number): number | undefined {
    const known = this.slow.get(accountId);
    return known && known.seconds * Math.exp((known.atMs - nowMs) / SLOW_FADING_MS);
  }

  private note(accountId: string, tookMs: number, nowMs: number): void {
    const before = this.slowSeconds(accountId, nowMs) ?? 0;
    const seconds = before + Math.max(0, tookMs - QUICK_MS) / SECOND_MS;
    this.slow.delete(accountId);
    this.slow.set(accountId, { seconds, atMs: nowMs });
    if (this.slow.size > REMEMBERED_MAX) this.slow.delete(this.slow.keys().next().value!);
  }

  private add(holder: Holder, endpoint: Endpoint, isFailing: boolean, count: 1 | -1): void {
    for (const one of [this.all, holder]) {
      one.taken += count;
      if (isFailing) one.failing += count;
    }
    endpoint.busy += count;
  }
}

const newHolder = (): Holder => ({ taken: 0, failing: 0, endpoints: new Map() });
const newEndpoint = (): Endpoint => ({ busy: 0, lastMs: SECOND_MS, turnMs: 0 });

const hasRoom = (own: number, free: number) =>
  free > 0 && (own === 0 || own * FREE_PER_SLOT < free);

function waitSeconds(endpoint: Endpoint, isFailing: boolean, nowMs: number): number {
  const everyMs = endpoint.lastMs / (isFailing ? 1 : PER_ENDPOINT_MAX);
  const turnMs = Math.max(endpoint.turnMs, nowMs) + everyMs;
  endpoint.turnMs = Math.min(turnMs, nowMs + WAIT_MAX_MS);
  const leastMs = WAIT_MIN_MS[isFailing ? 'failing' : 'others'];
  return Math.max(leastMs, endpoint.turnMs - nowMs) / SECOND_MS;
}
