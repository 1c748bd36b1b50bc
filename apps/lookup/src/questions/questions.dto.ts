import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import {
  NAME_RECORD_TYPES,
  type NameQuestions,
  type NameRecordType,
  QUESTION_NAMES_MAX,
  QUESTION_WAIT_SECONDS_MAX,
} from '#libs/contracts';

const NAME_LENGTH_MAX = 2_048;
const AGE_SECONDS_MAX = 86_400;

export class QuestionsRequest implements NameQuestions {
  @IsIn(['whois', 'dns'])
  kind: 'whois' | 'dns';

  @IsArray()
  @ArrayMaxSize(QUESTION_NAMES_MAX)
  @IsString({ each: true })
  @MaxLength(NAME_LENGTH_MAX, { each: true })
  names: string[];

  @IsOptional()
  @IsArray()
  @IsIn(NAME_RECORD_TYPES, { each: true })
  types?: NameRecordType[];

  @IsIn(['monitor', 'bulk', 'background'])
  priority: 'monitor' | 'bulk' | 'background';

  @IsInt()
  @Min(0)
  @Max(AGE_SECONDS_MAX)
  maxAgeSeconds: number;

  @IsInt()
  @Min(0)
  @Max(QUESTION_WAIT_SECONDS_MAX)
  waitSeconds: number;
}
