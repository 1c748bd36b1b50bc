import { IsArray, IsIn, IsOptional, IsString, Length } from 'class-validator';
import {
  BLOCKED_PARTS,
  type BlockedPart,
  IsInstant,
  OPERATOR_BLOCK_CAUSES,
  type OperatorBlockCause,
} from '#libs/contracts';

export class LiftBlockRequest {
  @IsIn(OPERATOR_BLOCK_CAUSES)
  cause: OperatorBlockCause;
}

export class BlockAccountRequest extends LiftBlockRequest {
  @IsArray()
  @IsIn(BLOCKED_PARTS, { each: true })
  blocks: BlockedPart[];

  @IsString()
  @Length(1, 500)
  reason: string;

  @IsOptional()
  @IsInstant()
  to?: string;
}
