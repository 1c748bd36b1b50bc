/** The letters, digits and spaces of the invoices' font. */
const LETTERS = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}\p{Zs}`;
const SIGNS = '!-/:-@[-`{-~¡-¿‐-‧‰-›€₤₽№™©®×÷';

/** Matches a character that an invoice cannot show. */
export const NOT_ON_INVOICES = new RegExp(`[^${LETTERS}${SIGNS}]`, 'gu');

/** Whether an invoice can show a string unchanged. Letters are compared in composed form (NFC). */
export function isInvoiceText(text: string): boolean {
  return text.normalize('NFC').search(NOT_ON_INVOICES) === -1;
}
