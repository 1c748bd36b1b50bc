import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsOptional,
  IsUUID,
  Matches,
  ValidateNested,
} from 'class-validator';
import type { ChangeCursor } from '#libs/contracts';

export class KeyHashPath {
  @Matches(/^[0-9a-f]{64}$/, { message: 'hash must be 64 hexadecimal digits' })
  hash: string;
}

export class KeysUsedRequest {
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsUUID(undefined, { each: true })
  keyIds: string[];
}

export class ChangeCursorRequest implements ChangeCursor {
  /** A pg_snapshot: `xmin:xmax:xip,…`. */
  @Matches(/^[0-9]{1,20}:[0-9]{1,20}:[0-9,]{0,8000}$/)
  snapshot: string;

  @Matches(/^[0-9]{1,20}$/)
  highestXid: string;
}

export class ChangesRequest {
  @IsOptional()
  @ValidateNested()
  @Type(() => ChangeCursorRequest)
  cursor?: ChangeCursorRequest;
}
