import { IsInt, Max, Min } from 'class-validator';
import { GENERATED_NAMES_MAX } from './generated-labels.js';

/** Maximum number of names per call, whose histories fit into a transaction. */
const NAMES_MAX = 1_000;
const SEED_MAX = 2 ** 31;

/** A range of the generated names. */
export class GeneratedStretch {
  /** Number of the first name, from 0. */
  @IsInt()
  @Min(0)
  @Max(GENERATED_NAMES_MAX - 1)
  from: number;

  @IsInt()
  @Min(1)
  @Max(NAMES_MAX)
  names: number;

  @IsInt()
  @Min(0)
  @Max(SEED_MAX)
  seed: number;
}
