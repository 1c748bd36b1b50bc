import type { LineSums } from '#libs/contracts';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import { grossOf } from '../pricing/purchased-line.entity.js';

export interface Finding {
  /** `fulfilment`: a difference from entitlement (I21). `processor`: a difference from the processor (I14). */
  kind: 'fulfilment' | 'processor';
  /** The account; null for objects that only a processor has. */
  accountId: string | null;
  /** The subject of the difference, such as `line <id>`, `subscription <id>` or `stripe payment <id there>`. */
  subject: string;
  detail: string;
  isHealed: boolean;
}

/** A line with the amount of its payment's final reversals. */
export interface ComparedLine extends StoredPaymentLine {
  reversedMicros: bigint;
  /** Whether a reversal has changed so recently that entitlement may not know the change yet. */
  isChanging: boolean;
}

/** Returns the difference between a line and entitlement's record of it; undefined if both agree. */
export function faultOfLine(line: ComparedLine, known: LineSums | undefined): string | undefined {
  if (!known) return 'entitlement has no record of it';
  const { accountId, paymentId, kind, amountMicros } = line;
  const ours = [accountId, paymentId, kind, amountMicros.toString()].join(' ');
  const theirs = [known.accountId, known.paymentId, known.kind, known.amountMicros].join(' ');
  if (ours !== theirs) return `entitlement has "${theirs}"`;
  if (line.credits !== null && BigInt(known.granted) !== line.credits) {
    return `entitlement granted ${known.granted} instead of ${line.credits}`;
  }
  if (line.isChanging) return undefined;
  const bringsCredits = (line.credits ?? line.monthlyCredits) !== null;
  const aimed = BigInt(known.reversed);
  const isTaken = line.reversedMicros >= grossOf(line);
  const isMissing = isTaken ? aimed < BigInt(known.granted) : aimed === 0n;
  // A refund of a period may be for months that have not begun.
  if (bringsCredits && line.reversedMicros > 0n && isMissing && line.startsAt === null) {
    return `entitlement revokes ${aimed} of ${known.granted}`;
  }
  if (bringsCredits && line.reversedMicros === 0n && aimed > 0n) {
    return `entitlement revokes ${aimed} of a line that is paid`;
  }
  return undefined;
}
