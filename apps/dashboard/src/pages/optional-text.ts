import type { PipeTransform } from '@nestjs/common';

/**
 * Returns a parameter of a page's URL. Unlike a form, a URL may contain unknown parameters; a repeated parameter counts
 * as missing.
 */
export class OptionalText implements PipeTransform<unknown, string> {
  transform(value: unknown): string {
    return typeof value === 'string' ? value : '';
  }
}
