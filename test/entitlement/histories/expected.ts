import { addMonths } from '#libs/platform';
import type { BoughtLine } from './told-history.js';

/** The credits that one slice of a line, or a package, must have at the end. */
export interface ExpectedGrant {
  granted: number;
  /** The part that final reversals should take back. */
  reversed: number;
}

/**
 * Calculates, with plain floats, the credits that the money of each line bought less those that were given back,
 * independently of the order of events and of entitlement's code.
 * @returns the credits by line and slice, `<line>/0`, within one credit of the integer result.
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

/** The part of the credits that is gone; `rest` is the part that lies after a refund of the rest. */
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
