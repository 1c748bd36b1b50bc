import { IsBoolean, IsIn, IsString } from 'class-validator';
import { NestedList } from '../../members.js';

/** The processors that a customer can choose between; an installation may offer only some of them. */
export const PROCESSOR_NAMES = ['stripe', 'paypal'] as const;
export type ChosenProcessor = (typeof PROCESSOR_NAMES)[number];

/**
 * The time limit of calls that wait for a processor. Billing waits for it up to twice, 10 s each time, and then says
 * that it is not known whether a change was made.
 */
export const PROCESSOR_TIMEOUT_MS = 25_000;

export const PROCESSOR_TITLES: Readonly<Record<ChosenProcessor, string>> = {
  stripe: 'Stripe',
  paypal: 'PayPal',
};

export class ProcessorAnswer {
  /** The value of `processor` in an order. */
  @IsIn(PROCESSOR_NAMES)
  name: ChosenProcessor;

  @IsString()
  title: string;

  /** How customers pay at this processor, as a sentence. */
  @IsString()
  pays_with: string;

  /** Whether each change of a plan is approved on the processor's page. */
  @IsBoolean()
  changes_need_approval: boolean;

  /** Sentences to read before choosing; empty if there is nothing special. */
  @IsString({ each: true })
  differences: string[];
}

/** The available processors, in the order in which customers are offered them. */
export class ProcessorsAnswer {
  @NestedList(() => ProcessorAnswer)
  processors: ProcessorAnswer[];
}
