/**
 * Why an input was not accepted: a value, because a refused question is an ordinary answer. `code`
 * is stable, `message` is a sentence for the person who asked and never repeats the input.
 */
export interface Refusal<Code extends string> {
  ok: false;
  code: Code;
  message: string;
}

/** A refusal whose sentence comes from the parser's own table of messages. */
export function refuse<Code extends string>(
  code: Code,
  messages: Record<Code, string>,
): Refusal<Code> {
  return { ok: false, code, message: messages[code] };
}
