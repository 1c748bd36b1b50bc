import type { Finding } from './finding.js';

type Subject = Pick<Finding, 'accountId' | 'subject'>;

interface Comparison {
  of: Subject;
  compare: () => Promise<Finding | undefined>;
}

const DETAIL_MAX = 300;

/** The error of a comparison for which a processor gave no answer. The message is the detail of the finding. */
export class NotAnswered extends Error {}

/**
 * Compares with the processors. A comparison that fails does not prevent the others, and is made once more at the end:
 * of thousands of calls, a few get no answer, and a finding raises an alert until the next day.
 */
export class Comparisons {
  private readonly findings: Finding[] = [];
  private readonly failed: Comparison[] = [];

  async make(of: Subject, compare: () => Promise<Finding | undefined>): Promise<void> {
    try {
      this.add(await compare());
    } catch {
      this.failed.push({ of, compare });
    }
  }

  /**
   * Repeats the failed comparisons. @returns the findings, including those about comparisons that have failed again.
   */
  async finish(): Promise<Finding[]> {
    for (const { of, compare } of this.failed) {
      try {
        this.add(await compare());
      } catch (error) {
        this.add({ kind: 'processor', ...of, detail: detailOf(error), isHealed: false });
      }
    }
    return this.findings;
  }

  private add(finding: Finding | undefined): void {
    if (finding) this.findings.push(finding);
  }
}

function detailOf(error: unknown): string {
  if (error instanceof NotAnswered) return error.message;
  return `it could not be compared: ${String(error)}`.slice(0, DETAIL_MAX);
}
