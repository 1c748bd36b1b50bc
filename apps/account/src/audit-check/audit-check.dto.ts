import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBase64,
  IsISO8601,
  IsOptional,
  Length,
  Matches,
  ValidateNested,
} from 'class-validator';

const ANCHORS_MAX = 1_000;

export class AnchorRequest {
  @Matches(/^[0-9]{1,18}$/)
  number: string;

  @Matches(/^[0-9a-f]{64}$/)
  hash: string;

  @IsISO8601()
  takenAt: string;

  @IsBase64()
  @Length(88, 88)
  signature: string;
}

export class VerifyAuditRequest {
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(ANCHORS_MAX)
  @ValidateNested({ each: true })
  @Type(() => AnchorRequest)
  anchors?: AnchorRequest[];
}
