import { IsArray, IsIn, IsISO8601, IsOptional, IsString, Length } from 'class-validator';
import {
  BLOCKED_PARTS,
  type BlockedPart,
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
  @IsISO8601()
  to?: string;
}
