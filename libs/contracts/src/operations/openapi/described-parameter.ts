import type { JsonSchema } from '../parameter.js';

export interface DescribedParameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}
