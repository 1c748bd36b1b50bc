import { IsIn, IsString, Length } from 'class-validator';
import type { SuppressionAsked } from '#libs/contracts';
import { SUPPRESSED_KINDS, type SuppressedKind } from './suppressed-values.js';

export class SuppressionRequest implements SuppressionAsked {
  @IsIn(SUPPRESSED_KINDS)
  kind: SuppressedKind;

  @IsString()
  @Length(1, 1_000)
  value: string;
}
