/**
 * What class-validator says about a property, without the name in front: whoever shows it names the field
 * or the setting already. `name must be a string` → `must be a string`.
 */
export function ruleText(property: string, text: string): string {
  if (text === `property ${property} should not exist`) return 'is not known here';
  const each = `each value in ${property} `;
  if (text.startsWith(each)) return `each value ${text.slice(each.length)}`;
  return text.startsWith(`${property} `) ? text.slice(property.length + 1) : text;
}
