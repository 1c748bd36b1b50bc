import type { PipeTransform } from '@nestjs/common';

/**
 * A parameter of a page's address: unlike with a form, unknown others are allowed. A repeated one counts as missing.
 */
export class OptionalText implements PipeTransform<unknown, string> {
  transform(value: unknown): string {
    return typeof value === 'string' ? value : '';
  }
}
