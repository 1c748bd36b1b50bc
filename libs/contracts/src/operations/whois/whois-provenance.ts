import { IsBoolean, IsIn, IsInt, IsObject, IsOptional, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { NestedList, OptionalText } from '../../members.js';
import { OUTCOMES, type Outcome, SOURCES, type Source } from '../outcome.js';

/** A server that was queried. */
export class WhoisSource {
  @IsString()
  id: string;

  @IsIn(['rdap', 'whois43'])
  protocol: string;

  /** Only for a domain name; addresses and AS numbers have one registry. */
  @IsOptional()
  @IsIn(['registry', 'registrar'])
  role?: string;

  @IsString()
  server: string;

  @IsIn(OUTCOMES)
  outcome: Outcome;

  @IsOptional()
  @IsInt()
  http_status?: number;

  @IsInt()
  latency_ms: number;

  /** RFC 3339. */
  @IsString()
  fetched_at: string;

  @IsOptional()
  @IsBoolean()
  truncated?: boolean;

  @OptionalText()
  error?: string;
}

/** A member that sources disagree about. */
export class WhoisConflict {
  @IsString()
  path: string;

  /** Id of the source whose value is used. */
  @IsString()
  chosen: string;

  /** Values by the ids of their sources. */
  @IsObject()
  values: Record<string, unknown>;
}

/** The queried sources, and when they were queried. */
export class AnswerProvenance {
  @IsIn(SOURCES)
  served_from: Source;

  /** RFC 3339. */
  @IsString()
  fetched_at: string;

  @IsInt()
  age_s: number;

  @NestedList(() => WhoisSource)
  sources: WhoisSource[];
}

/** The sources of an answer's members. */
export class WhoisProvenance extends AnswerProvenance {
  /** Ids of sources by the paths of the members they supplied. */
  @IsObject()
  @JSONSchema({ additionalProperties: { type: 'string' } })
  fields: Record<string, string>;

  @NestedList(() => WhoisConflict)
  conflicts: WhoisConflict[];
}
