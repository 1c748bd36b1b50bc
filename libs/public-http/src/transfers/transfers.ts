import { kindOf } from '#libs/contracts';
import { type Logger, Loop, Problem, SECOND_MS, monotonicMs } from '#libs/platform';
import { Download } from './download.js';
import type { Transfer, TransferCall } from './transfer.js';
import { TransferPlaces } from './transfer-places.js';
import { Upload } from './upload.js';

const LOOKS_PER_TIMEOUT = 4;

/** The running uploads and downloads of this process: limits their number and duration. */
export class Transfers {
  private readonly uploads = new TransferPlaces('upload');
  private readonly downloads = new TransferPlaces('download');
  /** Places of visitors, so that they cannot take those of customers. */
  private readonly samples = new TransferPlaces('sample');
  private readonly underWay = new Map<Transfer, () => void>();
  private looks?: Loop;

  /** @param idleTimeoutMs the maximum silence of a client or an owner while bytes flow. */
  constructor(
    private readonly idleTimeoutMs: number,
    private readonly logger: Logger,
  ) {}

  /**
   * The caller runs it, and calls `end` when it is over.
   * @param whose the account, or the site of a client without one; each may have four of each kind at a time.
   * @returns 429 or 503 if there is no place for it.
   */
  begin(whose: string, call: Omit<TransferCall, 'idleTimeoutMs'>): Transfer | Problem {
    const kind = kindOf(call.operation);
    const isPublic = call.operation.access.kind === 'public';
    const downloads = isPublic ? this.samples : this.downloads;
    const places = kind === 'upload' ? this.uploads : downloads;
    // tus requests without a body are answered like any other request.
    const isLong = kind === 'download' || call.operation.upload!.types.length > 0;
    const refusal = isLong ? places.enter(whose) : undefined;
    if (refusal) return refusal;
    const { idleTimeoutMs } = this;
    const Kind = kind === 'upload' ? Upload : Download;
    const transfer = new Kind({ ...call, idleTimeoutMs });
    this.underWay.set(transfer, () => isLong && places.leave(whose));
    this.looks ??= this.startLooking();
    return transfer;
  }

  /** Frees its place for the next one. */
  end(transfer: Transfer): void {
    this.underWay.get(transfer)?.();
    this.underWay.delete(transfer);
    if (this.underWay.size > 0) return;
    void this.looks?.stop();
    this.looks = undefined;
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
