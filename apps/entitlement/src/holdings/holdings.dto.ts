import { ArrayMaxSize, IsOptional, IsString, IsUUID, Length } from 'class-validator';

const LINES_MAX = 1_000;

export class LineIdsRequest {
  @IsUUID(undefined, { each: true })
  @ArrayMaxSize(LINES_MAX)
  lineIds: string[];
}

export class ListGrantsQuery {
  @IsOptional()
  @IsString()
  @Length(1, 200)
  cursor?: string;
}
