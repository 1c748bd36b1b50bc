import type { LineSums } from '#libs/contracts';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';

/** Something that does not agree between billing and another. */
export interface Finding {
  /** `fulfilment`: compared with entitlement (I21). `processor`: compared with the processor (I14). */
  kind: 'fulfilment' | 'processor';
  /** Null for what only a processor has. */
  accountId: string | null;
  /** What it is about: `line <id>`, `subscription <id>`, `stripe payment <id there>`. */
  subject: string;
  detail: string;
  isHealed: boolean;
}

/** A line with what was taken back of its payment for good. */
export interface ComparedLine extends StoredPaymentLine {
  reversedMicros: bigint;
}

/** What is wrong with what entitlement has of a line; undefined where both agree. */
export function faultOfLine(line: ComparedLine, known: LineSums | undefined): string | undefined {
  if (!known) return 'entitlement has not heard of it';
  const { accountId, paymentId, kind, amountMicros } = line;
  const ours = [accountId, paymentId, kind, amountMicros.toString()].join(' ');
  const theirs = [known.accountId, known.paymentId, known.kind, known.amountMicros].join(' ');
  if (ours !== theirs) return `entitlement has "${theirs}"`;
  if (line.credits !== null && BigInt(known.granted) !== line.credits) {
    return `entitlement granted ${known.granted} instead of ${line.credits}`;
  }
  const bringsCredits = (line.credits ?? line.monthlyCredits) !== null;
  const isTaken = line.reversedMicros > 0n && line.reversedMicros >= amountMicros;
  const aimed = BigInt(known.reversed);
  if (bringsCredits && isTaken && aimed < BigInt(known.granted) && line.startsAt === null) {
    return `entitlement takes back ${aimed} of ${known.granted}`;
  }
  if (bringsCredits && line.reversedMicros === 0n && aimed > 0n) {
    return `entitlement takes back ${aimed} of a line that is paid`;
  }
  return undefined;
}
