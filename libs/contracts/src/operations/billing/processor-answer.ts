import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsString, ValidateNested } from 'class-validator';

/** The processors a customer can choose between, where they are set up. */
export const PROCESSOR_NAMES = ['stripe', 'paypal'] as const;
export type ChosenProcessor = (typeof PROCESSOR_NAMES)[number];

/** The names that customers know them by. */
export const PROCESSOR_TITLES: Readonly<Record<ChosenProcessor, string>> = {
  stripe: 'Stripe',
  paypal: 'PayPal',
};

export class ProcessorAnswer {
  /** `processor` of an order. */
  @IsIn(PROCESSOR_NAMES)
  name: ChosenProcessor;

  @IsString()
  title: string;

  /** A sentence. */
  @IsString()
  pays_with: string;

  /** Each change of a plan is approved on the processor's page. */
  @IsBoolean()
  changes_need_approval: boolean;

  /** Sentences to be read before choosing; none where nothing is special. */
  @IsString({ each: true })
  differences: string[];
}

/** The one that is offered first comes first. */
export class ProcessorsAnswer {
  @ValidateNested({ each: true })
  @Type(() => ProcessorAnswer)
  processors: ProcessorAnswer[];
}
