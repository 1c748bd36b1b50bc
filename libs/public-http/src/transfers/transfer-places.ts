import { type Problem } from '#libs/platform';
import { ServiceOverloaded } from '../refusals.errors.js';
import { TooManyDownloads, TooManyUploads } from './transfers.errors.js';

/** The maximum number of simultaneous transfers per account or site. */
const ACCOUNT_MAX = { upload: 4, download: 4, sample: 4 } as const;
/** The maximum number of simultaneous transfers of all accounts together, and of all visitors without an account. */
const ALL_MAX = { upload: 200, download: 400, sample: 100 } as const;

const TOO_MANY = {
  upload: new TooManyUploads(ACCOUNT_MAX.upload),
  download: new TooManyDownloads(ACCOUNT_MAX.download),
  sample: new TooManyDownloads(ACCOUNT_MAX.sample),
} as const;
const serviceOverloaded = new ServiceOverloaded();

export class TransferPlaces {
  private underWay = 0;
  private readonly byAccount = new Map<string, number>();

  constructor(private readonly kind: keyof typeof ALL_MAX) {}

  of(accountId: string): number {
    return this.byAccount.get(accountId) ?? 0;
  }

  get areAllTaken(): boolean {
    return this.underWay >= ALL_MAX[this.kind];
  }

  /**
   * Takes a place, for which the caller must call `leave` once with the same account.
   * @returns the refusal if the account has too many places, or none is free; otherwise undefined.
   */
  enter(accountId: string): Problem | undefined {
    const own = this.of(accountId);
    if (own >= ACCOUNT_MAX[this.kind]) return TOO_MANY[this.kind];
    if (this.areAllTaken) return serviceOverloaded;
    this.underWay++;
    this.byAccount.set(accountId, own + 1);
    return undefined;
  }

  leave(accountId: string): void {
    this.underWay--;
    const left = this.byAccount.get(accountId)! - 1;
    if (left === 0) this.byAccount.delete(accountId);
    else this.byAccount.set(accountId, left);
  }
}
