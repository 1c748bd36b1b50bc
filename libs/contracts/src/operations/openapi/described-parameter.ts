import type { JsonSchema } from '../parameter.js';

/** A parameter as OpenAPI describes it. */
export interface DescribedParameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}
