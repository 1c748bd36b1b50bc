import { domainToASCII, domainToUnicode } from 'node:url';

export type LabelFault =
  'empty_label' | 'label_too_long' | 'bad_character' | 'bad_hyphen' | 'bad_idn' | 'numeric_tld';

const LABEL_LENGTH_MAX = 63;

/**
 * Checks lower-case ASCII labels by the rules that `domainToASCII` does not enforce: RFC 1123 §2.1 (hyphens), RFC 5890
 * §2.3.2.1 (an A-label is exactly what its U-label encodes to).
 * @returns the first fault; undefined if there is none.
 */
export function checkLabels(labels: readonly string[]): LabelFault | undefined {
  for (const label of labels) {
    const fault = checkLabel(label);
    if (fault !== undefined) return fault;
  }
  return /^\d+$/.test(labels.at(-1) ?? '') ? 'numeric_tld' : undefined;
}

function checkLabel(label: string): LabelFault | undefined {
  if (label === '') return 'empty_label';
  if (label.length > LABEL_LENGTH_MAX) return 'label_too_long';
  if (!/^[a-z0-9-]+$/.test(label)) return 'bad_character';
  if (label.startsWith('-') || label.endsWith('-')) return 'bad_hyphen';
  if (!label.startsWith('xn--')) return undefined;
  const unicode = domainToUnicode(label);
  return unicode !== label && domainToASCII(unicode) === label ? undefined : 'bad_idn';
}
