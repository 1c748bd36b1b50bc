/** `1 fault`, `2 faults`. @param noun in the singular, of those that add an "s". */
export function counted(count: number | bigint, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${Number(count) === 1 ? '' : 's'}`;
}
