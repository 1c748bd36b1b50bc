import { IsIn, IsObject, IsOptional, IsString, MaxLength } from 'class-validator';

const NAME_LENGTH_MAX = 60;
const QUERY_LENGTH_MAX = 16_384;

export class AskedQuestion {
  @IsString()
  @MaxLength(NAME_LENGTH_MAX)
  operation: string;

  /** The parameters of the operation, as in a query string. */
  @IsString()
  @MaxLength(QUERY_LENGTH_MAX)
  query: string;

  @IsOptional()
  @IsObject()
  body?: object;

  /** With `test`, the answer is a fixture, free of charge. */
  @IsIn(['live', 'test'])
  environment: 'live' | 'test';
}
