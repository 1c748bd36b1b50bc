import { kindOf } from '#libs/contracts';
import { type Logger, Loop, Problem, SECOND_MS, monotonicMs } from '#libs/platform';
import { Download } from './download.js';
import { FLOOR_BYTES_A_SECOND } from './reading-floor.js';
import type { Transfer, TransferCall } from './transfer.js';
import { TransferPlaces } from './transfer-places.js';
import { ServiceOverloaded } from '../refusals.errors.js';
import { Upload } from './upload.js';

const LOOKS_PER_TIMEOUT = 4;
/** The rate below which a transfer gives way to an account without one, in bytes per millisecond. */
const SLOW_PACE = (4 * FLOOR_BYTES_A_SECOND) / SECOND_MS;
const gaveWay = new ServiceOverloaded();

interface UnderWay {
  whose: string;
  places?: TransferPlaces;
}

export class Transfers {
  private readonly uploads = new TransferPlaces('upload');
  private readonly downloads = new TransferPlaces('download');
  /** Places for visitors, so that visitors cannot take the places of customers. */
  private readonly samples = new TransferPlaces('sample');
  private readonly underWay = new Map<Transfer, UnderWay>();
  private looks?: Loop;

  /** @param idleTimeoutMs the maximum silence of a client or an owner during a transfer. */
  constructor(
    private readonly idleTimeoutMs: number,
    private readonly logger: Logger,
  ) {}

  /**
   * Admits a transfer. The caller runs it and calls `end` afterwards. If all places are taken, one is freed for it: a
   * place of an account that has at least two more places or, for an account without a place, one with a slow transfer.
   * Accounts with slow clients therefore cannot keep out all other accounts.
   * @param whose the account, or the site of a client without one; each may have four transfers of each kind at a time.
   * @returns the transfer, or a 429 or 503 if there is no place for it.
   */
  begin(
    whose: string,
    call: Omit<TransferCall, 'idleTimeoutMs'>,
    nowMs = monotonicMs(),
  ): Transfer | Problem {
    const kind = kindOf(call.operation);
    const isPublic = call.operation.access.kind === 'public';
    const downloads = isPublic ? this.samples : this.downloads;
    const all = kind === 'upload' ? this.uploads : downloads;
    // tus requests without a body are answered like any other request.
    const isLong = kind === 'download' || call.operation.upload!.types.length > 0;
    const places = isLong ? all : undefined;
    if (places?.areAllTaken) this.makeRoom(places, whose, nowMs);
    const refusal = places?.enter(whose);
    if (refusal) return refusal;
    const { idleTimeoutMs } = this;
    const Kind = kind === 'upload' ? Upload : Download;
    const transfer = new Kind({ ...call, idleTimeoutMs });
    this.underWay.set(transfer, { whose, places });
    this.looks ??= this.startLooking();
    return transfer;
  }

  /** Frees the transfer's place for the next transfer. */
  end(transfer: Transfer): void {
    const { whose, places } = this.underWay.get(transfer) ?? {};
    if (whose !== undefined) places?.leave(whose);
    this.underWay.delete(transfer);
    if (this.underWay.size > 0) return;
    void this.looks?.stop();
    this.looks = undefined;
  }

  /** Ends a transfer that must give way, if there is one: the slowest one of the accounts with the most transfers. */
  private makeRoom(places: TransferPlaces, newcomer: string, nowMs: number): void {
    const own = places.of(newcomer);
    let slowest: { transfer: Transfer; count: number; pace: number } | undefined;
    for (const [transfer, { whose, places: its }] of this.underWay) {
      const count = places.of(whose);
      const pace = transfer.pace(nowMs);
      const givesWay = count >= own + 2 || (own === 0 && pace < SLOW_PACE);
      if (its !== places || !givesWay) continue;
      const isSlower = !slowest || count > slowest.count || pace < slowest.pace;
      if (isSlower && count >= (slowest?.count ?? 0)) slowest = { transfer, count, pace };
    }
    if (!slowest) return;
    slowest.transfer.stop(gaveWay);
    this.end(slowest.transfer);
  }

  private startLooking(): Loop {
    const { idleTimeoutMs, logger, underWay } = this;
    const intervalMs = Math.min(SECOND_MS, idleTimeoutMs / LOOKS_PER_TIMEOUT);
    const work = async () => {
      const nowMs = monotonicMs();
      for (const transfer of underWay.keys()) transfer.look(nowMs);
    };
    const looks = new Loop({ name: 'limits of transfers', intervalMs, logger, work });
    void looks.start(intervalMs);
    return looks;
  }
}
