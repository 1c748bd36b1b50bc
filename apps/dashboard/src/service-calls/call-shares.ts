import { TooManyCalls } from './service-calls.errors.js';

const WAITING_MAX = 64;

interface Holder {
  underWay: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits how many of an owner's connections one holder (an account or a site) uses at a time. The holder's further
 * calls wait in a queue of their own, so that they do not delay the calls of other holders (S102).
 */
export class CallShares {
  private readonly holders = new Map<string, Holder>();

  /** @param ofOne maximum number of running calls per holder. */
  constructor(private readonly ofOne: number) {}

  /**
   * Waits until a call may begin; call `leave` afterwards. @throws the reason of `signal` if that fires first;
   * TooManyCalls if too many calls are already waiting.
   */
  async enter(name: string, signal: AbortSignal): Promise<void> {
    const holder = this.holders.get(name) ?? { underWay: 0, waiting: [] };
    this.holders.set(name, holder);
    if (holder.underWay < this.ofOne) {
      holder.underWay += 1;
      return;
    }
    if (holder.waiting.length >= WAITING_MAX) throw new TooManyCalls();
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        holder.waiting.splice(holder.waiting.indexOf(begin), 1);
        reject(signal.reason as Error);
      };
      holder.waiting.push(begin);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  leave(name: string): void {
    const holder = this.holders.get(name)!;
    const next = holder.waiting.shift();
    // The slot goes directly to the next call, so that no other call can take it.
    if (next) return next();
    holder.underWay -= 1;
    if (holder.underWay === 0) this.holders.delete(name);
  }
}
