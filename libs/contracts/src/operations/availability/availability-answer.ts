import { IsBoolean, IsIn, IsNumber, IsOptional, IsString, Max, Min } from 'class-validator';
import { Nested, NestedList, OptionalText } from '../../members.js';
import { BulkSummary, bulkItem } from '../bulk.js';
import { IsNullable } from '../../nullable.js';

export const AVAILABILITIES = ['available', 'registered', 'restricted', 'unknown'] as const;
export type AvailabilityWord = (typeof AVAILABILITIES)[number];

export const AVAILABILITY_METHODS = ['rdap', 'whois', 'dns'] as const;
export type AvailabilityMethod = (typeof AVAILABILITY_METHODS)[number];

/** Whether one name is available. */
export class Availability {
  /** A-label. */
  @IsString()
  domain: string;

  @IsIn(AVAILABILITIES)
  availability: AvailabilityWord;

  /** `null` if the availability is unknown. */
  @IsNullable()
  @IsBoolean()
  domain_availability: boolean | null;

  /** Absent if the availability is unknown. */
  @IsOptional()
  @IsIn(AVAILABILITY_METHODS)
  method?: AvailabilityMethod;

  @IsNumber()
  @Min(0)
  @Max(1)
  confidence: number;

  /** Whether registry and name servers contradict each other; the name then counts as registered. */
  @IsOptional()
  @IsBoolean()
  contradiction?: boolean;

  /** Why the availability is unknown. */
  @OptionalText()
  reason?: string;

  /** RFC 3339, UTC. */
  @IsString()
  checked_at: string;
}

/** Whether a requested name is available. */
export class NameAvailability extends Availability {
  @IsBoolean()
  status: boolean;
}

/** Whether a name is available, and alternatives. */
export class AvailabilityAnswer extends NameAvailability {
  /** Similar names that are available, best first. */
  @IsOptional()
  @NestedList(() => Availability)
  suggestions?: Availability[];
}

/** The result for one of several names, or the reason why the name could not be checked. */
export class AvailabilityItem extends bulkItem(
  NameAvailability,
  'invalid_domain_name',
  'lookup_overloaded',
) {
  /** A-label of the name that was checked; for a rejected item, the name as requested. */
  @OptionalText()
  domain?: string;
}

/** The results, in the order of the request. */
export class BulkAvailabilityAnswer {
  @IsBoolean()
  status: boolean;

  @NestedList(() => AvailabilityItem)
  domains: AvailabilityItem[];

  @Nested(() => BulkSummary)
  summary: BulkSummary;
}
