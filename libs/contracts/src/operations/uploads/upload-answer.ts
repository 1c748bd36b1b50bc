import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Min,
  ValidateNested,
} from 'class-validator';
import { InvalidLine } from '../jobs/job-answer.js';
import { Paging } from '../paging/paging-answer.js';
import { IsNullable } from '../../nullable.js';

export const UPLOAD_STATES = ['receiving', 'reading', 'ready', 'refused'] as const;
export type UploadState = (typeof UPLOAD_STATES)[number];

export const UPLOAD_REFUSALS = [
  'too_many_lines',
  'too_large_unpacked',
  'not_text',
  'nested_archive',
  'not_one_entry',
  'broken_archive',
  'no_names',
  'not_read',
] as const;
export type UploadRefusalReason = (typeof UPLOAD_REFUSALS)[number];

export class UploadCounts {
  /** Number of lines that are not blank, after the header. */
  @IsInt()
  @Min(0)
  lines: number;

  /** Number of unique names in these lines. */
  @IsInt()
  @Min(0)
  unique: number;

  @IsInt()
  @Min(0)
  invalid: number;

  @IsInt()
  @Min(0)
  duplicates: number;
}

export class UploadRefusal {
  @IsIn(UPLOAD_REFUSALS)
  reason: UploadRefusalReason;

  /** The reason, and what to do. */
  @IsString()
  detail: string;
}

export class UploadAnswer {
  @IsBoolean()
  status: boolean;

  @IsUUID()
  id: string;

  /** `receiving` until the last byte has arrived, `reading` while its names are counted. */
  @IsIn(UPLOAD_STATES)
  state: UploadState;

  /** The file name given by its sender; null if there is none. */
  @IsNullable()
  @IsString()
  file_name: string | null;

  /** Null until the size is known. */
  @IsNullable()
  @IsInt()
  @Min(0)
  size_bytes: number | null;

  @IsInt()
  @Min(0)
  received_bytes: number;

  /** The counts of an upload that is ready. */
  @IsOptional()
  @ValidateNested()
  @Type(() => UploadCounts)
  counts?: UploadCounts;

  /** The first lines without a domain name. */
  @ValidateNested({ each: true })
  @Type(() => InvalidLine)
  invalid_lines: InvalidLine[];

  /** Only for a rejected upload. */
  @IsOptional()
  @ValidateNested()
  @Type(() => UploadRefusal)
  refusal?: UploadRefusal;

  @IsISO8601()
  created_at: string;

  /** When the upload is deleted. */
  @IsISO8601()
  expires_at: string;
}

export class UploadsAnswer {
  @IsBoolean()
  status: boolean;

  /** Newest first. */
  @ValidateNested({ each: true })
  @Type(() => UploadAnswer)
  uploads: UploadAnswer[];

  @ValidateNested()
  @Type(() => Paging)
  paging: Paging;
}
