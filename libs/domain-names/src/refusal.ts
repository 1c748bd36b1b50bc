/**
 * The reason why an input was not accepted, returned as a value because a rejected request is an ordinary answer.
 * `code` is stable; `message` is a sentence for the client and never repeats the input.
 */
export interface Refusal<Code extends string> {
  ok: false;
  code: Code;
  message: string;
}

/** Creates a refusal whose sentence comes from the parser's table of messages. */
export function refuse<Code extends string>(
  code: Code,
  messages: Record<Code, string>,
): Refusal<Code> {
  return { ok: false, code, message: messages[code] };
}
