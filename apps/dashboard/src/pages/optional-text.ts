import type { PipeTransform } from '@nestjs/common';

/**
 * Returns a parameter of a page's URL. Unlike in a form, unknown parameters are allowed, and a repeated parameter
 * counts as missing.
 */
export class OptionalText implements PipeTransform<unknown, string> {
  transform(value: unknown): string {
    return typeof value === 'string' ? value : '';
  }
}
