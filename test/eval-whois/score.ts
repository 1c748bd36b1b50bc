import type { Finding } from './comparison.js';

export interface Judged extends Finding {
  registry: string;
}

export interface Count {
  right: number;
  total: number;
}

/** Counts findings by field. A contact's field counts for itself and for all `contacts`. */
export function countsOf(judged: readonly Finding[]): Record<string, Count> {
  const counts: Record<string, Count> = {};
  for (const { field, isRight } of judged) {
    for (const group of field.startsWith('contact.') ? ['contacts', field] : [field]) {
      const { right, total } = counts[group] ?? { right: 0, total: 0 };
      counts[group] = { right: right + Number(isRight), total: total + 1 };
    }
  }
  return counts;
}

/** Returns the share of correct answers among asserted values; 1 if nothing is asserted. */
export const shareOf = ({ right, total }: Count = { right: 1, total: 1 }) => right / total;
