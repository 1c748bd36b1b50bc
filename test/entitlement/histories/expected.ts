import { addMonths } from '#libs/platform';
import type { BoughtLine } from './told-history.js';

/** The credits that one slice of a line, or a package, must have at the end. */
export interface ExpectedGrant {
  granted: number;
  /** The share of the credits that the final reversals must take back. */
  reversed: number;
}

/**
 * Calculates with plain floats the credits that each line paid for, less the credits that were taken back,
 * independently of the order of events and of entitlement's code.
 * @returns the credits by line and slice, `<line>/0`, which differ from the integer result by at most one credit.
 */
export function expectedGrants(
  lines: readonly BoughtLine[],
  until: Date,
): Map<string, ExpectedGrant> {
  const expected = new Map<string, ExpectedGrant>();
  for (const line of lines) {
    const { id, credits, stretch } = line;
    if (credits !== undefined) {
      expected.set(`${id}/0`, { granted: credits, reversed: credits * givenBack(line, 0) });
    }
    if (!stretch) continue;
    const count = stretch.interval === 'year' ? 12 : 1;
    for (let index = 0; index < count; index++) {
      const start = addMonths(stretch.start, index).getTime();
      const end =
        index === count - 1 ? stretch.end.getTime() : addMonths(stretch.start, index + 1).getTime();
      const begin = Math.max(start, stretch.from.getTime());
      if (begin >= end || start > until.getTime()) continue;
      const granted = Math.floor((stretch.monthly * (end - begin)) / (end - start));
      if (granted === 0) continue;
      const cuts = finals(line).flatMap(({ from }) => (from ? [from.getTime()] : []));
      const rest = cuts.length > 0 ? Math.max(0, end - Math.max(begin, Math.min(...cuts))) : 0;
      const reversed = granted * givenBack(line, rest / (end - begin));
      expected.set(`${id}/${index}`, { granted, reversed });
    }
  }
  return expected;
}

/**
 * Returns the share of the credits that was taken back; `rest` is the share that lies after the start of a refund of
 * the remaining period.
 */
function givenBack(line: BoughtLine, rest: number): number {
  const sum = (isRest: boolean) =>
    finals(line)
      .filter(({ from }) => (from !== undefined) === isRest)
      .reduce((total, { refunded }) => total + Number(refunded), 0);
  const share = Math.min(1, sum(false) / Math.max(1, Number(line.paid) - sum(true)));
  return rest + (1 - rest) * share;
}

function finals({ reversals }: BoughtLine) {
  return [...reversals.values()].filter(({ isFinal, isUndone }) => isFinal && !isUndone);
}
