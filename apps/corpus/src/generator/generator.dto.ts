import { IsInt, Max, Min } from 'class-validator';
import { GENERATED_NAMES_MAX } from './generated-labels.js';

/** Maximum number of names per call; their histories fit into one transaction. */
const NAMES_MAX = 1_000;
const SEED_MAX = 2 ** 31;

export class GeneratedStretch {
  /** The number of the first name, from 0. */
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
