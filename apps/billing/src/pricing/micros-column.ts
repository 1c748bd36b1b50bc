import type { ValueTransformer } from 'typeorm';

/** A `bigint` column: the driver hands it over as text, because a double cannot hold all of it. */
export const BIGINT_COLUMN: ValueTransformer = {
  to: (value: bigint | null | undefined) => value?.toString() ?? value,
  from: (text: string | null) => (text === null ? null : BigInt(text)),
};
