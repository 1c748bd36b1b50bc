import type { ValueTransformer } from 'typeorm';

/** A `bigint` column, which the driver returns as text because a double cannot represent all values. */
export const BIGINT_COLUMN: ValueTransformer = {
  to: (value: bigint | null | undefined) => value?.toString() ?? value,
  from: (text: string | null) => (text === null ? null : BigInt(text)),
};
