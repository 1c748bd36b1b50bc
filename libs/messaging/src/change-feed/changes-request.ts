import { Type } from 'class-transformer';
import { IsOptional, Matches, ValidateNested } from 'class-validator';
import type { ChangeCursor } from '#libs/contracts';

class ChangeCursorRequest implements ChangeCursor {
  /** A pg_snapshot: `xmin:xmax:xip,…`. */
  @Matches(/^[0-9]{1,20}:[0-9]{1,20}:[0-9,]{0,8000}$/)
  snapshot: string;

  @Matches(/^[0-9]{1,20}$/)
  highestXid: string;
}

/** The body of `POST /internal/changes`, which is the same at every owner of a change feed. */
export class ChangesRequest {
  @IsOptional()
  @ValidateNested()
  @Type(() => ChangeCursorRequest)
  cursor?: ChangeCursorRequest;
}
