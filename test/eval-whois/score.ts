import type { Finding } from './comparison.js';

export interface Tally {
  right: number;
  total: number;
}

/** Counts correct and wrong answers by field, overall and for each registry. */
export class Score {
  readonly fields = new Map<string, Tally>();
  readonly registries = new Map<string, Map<string, Tally>>();

  add(registry: string, finding: Finding): void {
    let own = this.registries.get(registry);
    if (own === undefined) this.registries.set(registry, (own = new Map()));
    for (const group of groupsOf(finding.field)) {
      count(this.fields, group, finding.isRight);
      count(own, group, finding.isRight);
    }
  }

  /** Returns the share of correct answers among asserted values; 1 if nothing is asserted. */
  share(field: string): number {
    const tally = this.fields.get(field);
    return tally === undefined ? 1 : tally.right / tally.total;
  }

  /** Returns the registries with the most wrong answers, worst first. */
  worst(limit: number): { registry: string; wrong: number; total: number }[] {
    const rows = [...this.registries].map(([registry, fields]) => {
      const tallies = [...fields].filter(([field]) => field !== 'contacts').map(([, it]) => it);
      const total = tallies.reduce((sum, it) => sum + it.total, 0);
      const wrong = tallies.reduce((sum, it) => sum + it.total - it.right, 0);
      return { registry, wrong, total };
    });
    rows.sort((a, b) => b.wrong - a.wrong || a.registry.localeCompare(b.registry));
    return rows.filter((row) => row.wrong > 0).slice(0, limit);
  }

  toJson(): Record<string, unknown> {
    const registries = [...this.registries].map(([name, it]) => [name, Object.fromEntries(it)]);
    return { fields: Object.fromEntries(this.fields), registries: Object.fromEntries(registries) };
  }
}

/** A contact's field counts for itself and for all `contacts`. */
function groupsOf(field: string): string[] {
  return field.startsWith('contact.') ? ['contacts', field] : [field];
}

function count(tallies: Map<string, Tally>, field: string, isRight: boolean): void {
  const tally = tallies.get(field) ?? { right: 0, total: 0 };
  tally.total += 1;
  if (isRight) tally.right += 1;
  tallies.set(field, tally);
}
